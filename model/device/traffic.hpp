// Bytes that a problem moves, and the time HBM needs at least.
#pragma once

#include "warpline/device/trip_curve.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/workload/attention.hpp"

namespace warpline {

struct Traffic {
    double l2_bytes = 0.0;     ///< between L2 and all SMs, as the kernel's copies say
    double hbm_bytes = 0.0;    ///< compulsory: each input and output once
    double l2_cycles = 0.0;    ///< l2_bytes at what L2 gives to all SMs together
    double hbm_seconds = 0.0;  ///< hbm_bytes at the sustained bandwidth
};

/// A first estimate: every block that is read again is found in L2, and L2 and HBM serve their
/// bytes at their sustained rates, spread over the whole kernel: SMs burst at different times.
[[nodiscard]] Traffic estimate_traffic(const AttentionProblem& problem, const GpuSpec& spec,
                                       const TileCost& total);

}  // namespace warpline
