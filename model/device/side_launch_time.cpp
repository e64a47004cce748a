#include "warpline/device/side_launch_time.hpp"

#include <algorithm>

namespace warpline {

double side_launch_seconds(const SideLaunch& launch, const GpuSpec& spec, const ClockHz& clock) {
    const double hertz = boost::rational_cast<double>(clock);
    const double through_l2 = launch.bytes_read + launch.bytes_written;
    const double from_hbm = launch.bytes_read * (1.0 - launch.cached) + launch.bytes_written;
    const double l2_rate =
        spec.memory.l2_bytes_per_clk_per_sm * static_cast<double>(spec.sm_count) * hertz;
    const double hbm_rate = spec.memory.hbm_bytes_per_second;
    const double moving = std::max(l2_rate > 0.0 ? through_l2 / l2_rate : 0.0,
                                   hbm_rate > 0.0 ? from_hbm / hbm_rate : 0.0);
    const double issue_slots =
        static_cast<double>(spec.sm_count) * static_cast<double>(spec.sub_partitions) * hertz;
    const double issuing = launch.instructions / issue_slots;
    const double trip = cycles_from_ticks(spec.tma.hbm_latency) / hertz;
    return spec.launch.graph_kernel_seconds + std::max(moving, issuing) + trip;
}

}  // namespace warpline
