// Tiles that begin together ask HBM together.
#pragma once

#include "warpline/device/cluster_slots.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

#include <vector>

namespace warpline {

/// What it costs a tile that others begin with it. Tiles of one class take one time, so all SMs
/// begin the next at once, until an SM first has a tile that differs from the others'.
struct TileBurst {
    /// How much later than on an idle GPU the last byte of a tile's own inputs (those that no other
    /// tile reads: Q forward, K and V backward) arrives from HBM, the mean over an SM's tiles: a
    /// wave's inputs come at HBM's rate in place of each SM's own.
    Tick delay = 0;
    double in_step = 0.0;  ///< share of an SM's tiles that begin with those of the others
};

/// `clock` is the SMs'.
[[nodiscard]] TileBurst tile_burst(const GpuSpec& spec, const KernelPlan& plan,
                                   const AttentionProblem& problem,
                                   const std::vector<HeadTiles>& tiles, const ClusterSlots& slots,
                                   const ClockHz& clock);

}  // namespace warpline
