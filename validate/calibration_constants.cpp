#include "warpline/validate/calibration_constants.hpp"

#include "warpline/hardware/spec_schema.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

/// Times are whole ticks: a step of a few per cent is more than one tick of most constants.
constexpr double step_share = 0.05;
constexpr double unseen_change = 1e-9;  ///< of a residual; predictions are bit-exact

/// The rule of a complete key, which is that of a constant or ends in a field of an instruction.
[[nodiscard]] const SpecKey* rule_of(const std::string& key) {
    if (const SpecKey* rule = find_spec_key(key)) {
        return rule;
    }
    const std::string field = key.substr(key.rfind('.') + 1);
    const auto& fields = instruction_fields();
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const SpecKey& known) { return known.key == field; });
    return found == fields.end() ? nullptr : &*found;
}

void refuse(Failure& failure, std::string message, std::string hint,
            const SourceLocation& where = {}) {
    Diagnostic problem;
    problem.where = where;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    failure.diagnostics.push_back(std::move(problem));
}

/// Adds to `failure` why `constant` cannot be fitted, and returns whether it can.
[[nodiscard]] bool check_fit(const Constant& constant, Failure& failure) {
    const SpecKey* const rule = rule_of(constant.key);
    if (rule == nullptr || rule->rule.form != ConstantForm::quantity || rule->rule.whole) {
        refuse(failure, fmt::format("{} is not a continuous quantity", constant.key),
               "clocks are fitted to rows without one; counts and choices are known",
               constant.where);
        return false;
    }
    if (!constant.low || !constant.high || *constant.low >= *constant.high) {
        refuse(failure, fmt::format("{} states no interval to fit it in", constant.key),
               "its interval is the physical range: LOW .. HIGH UNIT", constant.where);
        return false;
    }
    return true;
}

void refuse_unknown(const GpuSpec& spec, const std::string& name, Failure& failure) {
    std::vector<std::string> keys;
    for (const auto& [key, unused] : spec.constants) {
        keys.push_back(key);
    }
    const std::string near = nearest_name(name, keys);
    refuse(failure, fmt::format("{} has no constant '{}'", spec.id, name),
           near.empty() ? fmt::format("`warpline specs {}` lists them", spec.id)
                        : fmt::format("did you mean {}?", near));
}

[[nodiscard]] std::string names_of(const std::vector<Constant>& constants,
                                   const std::vector<std::size_t>& which) {
    std::vector<std::string> names;
    for (const std::size_t j : which) {
        names.push_back(constants[j].key);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<std::vector<Constant>> constants_to_fit(const GpuSpec& spec,
                                               const std::vector<std::string>& names) {
    Failure failure{FailureKind::usage, {}};
    std::vector<Constant> constants;
    std::set<std::string> seen;
    for (const std::string& name : names) {
        auto known = spec.constants.find(name);
        known = known != spec.constants.end() ? known : spec.constants.find(name + ".rate");
        if (known == spec.constants.end()) {
            refuse_unknown(spec, name, failure);
        } else if (!seen.insert(known->first).second) {
            refuse(failure, fmt::format("{} is named twice", known->first), "");
        } else if (check_fit(known->second, failure)) {
            constants.push_back(known->second);
        }
    }
    if (names.empty()) {
        refuse(failure, "no constant to fit is named", "--fit NAME,...");
    }
    if (!failure.diagnostics.empty()) {
        return tl::unexpected(std::move(failure));
    }
    return constants;
}

std::vector<BoundedUnknown> unknowns_of(const std::vector<Constant>& constants) {
    std::vector<BoundedUnknown> unknowns;
    for (const Constant& constant : constants) {
        const double range = *constant.high - *constant.low;
        unknowns.push_back({constant.value, *constant.low, *constant.high,
                            step_share * std::max(std::abs(constant.value), range)});
    }
    return unknowns;
}

bool moves(const Residuals& change) {
    return std::any_of(change.begin(), change.end(),
                       [](double one) { return std::abs(one) > unseen_change; });
}

Result<void> check_seen(const std::vector<Constant>& constants,
                        const std::vector<Residuals>& derivatives,
                        const std::vector<BoundedUnknown>& unknowns) {
    std::vector<std::size_t> unseen;
    for (std::size_t j = 0; j < derivatives.size(); ++j) {
        Residuals change = derivatives[j];
        for (double& one : change) {
            one *= unknowns[j].step;
        }
        if (!moves(change)) {
            unseen.push_back(j);
        }
    }
    if (!unseen.empty()) {
        return fail(FailureKind::infeasible,
                    fmt::format("no row sees {}", names_of(constants, unseen)),
                    "predictions of the rows do not move with it; fit it to rows that use it");
    }
    if (const auto indistinct = indistinct_unknowns(derivatives); !indistinct.empty()) {
        return fail(
            FailureKind::infeasible,
            fmt::format("the rows cannot tell these apart: {}", names_of(constants, indistinct)),
            "fit fewer of them, or add rows in which they differ");
    }
    return {};
}

std::string quantity_text(double value, const std::string& unit, int digits) {
    return fmt::format("{:.{}g} {}", value, digits, unit);
}

}  // namespace warpline
