// The steady state of a schedule in a terminal.
#pragma once

#include "warpline/engine/schedule.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/reports/text.hpp"

#include <cstddef>
#include <string>

namespace warpline {

/// One row for each warp of the first resident cluster and each unit that served it, over one
/// steady period, or over the whole run when the engine found none. Each operation label has a
/// letter, explained below the chart; '.' is waiting, blank is nothing. A cell shows what took the
/// most of its time; in colour, each letter has one beside it. Empty when no events were recorded.
/// At most `width` columns, at least 60.
[[nodiscard]] std::string gantt_text(const KernelPlan& plan, const Schedule& schedule,
                                     const Style& style = {}, std::size_t width = 80);

}  // namespace warpline
