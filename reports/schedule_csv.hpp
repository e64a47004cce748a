// Every recorded event of a schedule, for spreadsheets and scripts.
#pragma once

#include "warpline/engine/schedule.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <string>

namespace warpline {

/// One line an event under a header line: what was recorded, so of four warps that do the same, one
/// to a sub-partition, the first, and of iterations all only where none was folded. Times are
/// cycles, exact (a tick is 0.0625). `copy` is the index of the role's copy, empty for a role
/// without copies; `iteration` is empty outside loops.
[[nodiscard]] std::string schedule_csv(const KernelPlan& plan, const Schedule& schedule);

}  // namespace warpline
