#include "warpline/device/traffic.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("L2 moves what the copies say, HBM what it is asked for, at their sustained rates") {
    GpuSpec spec;
    spec.memory.hbm_bytes_per_second = 7e12;
    spec.memory.hbm_peak_bytes_per_second = 8e12;
    TileCost total;
    total.bytes_read = 5e9;
    total.bytes_written = 1e9;
    const Traffic traffic = estimate_traffic(3e9, spec, total);
    CHECK(traffic.l2_bytes == 6e9);
    CHECK(traffic.hbm_bytes == 3e9);
    CHECK(traffic.hbm_seconds == traffic.hbm_bytes / 7e12);
}
