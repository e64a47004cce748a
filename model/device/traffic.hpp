// Bytes that a problem moves, and the time HBM needs at least.
#pragma once

#include "warpline/device/trip_curve.hpp"
#include "warpline/hardware/gpu_spec.hpp"

namespace warpline {

struct Traffic {
    double l2_bytes = 0.0;     ///< between L2 and all SMs, as the kernel's copies say
    double hbm_bytes = 0.0;    ///< each input and output once, and what is read again
    double l2_cycles = 0.0;    ///< l2_bytes at what L2 gives to all SMs together
    double hbm_seconds = 0.0;  ///< hbm_bytes at the sustained bandwidth
};

/// L2 serves what the copies move, HBM `hbm_bytes` (see share_memory()), at their sustained rates
/// and spread over the whole kernel: SMs burst at different times.
[[nodiscard]] Traffic estimate_traffic(double hbm_bytes, const GpuSpec& spec,
                                       const TileCost& total);

}  // namespace warpline
