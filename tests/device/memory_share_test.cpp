#include "warpline/device/memory_share.hpp"

#include "warpline/device/side_launch_time.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

GpuSpec gpu() {
    GpuSpec spec;
    spec.sm_count = 100;
    spec.tma.l2_latency = ticks_from_cycles(400);
    spec.tma.hbm_latency = ticks_from_cycles(1000);
    spec.memory.l2_bytes = 100'000'000;
    spec.memory.l2_bytes_per_clk_per_sm = 50.0;
    spec.memory.hbm_bytes_per_second = 5e12;
    spec.launch.graph_kernel_seconds = 1e-6;
    return spec;
}

/// One sequence of `length` with `heads`, head dim 128: a head's K and V take 512 bytes a token.
AttentionProblem problem(std::int64_t heads, std::int64_t queries, std::int64_t keys) {
    AttentionProblem p;
    p.heads_q = p.heads_kv = heads;
    p.seqlen_q = queries;
    p.seqlen_kv = keys;
    return p;
}

/// Shares of a kernel with tiles of 128 queries, each of which reads all of its head's keys.
MemoryShare shares(const AttentionProblem& p, std::int64_t slots, std::int64_t head_group = 1) {
    KernelPlan plan;
    plan.tiles.head_group = head_group;
    const std::int64_t tiles_of_head = (p.seqlen_q + 127) / 128;
    Placement placement;
    placement.tiles = p.heads_q * tiles_of_head;
    placement.slots = slots;
    placement.slots_used = std::min(slots, placement.tiles);
    TileCost total;
    total.bytes_read =
        static_cast<double>(p.heads_q * (p.seqlen_q * 256 + tiles_of_head * p.seqlen_kv * 512));
    return share_memory(gpu(), plan, p, total, placement);
}

}  // namespace

TEST_CASE("a decode step finds nothing in L2") {
    const AttentionProblem p = problem(64, 1, 8192);
    const MemoryShare share = shares(p, 100);
    CHECK(share.miss_share == doctest::Approx(1.0));
    CHECK(share.environment.latency == ticks_from_cycles(1000));
    CHECK(share.hbm_bytes == compulsory_bytes(p));
}

TEST_CASE("query heads that share keys share their reads") {
    AttentionProblem p = problem(64, 1, 8192);
    p.heads_kv = 8;
    CHECK(shares(p, 100).miss_share == doctest::Approx(1.0 / 8));
}

TEST_CASE("tiles of a head that run together read it from HBM once") {
    const AttentionProblem p = problem(16, 8192, 8192);  // 64 tiles a head, 4 MB of keys and values
    const MemoryShare share = shares(p, 100);
    CHECK(share.miss_share == doctest::Approx(1.0 / 64));
    CHECK(share.hbm_bytes == compulsory_bytes(p));
    CHECK(share.working_set == doctest::Approx(2.0 * 8192 * 512));
}

TEST_CASE("under a sliding window L2 need hold no more than the tiles at a time cover") {
    // 4096 tiles of 128 rows that read 3128 keys each: 100 of them cover some 16 thousand keys.
    AttentionProblem p = problem(1, 524'288, 524'288);
    p.mask = {MaskKind::sliding_window, 3001};
    KernelPlan plan;
    Placement placement;
    placement.tiles = 4096;
    placement.slots = placement.slots_used = 100;
    TileCost total;
    total.bytes_read = 524'288.0 * 256 + 4096.0 * 3128 * 512;
    const MemoryShare share = share_memory(gpu(), plan, p, total, placement);
    CHECK(share.working_set == doctest::Approx((3128.0 + 100 * 128) * 512));
    CHECK(share.hbm_bytes == doctest::Approx(compulsory_bytes(p)));
    // Two at a time, and an L2 that holds half of what they cover: each key is read 12.2 times more
    // than once, by half.
    placement.slots_used = 2;
    GpuSpec small = gpu();
    small.memory.l2_bytes = (3128 + 2 * 128) * 256;
    const double again = (3128.0 / 128 / 2 - 1.0) * 0.5;
    CHECK(share_memory(small, plan, p, total, placement).hbm_bytes - compulsory_bytes(p) ==
          doctest::Approx(524'288.0 * 512 * again));
}

TEST_CASE("streams that do not fit in L2 are read again by later tiles") {
    // A head of 64 Mi keys is 34 GB: of 128 tiles, 100 run at a time, so it is read 1.28 times.
    const AttentionProblem p = problem(1, 128 * 128, 67'108'864);
    const MemoryShare share = shares(p, 100);
    const double stream = 67'108'864.0 * 512;
    const double kept = 1e8 / stream;
    CHECK(share.hbm_bytes - compulsory_bytes(p) ==
          doctest::Approx(stream * 0.28 * (1.0 - kept)).epsilon(1e-6));
    CHECK(share.miss_share == doctest::Approx((1.0 + 0.28 * (1.0 - kept)) / 128));
}

TEST_CASE("heads launched together are all in use") {
    const AttentionProblem p = problem(16, 8192, 8192);
    CHECK(shares(p, 100, 8).working_set == doctest::Approx(8.0 * 8192 * 512));
    CHECK(shares(p, 100, 16).working_set == doctest::Approx(16.0 * 8192 * 512));
}

TEST_CASE("a kernel that moves bytes takes its start, its bytes and one trip") {
    SideLaunch launch;
    launch.bytes_read = 4e9;
    launch.bytes_written = 1e9;
    const ClockHz clock(1'000'000'000);
    CHECK(side_launch_seconds(launch, gpu(), clock) == doctest::Approx(1e-6 + 1e-3 + 1e-6));
    launch.cached = 1.0;  // 5 GB at the 5 TB/s of L2, against 1 GB at HBM's
    CHECK(side_launch_seconds(launch, gpu(), clock) == doctest::Approx(1e-6 + 1e-3 + 1e-6));
    launch.bytes_read = 0.0;
    CHECK(side_launch_seconds(launch, gpu(), clock) == doctest::Approx(1e-6 + 2e-4 + 1e-6));
}
