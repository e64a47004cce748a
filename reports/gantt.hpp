// The steady state of a schedule as plain text.
#pragma once

#include "warpline/engine/schedule.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <cstddef>
#include <string>

namespace warpline {

/// One row for each warp of the first resident cluster and each unit that served it, over one
/// steady period, or over the whole run when the engine found none. Each operation label has a
/// letter, explained below the chart; '.' is waiting, blank is nothing. A cell shows what took the
/// most of its time. Empty when no events were recorded. At most `width` columns, at least 60.
[[nodiscard]] std::string gantt_text(const KernelPlan& plan, const Schedule& schedule,
                                     std::size_t width = 100);

}  // namespace warpline
