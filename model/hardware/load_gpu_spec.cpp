#include "warpline/hardware/load_gpu_spec.hpp"

#include "warpline/diagnostics/yaml_names.hpp"
#include "warpline/hardware/gpu_family.hpp"
#include "warpline/hardware/resolve_gpu_spec.hpp"
#include "warpline/hardware/spec_inheritance.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

namespace fs = std::filesystem;

const std::string capability_prefix = "capabilities.";
const std::string set_by_user = "set by the user";

std::string join(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        out += out.empty() ? name : ", " + name;
    }
    return out;
}

Result<fs::path> find_file(const fs::path& data_dir, const std::string& id) {
    const fs::path given(id);
    if (given.extension() == ".yaml") {
        return given;
    }
    std::error_code ignored;
    fs::path path = data_dir / "hw_specs" / (id + ".yaml");
    if (!id.empty() && given.filename() == id && fs::exists(path, ignored)) {
        return path;
    }
    const std::vector<std::string> known = list_gpu_specs(data_dir);
    const std::string nearest = nearest_name(id, known);
    std::string hint = fmt::format("known: {}", join(known));
    if (known.empty()) {
        hint = fmt::format("no specifications in {}", (data_dir / "hw_specs").string());
    } else if (!nearest.empty()) {
        hint = fmt::format("did you mean '{}'? {}", nearest, hint);
    }
    return fail(FailureKind::usage, fmt::format("unknown GPU '{}'", id), hint);
}

/// Every key that `--set` can name on this GPU.
std::vector<std::string> override_keys(const SpecFile& file) {
    std::vector<std::string> keys;
    for (const std::string& capability : known_capabilities()) {
        keys.push_back(capability_prefix + capability);
    }
    for (const SpecKey& key : spec_keys()) {
        keys.push_back(key.key);
    }
    for (const auto& [name, unused] : file.instructions) {
        keys.push_back(name);  // short for its rate
        for (const SpecKey& field : instruction_fields()) {
            keys.push_back(name + "." + field.key);
        }
    }
    return keys;
}

/// The rule of `key`, which may name an instruction alone; `key` becomes complete. Null when there
/// is none.
const SpecKey* find_rule(const SpecFile& file, std::string& key) {
    if (const SpecKey* rule = find_spec_key(key)) {
        return rule;
    }
    if (file.instructions.count(key) != 0) {
        key += ".rate";
    }
    for (const SpecKey& field : instruction_fields()) {
        const std::string suffix = "." + field.key;
        if (key.size() > suffix.size() &&
            key.compare(key.size() - suffix.size(), suffix.size(), suffix) == 0 &&
            file.instructions.count(key.substr(0, key.size() - suffix.size())) != 0) {
            return &field;
        }
    }
    return nullptr;
}

/// Forgets what only GPUs with the capability have, where the file states it.
void drop_constants_of(const std::string& capability, SpecFile& file) {
    for (const SpecKey& key : spec_keys()) {
        const auto found = file.constants.find(key.key);
        if (key.capability == capability && found != file.constants.end() &&
            found->second.constant.source != set_by_user) {
            file.constants.erase(found);
        }
    }
}

/// Adds or removes a capability. False when the key names none.
bool apply_capability(const ConstantOverride& change, SpecFile& file, DiagnosticSink& sink) {
    const std::vector<std::string>& known = known_capabilities();
    const bool prefixed = change.key.compare(0, capability_prefix.size(), capability_prefix) == 0;
    const std::string name = prefixed ? change.key.substr(capability_prefix.size()) : std::string();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        return false;
    }
    if (change.text != "true" && change.text != "false") {
        sink.error({"--set", 0, 0}, fmt::format("{} is '{}'", change.key, change.text),
                   "a capability is true or false");
        return true;
    }
    std::vector<std::string>& has = file.capabilities;
    has.erase(std::remove(has.begin(), has.end(), name), has.end());
    if (change.text == "true") {
        has.push_back(name);
    } else {
        drop_constants_of(name, file);
    }
    return true;
}

void apply_override(const ConstantOverride& change, SpecFile& file, DiagnosticSink& sink) {
    const SourceLocation command_line{"--set", 0, 0};
    if (apply_capability(change, file, sink)) {
        return;
    }
    std::string key = change.key;
    const SpecKey* rule = find_rule(file, key);
    if (rule == nullptr) {
        const std::string nearest = nearest_name(key, override_keys(file));
        sink.error(command_line, fmt::format("unknown constant '{}'", key),
                   nearest.empty() ? "`specs GPU` lists them"
                                   : fmt::format("did you mean '{}'?", nearest));
        return;
    }
    auto stated = state_constant(*rule, key, change.text, command_line, sink);
    if (stated) {
        stated->constant.source = set_by_user;
        file.constants[key] = std::move(*stated);
    }
}

}  // namespace

Result<GpuFamily> read_gpu_family(const fs::path& data_dir, const std::string& id,
                                  YamlDocuments& documents) {
    const auto path = find_file(data_dir, id);
    if (!path) {
        return tl::unexpected<Failure>(path.error());
    }
    auto family = load_spec_family(data_dir, *path, documents);
    if (family) {
        if (auto plain = resolve_gpu_spec(family->file, family->id)) {
            family->plain = std::move(*plain);
        }
    }
    return family;
}

Result<GpuSpec> make_gpu_spec(const GpuFamily& family,
                              const std::vector<ConstantOverride>& overrides) {
    if (overrides.empty() && family.plain) {
        return *family.plain;
    }
    SpecFile changed = family.file;
    DiagnosticSink wrong_overrides;
    for (const ConstantOverride& change : overrides) {
        apply_override(change, changed, wrong_overrides);
    }
    if (!wrong_overrides.empty()) {
        return wrong_overrides.failure(FailureKind::usage);
    }
    return resolve_gpu_spec(changed, family.id);
}

Result<GpuSpec> load_gpu_spec(const fs::path& data_dir, const std::string& id,
                              const std::vector<ConstantOverride>& overrides) {
    YamlDocuments documents;
    const auto family = read_gpu_family(data_dir, id, documents);
    return family ? make_gpu_spec(*family, overrides) : tl::unexpected(family.error());
}

std::vector<std::string> list_gpu_specs(const fs::path& data_dir) {
    return yaml_names(data_dir / "hw_specs");
}

}  // namespace warpline
