// The designs of a kernel, ranked: for a person at a terminal, and for machines.
#pragma once

#include "warpline/planner/plan_designs.hpp"
#include "warpline/reports/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpline {

inline constexpr std::string_view plan_schema = "warpline-plan/1";

/// The `top` fastest designs with what each takes of every budget, why others do not fit, and how
/// to predict the best.
[[nodiscard]] std::string plan_text(const DesignPlan& plan, std::size_t top,
                                    const Style& style = {});

/// One line: the fastest design, its time and rate, what it takes of every budget, and its bound.
[[nodiscard]] std::string plan_headline(const DesignPlan& plan);

/// What plan_text() says, complete but for designs beyond `top`; the format is
/// reports/schema/plan-1.json.
[[nodiscard]] std::string plan_json(const DesignPlan& plan, std::size_t top);

}  // namespace warpline
