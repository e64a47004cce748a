// A prediction over lists of blocks in place of a mask.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/workload/block_lists.hpp"

#include <optional>

namespace warpline {

class ScheduleMemo;

/// predict(), over the listed blocks: they are what is visited and what is counted. Without lists,
/// predict() itself. Schedules are remembered in `memo` from one prediction to the next, which
/// changes no answer; null: nowhere. Errors: also those of check_block_lists().
[[nodiscard]] Result<Prediction> predict_listed(const GpuSpec& spec, const KernelPlan& plan,
                                                const AttentionProblem& problem,
                                                const std::optional<BlockLists>& lists,
                                                const PredictOptions& options = {},
                                                ScheduleMemo* memo = nullptr);

}  // namespace warpline
