#include "warpline/device/traffic.hpp"

namespace warpline {

Traffic estimate_traffic(double hbm_bytes, const GpuSpec& spec, const TileCost& total) {
    Traffic traffic;
    traffic.l2_bytes = total.bytes_read + total.bytes_written;
    traffic.l2_cycles = traffic.l2_bytes /
                        (spec.memory.l2_bytes_per_clk_per_sm * static_cast<double>(spec.sm_count));
    traffic.hbm_bytes = hbm_bytes;
    if (spec.memory.hbm_bytes_per_second > 0.0) {
        traffic.hbm_seconds = traffic.hbm_bytes / spec.memory.hbm_bytes_per_second;
    }
    return traffic;
}

}  // namespace warpline
