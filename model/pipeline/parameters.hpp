// The `parameters` section.
#pragma once

#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/values.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpline {

/// Names and values, by name.
using NameValues = std::map<std::string, double>;

struct Parameter {
    std::string name;
    double value = 0.0;
    std::optional<double> at_least, at_most, multiple_of;
    /// Values that a design may have, sorted; empty: not a matter of choice.
    std::vector<double> choices;
    bool overridden = false;
    bool tunable = false;  ///< has limits or a literal value: something to choose, not a result
    /// Names of the problem and of parameters before that it asked for, and their values then.
    std::vector<std::pair<std::string, double>> asked;
};

/// Whether the value keeps to the parameter's limits.
[[nodiscard]] bool within_limits(const Parameter& parameter, double value);

/// Resolves the parameters in the order written and makes each a name for what follows. An
/// override replaces the value, not the limits. Reports an unknown override as a usage problem, and
/// a value outside its limits as a usage problem (overridden) or as infeasible (from the file).
/// `known`: what the same section, overrides and GPU resolved to for another problem, without
/// errors; a parameter whose `asked` all have their values again is taken from there.
[[nodiscard]] std::vector<Parameter> resolve_parameters(
    const YamlNode* section, const std::vector<ParameterOverride>& overrides, ValueReader& reader,
    const std::vector<Parameter>& known = {});

}  // namespace warpline
