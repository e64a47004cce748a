// How many clusters run at a time, and where.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"

#include <cstdint>

namespace warpline {

/// Slots are numbered position fastest: slot i is the (i / positions)-th resident of position
/// i % positions, so that a GPU fills its SMs before it doubles up on any.
struct ClusterSlots {
    std::int64_t positions = 0;  ///< sets of `cluster` SMs inside one GPC
    std::int64_t residents = 1;  ///< clusters on one position at a time
    std::int64_t cluster = 1;    ///< SMs of a position
    std::int64_t sm_count = 0;   ///< of the GPU; some may fit no cluster

    [[nodiscard]] std::int64_t slots() const { return positions * residents; }
};

/// A cluster lives in one GPC: where the SMs of each GPC are known, the remainders of each are
/// lost; else the GPU is taken as one. Errors: infeasible when no position fits.
[[nodiscard]] Result<ClusterSlots> cluster_slots(const GpuSpec& spec, std::int64_t cluster,
                                                 std::int64_t ctas_per_sm);

}  // namespace warpline
