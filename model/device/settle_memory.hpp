// Loads wait the longer, the more of HBM's rate is in use; and the longer they wait, the less of it
// the kernel uses.
#pragma once

#include "warpline/device/memory_share.hpp"
#include "warpline/device/tile_burst.hpp"

#include <functional>

namespace warpline {

/// How much longer than on an idle GPU a load waits for HBM while SMs that are out of step use the
/// share `use` of its sustained rate (above 1: as 1), `written` of it for writes: by use^2 times
/// the mean of memory.hbm_queue_reads and memory.hbm_queue_writes over the bytes. That is how long
/// bulk loads of tiles of several lengths wait on an H200 from a fifth to 85 % of the rate. Source:
/// validate/measured/micro/h200.csv, tile_loads_*.
[[nodiscard]] Tick hbm_wait(const GpuSpec& spec, double use, double written);

/// What the tiles do to memory when they are placed in some environment.
struct MemoryUse {
    MemoryShare share;
    double hbm_use = 0.0;         ///< of HBM's sustained rate, over the makespan
    double makespan = 0.0;        ///< ticks
    double tiles_per_slot = 0.0;  ///< each slot's, on average
};

/// Places the tiles in an environment. What it found last stays in force.
using PlaceTilesIn = std::function<Result<MemoryUse>(const MemoryEnvironment&)>;

struct SettledMemory {
    MemoryEnvironment environment;  ///< the one in which `place` was called last
    Tick wait = 0;  ///< for HBM, beyond an idle GPU's latency: a tile's mean, by chance alone
};

/// The environment whose waits are those of the use that the tiles make of HBM in it, to within a
/// tenth or 64 clocks. A handful of placements at most: where a small change of a wait changes the
/// times by much, as when warps lock into another phase, the last one stands. Errors: those of
/// `place`.
[[nodiscard]] Result<SettledMemory> settle_memory(const GpuSpec& spec, const TileBurst& burst,
                                                  const PlaceTilesIn& place);

}  // namespace warpline
