// Tiles that take turns: who waits for whom over the whole GPU, and when the last one is done.
#pragma once

#include "warpline/device/place_tiles.hpp"
#include "warpline/device/turn_times.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

namespace warpline {

/// What waiting for turns makes of `placed`, which knows of none: a deterministic backward kernel
/// adds to each block of dQ in a fixed order, that in which its tiles of keys are launched.
///
/// Each tile goes to the slot that is free first, as for a single_tile kernel, and takes its turns
/// (see take_turns) as the tiles of its head before it passed them on. Every tile waits only for
/// tiles launched before it, so one pass in launch order gives all times, and no order of launch
/// can deadlock. Times of a tile's blocks are kept as straight stretches, so that the work grows
/// with tiles and changes of pace, not with blocks, and the memory with the heads of one group.
/// Beyond 2^18 tiles the first ones stand for all: what waiting makes of them, it makes of the
/// whole.
[[nodiscard]] Placement place_in_turn(Placement placed, const AttentionProblem& problem,
                                      const TileShape& shape, const TileTimes& times,
                                      const TurnPace& pace, const ClusterSlots& slots,
                                      const LaunchCost& launch);

}  // namespace warpline
