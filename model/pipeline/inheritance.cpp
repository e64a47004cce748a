#include "warpline/pipeline/inheritance.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

namespace fs = std::filesystem;

YamlNode* find_field(YamlNode& map, std::string_view key) {
    const auto found = std::find_if(map.fields.begin(), map.fields.end(),
                                    [&](const auto& field) { return field.first == key; });
    return found == map.fields.end() ? nullptr : &found->second;
}

void remove_field(YamlNode& map, std::string_view key) {
    for (std::size_t i = 0; i < map.fields.size(); ++i) {
        if (map.fields[i].first == key) {
            map.fields.erase(map.fields.begin() + static_cast<std::ptrdiff_t>(i));
            map.key_locations.erase(map.key_locations.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
    }
}

void set_field(YamlNode& map, const std::string& key, const YamlNode& value,
               const SourceLocation& where) {
    if (YamlNode* const present = find_field(map, key)) {
        *present = value;
        return;
    }
    map.fields.emplace_back(key, value);
    map.key_locations.push_back(where);
}

/// A list of the child after the parent's. What is no list is left for the reader to report.
void append(YamlNode& map, const std::string& key, const YamlNode& value,
            const SourceLocation& where) {
    YamlNode* const present = find_field(map, key);
    if (present == nullptr || !present->is_sequence() || !value.is_sequence()) {
        set_field(map, key, value, where);
        return;
    }
    present->items.insert(present->items.end(), value.items.begin(), value.items.end());
}

/// `parameter: 3` and `parameter: {value: 3}` mean the same: the long form.
YamlNode long_form(const YamlNode& node) {
    if (node.is_map()) {
        return node;
    }
    YamlNode map;
    map.kind = YamlNode::Kind::map;
    map.where = node.where;
    map.fields.emplace_back("value", node);
    map.key_locations.push_back(node.where);
    return map;
}

void override_parameter(YamlNode& written, const YamlNode& child) {
    YamlNode merged = long_form(written);
    const YamlNode changes = long_form(child);
    merged.where = child.where;
    for (std::size_t i = 0; i < changes.fields.size(); ++i) {
        const auto& [key, value] = changes.fields[i];
        if (key == "value" || key == "cases") {
            remove_field(merged, key == "value" ? "cases" : "value");
        }
        set_field(merged, key, value, changes.key_locations[i]);
    }
    written = std::move(merged);
}

void override_parameters(YamlNode& parent, const YamlNode& child, DiagnosticSink& sink) {
    if (!child.is_map()) {
        sink.error(child.where, "parameters must be a map");
        return;
    }
    YamlNode* const parameters = find_field(parent, "parameters");
    std::vector<std::string> names;
    if (parameters != nullptr) {
        for (const auto& field : parameters->fields) {
            names.push_back(field.first);
        }
    }
    for (std::size_t i = 0; i < child.fields.size(); ++i) {
        const auto& [name, node] = child.fields[i];
        YamlNode* const written = parameters == nullptr ? nullptr : find_field(*parameters, name);
        if (written != nullptr) {
            override_parameter(*written, node);
            continue;
        }
        const std::string near = nearest_name(name, names);
        sink.error(child.key_locations[i],
                   fmt::format("the kernel it inherits has no parameter '{}'", name),
                   near.empty() ? "only its parameters can be given other values"
                                : fmt::format("did you mean '{}'?", near));
    }
}

}  // namespace

std::string parent_of(const YamlNode& child, DiagnosticSink& sink) {
    const YamlNode* const schema = child.find("schema");
    const YamlNode* const named = child.find("inherits");
    const bool pipeline = schema != nullptr && schema->scalar.rfind("warpline-pipeline/", 0) == 0;
    if (named == nullptr || !pipeline) {
        return {};
    }
    if (!named->is_scalar() || named->scalar.empty()) {
        sink.error(named->where, "'inherits' must be the id of a pipeline file");
        return {};
    }
    return named->scalar;
}

fs::path find_parent(const std::string& parent, const fs::path& child, const fs::path& data_dir) {
    std::error_code ignored;
    if (fs::path(parent).extension() == ".yaml") {
        fs::path path = child.parent_path() / parent;
        return fs::exists(path, ignored) ? path : fs::path{};
    }
    if (fs::path(parent).filename() != parent) {
        return {};
    }
    for (const fs::path& folder : std::array{child.parent_path(), data_dir / "pipelines"}) {
        fs::path path = folder / (parent + ".yaml");
        if (fs::exists(path, ignored)) {
            return path;
        }
    }
    return {};
}

YamlNode inherit(YamlNode parent, const YamlNode& child, DiagnosticSink& sink) {
    sink.check_keys(child,
                    {"schema", "inherits", "title", "source", "notes", "assumptions", "dtypes",
                     "parameters", "checks"},
                    "a pipeline file that inherits");
    for (std::size_t i = 0; i < child.fields.size(); ++i) {
        const auto& [key, value] = child.fields[i];
        if (key == "parameters") {
            override_parameters(parent, value, sink);
        } else if (key == "notes" || key == "assumptions" || key == "checks") {
            append(parent, key, value, child.key_locations[i]);
        } else if (key == "schema" || key == "title" || key == "source" || key == "dtypes") {
            set_field(parent, key, value, child.key_locations[i]);
        }
    }
    return parent;
}

}  // namespace warpline
