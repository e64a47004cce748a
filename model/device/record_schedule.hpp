// Every event of one tile, nothing folded away: for timelines.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

namespace warpline {

/// The problem's tile with most loop steps on an otherwise idle GPU, every iteration recorded.
/// Errors: those of the engine; infeasible when the tile needs more than four million events.
[[nodiscard]] Result<Schedule> record_longest_tile(const GpuSpec& spec, const KernelPlan& plan,
                                                   const AttentionProblem& problem,
                                                   EngineOptions options = {});

}  // namespace warpline
