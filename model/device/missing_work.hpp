// Kernels that multiply less than what they are credited with: a fast kernel that skips its work.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

#include <optional>
#include <string>

namespace warpline {

/// Says so, where less is executed than counted. Both of one kernel, and without a mask: then
/// everything counted has to be multiplied, and padding and ragged ends only add to it.
[[nodiscard]] std::optional<std::string> missing_work(double executed_flops, double counted_flops);

/// The same for a tile of a few blocks; nothing under a mask. Errors: those of simulate().
[[nodiscard]] Result<std::optional<std::string>> missing_work_of_tile(
    const KernelPlan& plan, const AttentionProblem& problem, const MemoryEnvironment& memory);

}  // namespace warpline
