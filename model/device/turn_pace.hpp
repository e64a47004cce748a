// How a kernel takes and passes turns, measured on one cluster.
#pragma once

#include "warpline/device/tile_times.hpp"
#include "warpline/device/turn_times.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <optional>

namespace warpline {

/// Whether tiles of the kernel take turns in an order of all tiles.
[[nodiscard]] bool takes_turns(const KernelPlan& plan);

/// From three runs of tiles with the masks of `like`: a short one, whose events say when each turn
/// is taken and passed on; a long one for the step; and the long one with turns that come late by
/// far more than a step, whose period less that delay is the shortest step of a late tile. Errors:
/// the engine's; infeasible when a turn that is taken is never passed on.
[[nodiscard]] Result<TurnPace> measure_turn_pace(const KernelPlan& plan, TileClass like,
                                                 const MemoryEnvironment& memory,
                                                 const EngineOptions& options);

}  // namespace warpline
