#include "warpline/explore/spec_difference.hpp"

#include "warpline/hardware/spec_schema.hpp"

namespace warpline {
namespace {

bool is_read_by_the_model(const std::string& key) {
    const SpecKey* const rule = find_spec_key(key);
    return rule == nullptr || static_cast<bool>(rule->store);  // null: a field of an instruction
}

SpecDifference capability(const std::string& name, bool has) {
    SpecDifference difference;
    difference.key = "capabilities." + name;
    difference.from = has ? "true" : "false";
    difference.to = has ? "false" : "true";
    difference.change.hardware = {{difference.key, difference.to}};
    return difference;
}

/// Constants of `to` that a GPU needs once it has what `from` lacks.
void add_constants_of(const std::string& capability, const GpuSpec& from, const GpuSpec& to,
                      SpecDifference& difference) {
    for (const auto& [key, constant] : to.constants) {
        const SpecKey* const rule = find_spec_key(key);
        if (rule != nullptr && rule->capability == capability &&
            from.constants.find(key) == from.constants.end()) {
            difference.change.hardware.push_back({key, constant.text});
        }
    }
}

/// Whether `from` lacks the constant because it lacks what needs it.
bool comes_with_a_capability(const std::string& key, const GpuSpec& from) {
    const SpecKey* const rule = find_spec_key(key);
    return rule != nullptr && !rule->capability.empty() && !from.has(rule->capability) &&
           from.constants.find(key) == from.constants.end();
}

}  // namespace

std::vector<SpecDifference> spec_differences(const GpuSpec& from, const GpuSpec& to) {
    std::vector<SpecDifference> out;
    for (const std::string& name : known_capabilities()) {
        if (from.has(name) != to.has(name)) {
            out.push_back(capability(name, from.has(name)));
            add_constants_of(name, from, to, out.back());
        }
    }
    for (const auto& [key, constant] : to.constants) {
        if (!is_read_by_the_model(key) || comes_with_a_capability(key, from)) {
            continue;
        }
        const auto own = from.constants.find(key);
        if (own != from.constants.end() && own->second.value == constant.value &&
            own->second.text == constant.text) {
            continue;
        }
        SpecDifference difference{key, "", constant.text, {}};
        if (own != from.constants.end()) {
            difference.from = own->second.text;
        }
        difference.change.hardware = {{key, constant.text}};
        out.push_back(std::move(difference));
    }
    return out;
}

}  // namespace warpline
