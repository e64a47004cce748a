#include "warpline/device/tile_burst.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

constexpr ClockHz clock_hz(1'000'000'000);

/// 100 SMs, each with 64 B/clk of its own; together they have 10 B/clk each from HBM.
GpuSpec gpu() {
    GpuSpec spec;
    spec.sm_count = 100;
    spec.limits.smem_per_sm = 64 * 1024;
    spec.memory.sm_bytes_per_clk = 64.0;
    spec.memory.hbm_bytes_per_second = 1e12;
    return spec;
}

/// Tiles of 128 queries of head dim 128: 32 KiB of Q each.
KernelPlan kernel() {
    KernelPlan plan;
    plan.tiles.rows = 128;
    plan.tiles.block = 128;
    return plan;
}

AttentionProblem problem(std::int64_t heads, std::int64_t tokens, MaskKind mask) {
    AttentionProblem p;
    p.batch = 1;
    p.heads_q = p.heads_kv = heads;
    p.seqlen_q = p.seqlen_kv = tokens;
    p.mask.kind = mask;
    return p;
}

double burst_cycles(const AttentionProblem& p, const ClusterSlots& slots = {100, 1, 1, 100},
                    const KernelPlan& plan = kernel()) {
    return cycles_from_ticks(
        tile_burst(gpu(), plan, p, cut_into_tiles(p, plan.tiles), slots, clock_hz).delay);
}

}  // namespace

TEST_CASE("equal tiles wait for all SMs' inputs at HBM's rate, less what an SM alone would need") {
    constexpr double own = 128 * 256;
    const AttentionProblem many = problem(50, 1024, MaskKind::full);
    CHECK(burst_cycles(many) == doctest::Approx(own / 10.0 - own / 64.0).epsilon(1e-4));
    // A pair shares a tile: each of its SMs copies half.
    CHECK(burst_cycles(many, {50, 1, 2, 100}) ==
          doctest::Approx(50 * own / 1000.0 - own / 2 / 64.0).epsilon(1e-4));
    // Twice the residents ask for twice the bytes at once.
    CHECK(burst_cycles(many, {100, 2, 1, 100}) ==
          doctest::Approx(2 * own / 10.0 - own / 64.0).epsilon(1e-4));
}

TEST_CASE("few tiles find HBM idle") {
    CHECK(burst_cycles(problem(15, 128, MaskKind::full)) ==
          0.0);  // 15 x 64 B/clk is less than HBM's
    CHECK(burst_cycles(problem(16, 128, MaskKind::full)) > 0.0);
    CHECK(burst_cycles(problem(1, 0, MaskKind::full)) == 0.0);
}

TEST_CASE("what shared memory cannot hold is read over the loop, not when a tile begins") {
    const AttentionProblem many = problem(50, 1024, MaskKind::full);
    KernelPlan plan = kernel();
    plan.tiles.rows = 256;  // 64 KiB of Q
    CHECK(burst_cycles(many, {100, 1, 1, 100}, plan) > 0.0);
    plan.tiles.rows = 512;
    CHECK(burst_cycles(many, {100, 1, 1, 100}, plan) == 0.0);
}

TEST_CASE("tiles of many classes fall out of step") {
    const double equal = burst_cycles(problem(100, 1024, MaskKind::full));
    const double two = burst_cycles(problem(400, 256, MaskKind::causal));
    const double eight = burst_cycles(problem(100, 1024, MaskKind::causal));
    // Eight tiles an SM: of two classes it stays in step for (1 - 2^-8) / (8 / 2) of them.
    CHECK(two == doctest::Approx(equal * (1.0 - 1.0 / 256.0) / 4.0).epsilon(1e-3));
    CHECK(eight < two);
    CHECK(eight > equal / 8.0);  // the first tiles begin together whatever follows
}
