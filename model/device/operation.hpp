// An operation as a user calls it: the main kernel and the kernels before and after it.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/side_launch.hpp"
#include "warpline/workload/block_lists.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpline {

class ScheduleMemo;

struct Operation {
    KernelPlan plan;                                  ///< of the main kernel
    std::vector<SideLaunch> launches;                 ///< in the order of the pipeline file
    std::optional<BlockLists> blocks = std::nullopt;  ///< visited in place of a mask
};

/// The plan that make_plan() gives, and the file's launches. Errors: those of make_plan().
[[nodiscard]] Result<Operation> make_operation(
    const PipelineSource& source, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides = {});

/// The main kernel's prediction, with the time of every launch in its seconds, rates and
/// assumptions; its cycles stay those of the main kernel. Schedules are remembered in `memo`; null:
/// nowhere. Errors: those of predict().
[[nodiscard]] Result<Prediction> predict_operation(const GpuSpec& spec, const Operation& operation,
                                                   const AttentionProblem& problem,
                                                   const PredictOptions& options = {},
                                                   ScheduleMemo* memo = nullptr);

}  // namespace warpline
