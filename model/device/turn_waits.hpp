// What waiting for turns adds to a placement, for kernels that take any.
#pragma once

#include "warpline/device/place_tiles.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

#include <optional>
#include <string>

namespace warpline {

/// `placed`, whose tiles are cut from the problem by its mask, with the waits of its tiles. Nothing
/// for kernels that take no turns, without the mechanism, and for CTAs that stay and take one tile
/// after the other, whose waits are not modelled. Errors: those of measure_turn_pace().
[[nodiscard]] Result<std::optional<Placement>> with_turn_waits(
    const Placement& placed, const GpuSpec& spec, const KernelPlan& plan,
    const AttentionProblem& problem, const TileTimes& times, const MemoryEnvironment& memory,
    const EngineOptions& options);

/// One sentence for the assumptions, nothing where no turn is taken or the mechanism is off.
[[nodiscard]] std::optional<std::string> turn_assumption(const KernelPlan& plan, bool waited,
                                                         double share_of_time,
                                                         const EngineOptions& options);

}  // namespace warpline
