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

}  // namespace

std::vector<SpecDifference> spec_differences(const GpuSpec& from, const GpuSpec& to) {
    std::vector<SpecDifference> out;
    for (const std::string& name : known_capabilities()) {
        if (from.has(name) != to.has(name)) {
            out.push_back(capability(name, from.has(name)));
        }
    }
    for (const auto& [key, constant] : to.constants) {
        if (!is_read_by_the_model(key)) {
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
