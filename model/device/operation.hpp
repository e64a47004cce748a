// An operation as a user calls it: the main kernel, or several that run one after the other, and
// the kernels before and after.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/side_launch.hpp"
#include "warpline/workload/block_lists.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpline {

class ScheduleMemo;

struct Operation {
    /// Of the main kernel; where there are several, names, parameters and assumptions alone.
    KernelPlan plan;
    std::vector<SideLaunch> launches;                 ///< in the order of the pipeline file
    std::optional<BlockLists> blocks = std::nullopt;  ///< visited in place of a mask
    std::vector<KernelPlan> kernels = {};  ///< that run one after the other; empty: `plan` alone
};

/// The kernels that a file names, in its order and each as `lower(index)` gives it, as one
/// operation. Precondition: the file names kernels. Errors: those of operation_head() and `lower`.
[[nodiscard]] Result<Operation> operation_of_kernels(
    const PipelineSource& source, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides,
    const std::function<Result<KernelPlan>(std::size_t index)>& lower);

/// The plan that make_plan() gives, or those of all kernels that the file names, and the file's
/// launches. Errors: those of make_plan() and operation_head().
[[nodiscard]] Result<Operation> make_operation(
    const PipelineSource& source, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides = {});

/// The main kernel's prediction, or the sum of all kernels', with the time of every launch in its
/// seconds, rates and assumptions; its cycles stay those of the main kernels. A kernel after the
/// first is queued behind it and costs what one inside a graph costs. Schedules are remembered in
/// `memo`; null: nowhere. Errors: those of predict().
[[nodiscard]] Result<Prediction> predict_operation(const GpuSpec& spec, const Operation& operation,
                                                   const AttentionProblem& problem,
                                                   const PredictOptions& options = {},
                                                   ScheduleMemo* memo = nullptr);

}  // namespace warpline
