// The events of one tile: for timelines.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/engine/releases.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"
#include "warpline/workload/block_lists.hpp"

#include <cstdint>
#include <optional>

namespace warpline {

/// The problem's tile with most loop steps on an otherwise idle GPU, every iteration recorded; with
/// `lists`, the tile with most listed blocks. Errors: those of the engine and of
/// check_block_lists(); infeasible when the tile needs more than four million events.
[[nodiscard]] Result<Schedule> record_longest_tile(
    const GpuSpec& spec, const KernelPlan& plan, const AttentionProblem& problem,
    EngineOptions options = {}, const std::optional<BlockLists>& lists = std::nullopt);

/// Whether the repeating part of a long loop is recorded step by step, or only until it repeats.
enum class Iterations : std::uint8_t { all, folded };

/// The same tile with the arrivals that ended its waits. Errors: the same.
[[nodiscard]] Result<Recording> record_tile(const GpuSpec& spec, const KernelPlan& plan,
                                            const AttentionProblem& problem, EngineOptions options,
                                            Iterations iterations,
                                            const std::optional<BlockLists>& lists = std::nullopt);

}  // namespace warpline
