// One file of hw_specs, checked and flattened: dotted keys with their texts and evidence.
#pragma once

#include "warpline/diagnostics/strict_yaml.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/hardware/spec_schema.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpline {

/// A constant as a file states it, already parsed by its rule.
struct StatedConstant {
    Constant constant;
    ConstantValue value;
};

/// What one file says about an instruction; fields it does not name are inherited.
struct StatedInstruction {
    std::optional<Unit> unit;
    SourceLocation where;
};

/// One file, or a file merged over those it inherits.
struct SpecFile {
    std::string title;
    std::string inherits;  ///< empty at the root of a family
    SourceLocation where;
    SourceLocation inherits_where;
    std::string arch;
    std::vector<std::string> capabilities;
    std::map<std::string, StatedConstant> constants;  ///< "smem.width", "mufu.ex2.rate"
    std::map<std::string, StatedInstruction> instructions;

    /// Lays `child` over this: what it states replaces what is here. A list of capabilities
    /// replaces the whole list.
    void override_with(SpecFile child);
};

/// Interprets a document. Problems go to `sink`, all of them; what could be read is returned.
[[nodiscard]] SpecFile read_spec_file(const YamlNode& root, DiagnosticSink& sink);

/// A constant of `key` ("mufu.ex2.rate" for an instruction) from its text; nothing, and a report to
/// `sink` that names the key, when the text is wrong.
[[nodiscard]] std::optional<StatedConstant> state_constant(const SpecKey& rule,
                                                           const std::string& key,
                                                           const std::string& text,
                                                           const SourceLocation& where,
                                                           DiagnosticSink& sink);

}  // namespace warpline
