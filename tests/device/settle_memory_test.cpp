#include "warpline/device/settle_memory.hpp"

#include "source_dir.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/validate/micro_rows.hpp"

#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace warpline;

namespace {

GpuSpec gpu() {
    GpuSpec spec;
    spec.tma.l2_latency = ticks_from_cycles(400);
    spec.tma.hbm_latency = ticks_from_cycles(900);
    spec.memory.hbm_queue_reads = ticks_from_cycles(1000);
    spec.memory.hbm_queue_writes = ticks_from_cycles(5000);
    return spec;
}

double cycles_beyond_idle(const MemoryEnvironment& memory) {
    return cycles_from_ticks(memory.miss_latency - gpu().tma.hbm_latency);
}

/// Ten tiles a slot that use HBM to `use` of its rate when none waits, and each of which takes as
/// much longer as a load waits.
struct Tiles {
    double use;
    double miss_share = 0.0;
    int placements = 0;
    double waited = 0.0;

    Result<MemoryUse> operator()(const MemoryEnvironment& memory) {
        ++placements;
        waited = cycles_beyond_idle(memory);
        MemoryUse out;
        const double tile = 10000.0 + waited;
        out.share.environment = idle_memory(gpu());
        out.share.miss_share = miss_share;
        out.share.hbm_bytes = 4.0;
        out.share.hbm_written = 1.0;
        out.tiles_per_slot = 10.0;
        out.makespan = 10.0 * tile * static_cast<double>(ticks_per_cycle);
        out.hbm_use = use * 10000.0 / tile;
        return out;
    }
};

}  // namespace

TEST_CASE(
    "a load waits by the square of the use, longer beside writes, no longer than where HBM is "
    "busy") {
    CHECK(cycles_from_ticks(hbm_wait(gpu(), 0.5, 0.0)) == doctest::Approx(250.0));
    CHECK(cycles_from_ticks(hbm_wait(gpu(), 0.5, 0.25)) == doctest::Approx(500.0));
    CHECK(hbm_wait(gpu(), 3.0, 0.0) == gpu().memory.hbm_queue_reads);
    CHECK(hbm_wait(gpu(), 1.0, 1.0) == gpu().memory.hbm_queue_writes);
    CHECK(hbm_wait(gpu(), 0.0, 0.5) == 0);
    CHECK(hbm_wait(GpuSpec{}, 1.0, 0.5) == 0);
}

TEST_CASE("the wait and the use it leaves settle on one another") {
    Tiles tiles{0.8};
    const auto settled = settle_memory(gpu(), {}, std::ref(tiles));
    REQUIRE(settled.has_value());
    // wait = 2000 (0.8 * 10000 / (10000 + wait))^2 has its root at 1051.
    CHECK(tiles.waited == doctest::Approx(1051.0).epsilon(0.06));
    CHECK(cycles_beyond_idle(settled->environment) == tiles.waited);
    CHECK(tiles.placements <= 3);
}

TEST_CASE("an idle HBM asks for one placement") {
    Tiles tiles{0.1};
    REQUIRE(settle_memory(gpu(), {}, std::ref(tiles)).has_value());
    CHECK(tiles.placements == 1);
    CHECK(tiles.waited == 0.0);
}

TEST_CASE("tiles that begin with all others wait for their burst, not for chance") {
    Tiles tiles{0.8};
    const TileBurst burst{ticks_from_cycles(320), 1.0};
    REQUIRE(settle_memory(gpu(), burst, std::ref(tiles)).has_value());
    CHECK(tiles.waited == 320.0);
}

TEST_CASE("streams that are read from HBM wait by the share that misses") {
    Tiles tiles{0.8, 0.5};
    const auto settled = settle_memory(gpu(), {}, std::ref(tiles));
    REQUIRE(settled.has_value());
    const double more = cycles_from_ticks(settled->environment.latency - gpu().tma.l2_latency);
    // L2's share of the latency is as on an idle GPU: what is left is half of the wait.
    CHECK(more == doctest::Approx(0.5 * tiles.waited).epsilon(0.05));
}

TEST_CASE("Hopper's constants are what tiles wait that only read, or write a quarter or a half") {
    const auto spec = load_gpu_spec(source_dir(), "h200");
    REQUIRE(spec.has_value());
    const auto rows =
        read_micro_rows(std::filesystem::path(source_dir()) / "validate/measured/micro/h200.csv");
    REQUIRE(rows.has_value());
    const auto value = [&](const std::string& name, int work) {
        return find_micro_row(*rows, fmt::format("{}_work_{}", name, work))->value;
    };
    const double rate =
        spec->memory.hbm_bytes_per_second / 1.98e9 / static_cast<double>(spec->sm_count);
    const auto wait = [&](const std::string& tile, double written, int work) {
        return cycles_from_ticks(
            hbm_wait(*spec, value("tile_traffic_" + tile, work) / rate, written));
    };
    struct Tiles {
        const char* name;
        double written;
        double within;
    };
    for (const Tiles& tiles : {Tiles{"32KiB", 0.0, 0.5}, Tiles{"96KiB_stored", 0.25, 0.2},
                               Tiles{"32KiB_stored", 0.5, 0.2}}) {
        for (const int work : {4000, 6000, 8000}) {
            CAPTURE(tiles.name);
            CAPTURE(work);
            const std::string loads = std::string("tile_loads_") + tiles.name;
            const double measured = value(loads, work) - value(loads, 32000);
            const double modelled =
                wait(tiles.name, tiles.written, work) - wait(tiles.name, tiles.written, 32000);
            CHECK(modelled > (1.0 - tiles.within) * measured);
            CHECK(modelled < (1.0 + tiles.within) * std::max(measured, 60.0));
        }
    }
}
