// Tiles that begin together ask HBM together.
#pragma once

#include "warpline/device/cluster_slots.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

#include <vector>

namespace warpline {

/// How much later, in ticks, than on an idle GPU the last byte of a tile's own inputs (those that
/// no other tile reads: Q forward, K and V backward) arrives from HBM. Tiles of one class take one
/// time, so all SMs begin the next at once, and a wave's inputs come at HBM's rate in place of each
/// SM's own. An SM falls out of step with the first tile that differs from the others'; the wait is
/// the mean over its tiles. `clock` is the SMs'.
[[nodiscard]] Tick burst_delay(const GpuSpec& spec, const KernelPlan& plan,
                               const AttentionProblem& problem, const std::vector<HeadTiles>& tiles,
                               const ClusterSlots& slots, const ClockHz& clock);

}  // namespace warpline
