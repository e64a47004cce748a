#include "warpline/hardware/spec_file.hpp"

#include "warpline/hardware/spec_groups.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr const char* schema_name = "warpline-hardware/1";

void read_header(const YamlNode& root, SpecFile& file, DiagnosticSink& sink) {
    const auto schema = sink.require_text(root, "schema", "a hardware specification");
    if (schema && *schema != schema_name) {
        sink.error(root.find("schema")->where, fmt::format("schema '{}' is not known", *schema),
                   fmt::format("this version reads {}", schema_name));
    }
    file.title = sink.require_text(root, "title", "a hardware specification").value_or("");
    if (root.find("inherits") != nullptr) {
        file.inherits = sink.require_text(root, "inherits", "the file").value_or("");
        file.inherits_where = root.find("inherits")->where;
    }
    if (root.find("arch") != nullptr) {
        file.arch = sink.require_text(root, "arch", "the file").value_or("");
    }
}

void read_capabilities(const YamlNode& list, SpecFile& file, DiagnosticSink& sink) {
    if (!list.is_sequence()) {
        sink.error(list.where, "'capabilities' must be a list, e.g. [tma, cluster]");
        return;
    }
    for (const YamlNode& item : list.items) {
        const auto& known = known_capabilities();
        if (!item.is_scalar() || !std::binary_search(known.begin(), known.end(), item.scalar)) {
            const std::string nearest = nearest_name(item.scalar, known);
            sink.error(item.where, fmt::format("unknown capability '{}'", item.scalar),
                       nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
        } else if (std::find(file.capabilities.begin(), file.capabilities.end(), item.scalar) !=
                   file.capabilities.end()) {
            sink.error(item.where, fmt::format("capability '{}' twice", item.scalar));
        } else {
            file.capabilities.push_back(item.scalar);
        }
    }
}

/// What a file may have: keys that begin with x- are the author's own notes.
std::vector<std::string> allowed_keys(const YamlNode& root) {
    std::vector<std::string> keys{"schema",       "title",     "inherits",    "arch",
                                  "capabilities", "constants", "instructions"};
    for (const auto& field : root.fields) {
        if (field.first.rfind("x-", 0) == 0) {
            keys.push_back(field.first);
        }
    }
    return keys;
}

}  // namespace

void SpecFile::override_with(SpecFile child) {
    title = std::move(child.title);
    where = std::move(child.where);
    inherits.clear();
    if (!child.arch.empty()) {
        arch = std::move(child.arch);
    }
    if (!child.capabilities.empty()) {
        capabilities = std::move(child.capabilities);
    }
    for (auto& [key, stated] : child.constants) {
        constants[key] = std::move(stated);
    }
    for (auto& [name, stated] : child.instructions) {
        StatedInstruction& mine = instructions[name];
        mine.unit = stated.unit ? stated.unit : mine.unit;
        mine.where = stated.where;
    }
}

std::optional<StatedConstant> state_constant(const SpecKey& rule, const std::string& key,
                                             const std::string& text, const SourceLocation& where,
                                             DiagnosticSink& sink) {
    const auto value = parse_constant(rule.rule, text);
    if (!value) {
        const Diagnostic& problem = value.error().diagnostics.front();
        sink.error(where, fmt::format("{}: {}", key, problem.message), problem.hint);
        return std::nullopt;
    }
    StatedConstant stated;
    stated.value = *value;
    Constant& constant = stated.constant;
    constant.key = key;
    constant.text = text;
    constant.value = value->number;
    constant.unit = rule.rule.unit;
    constant.meaning = rule.meaning;
    constant.where = where;
    return stated;
}

SpecFile read_spec_file(const YamlNode& root, DiagnosticSink& sink) {
    SpecFile file;
    file.where = root.where;
    if (!root.is_map()) {
        sink.error(root.where, "a hardware specification must be a map");
        return file;
    }
    sink.check_keys(root, allowed_keys(root), "a hardware specification");
    read_header(root, file, sink);
    if (const YamlNode* list = root.find("capabilities")) {
        read_capabilities(*list, file, sink);
    }
    if (const YamlNode* group = root.find("constants")) {
        read_constants(*group, file, sink);
    }
    if (const YamlNode* group = root.find("instructions")) {
        read_instructions(*group, file, sink);
    }
    return file;
}

}  // namespace warpline
