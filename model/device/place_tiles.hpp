// Tiles over the GPU's slots: who works on what, and when the last one is done.
#pragma once

#include "warpline/device/cluster_slots.hpp"
#include "warpline/device/tile_times.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/workload/tiling.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// What a cluster pays beside its tiles, ticks.
struct LaunchCost {
    double start = 0.0;  ///< launch to first instruction
    double exit = 0.0;   ///< last operation to a free slot
};

[[nodiscard]] LaunchCost launch_cost(const GpuSpec& spec);

/// All times are ticks.
struct Placement {
    std::int64_t tiles = 0;
    std::int64_t slots = 0;
    std::int64_t slots_used = 0;
    double waves = 0.0;        ///< tiles / slots
    double makespan = 0.0;     ///< first launch to last exit
    double mean_active = 0.0;  ///< mean over all SMs of the time with a resident CTA
    double tail = 0.0;         ///< makespan less the mean over all slots of their last exit
    /// The true makespan of this order is within this of `makespan`; 0: placed tile by tile.
    double makespan_error = 0.0;
    double turn_wait = 0.0;  ///< of the makespan: tiles waited for their turns, see place_in_turn()
};

/// From the end of each slot's last tile: makespan, mean_active and tail.
void summarize_ends(Placement& out, const std::vector<double>& ends, const ClusterSlots& slots);

/// single_tile: list scheduling, each tile to the slot that is free first (ties: lowest slot),
/// every tile with its own start and exit. static_persistent: tile i to slot i % slots, one start
/// and exit a slot; a sequence of tiles takes the sum of their steady times plus what filling and
/// draining add, measured on the class of its last tile. dynamic_persistent: the same, with each
/// tile to the slot that is free first by steady times.
///
/// Runs of equal tiles are placed a round at a time, so the work grows with the changes of class,
/// not with the tiles. Above about 10^6 steps list scheduling falls back to Graham's bounds on list
/// scheduling: the middle between max(total / slots, longest) and total / slots + longest, and half
/// their distance as the error. static_persistent deals tiles out: its bounds give every slot the
/// mean of the work, and of each run of equal tiles one more than the whole part of its share.
/// Errors: infeasible when there are more than 2^62 tiles.
[[nodiscard]] Result<Placement> place_tiles(const std::vector<HeadTiles>& tiles,
                                            const TileTimes& times, TileScheduler scheduler,
                                            const ClusterSlots& slots, const LaunchCost& launch);

}  // namespace warpline
