#include "warpline/device/clock.hpp"
#include "warpline/device/prediction.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

constexpr Tick step_ticks = ticks_from_cycles(1000);
constexpr std::int64_t step_flops = 4LL * 256 * 128 * 128;

GpuSpec small_gpu() {
    GpuSpec spec;
    spec.id = "small";
    spec.sm_count = 10;
    spec.memory.hbm_bytes_per_second = 1e12;
    spec.memory.l2_bytes_per_clk_per_sm = 64;
    spec.clocks.boost = spec.clocks.sustained = ClockHz(1'000'000'000);
    spec.clocks.sustained_low = spec.clocks.sustained_high = ClockHz(1'000'000'000);
    spec.launch.kernel_seconds = 2e-6;
    spec.launch.graph_kernel_seconds = 5e-7;
    spec.sync.cta_start = ticks_from_cycles(500);
    spec.sync.cta_exit = ticks_from_cycles(100);
    MmaModel mma;
    mma.path = MmaPath::tcgen05;
    mma.flops_per_clk = 2.0 * static_cast<double>(step_flops) / 1000.0;
    spec.mma[MmaPath::tcgen05] = mma;
    return spec;
}

/// One warp that issues one MMA chain a block and waits for it.
KernelPlan one_warp(TileScheduler scheduler) {
    KernelPlan plan;
    plan.kernel = "one_warp";
    plan.tiles = {.rows = 256, .block = 128, .scheduler = scheduler};
    Role role;
    role.name = role.base_name = "mma";
    role.classes = {"mma"};
    MmaOp mma;
    mma.steps = 1;
    mma.tensor = step_ticks;
    mma.flops = step_flops;
    Affine blocks;
    blocks.blocks = 1;
    role.program = {{LoopBegin{LoopBegin::Over::tiles, {}, 5}, "tiles", 0},
                    {LoopBegin{LoopBegin::Over::count, blocks, 4}, "blocks", 0},
                    {AsyncOp{mma, 0, {}, At::self}, "product", 0},
                    {DrainOp{0, 0}, "wait for the product", 0},
                    {LoopEnd{1}, "", 0},
                    {LoopEnd{0}, "", 0}};
    plan.roles = {role};
    return plan;
}

AttentionProblem problem(std::int64_t batch, std::int64_t kv) {
    AttentionProblem p;
    p.batch = batch;
    p.seqlen_q = 1024;
    p.seqlen_kv = kv;
    return p;
}

}  // namespace

TEST_CASE("a problem without keys is predicted, and says that its loop never runs") {
    const auto none = predict(small_gpu(), one_warp(TileScheduler::single_tile), problem(10, 0));
    REQUIRE(none);
    CHECK_FALSE(none->waves.loop_runs);
    CHECK(std::any_of(none->assumptions.begin(), none->assumptions.end(), [](const auto& text) {
        return text.find("No tile has a block to loop over") != std::string::npos;
    }));
    const auto some = predict(small_gpu(), one_warp(TileScheduler::single_tile), problem(10, 128));
    REQUIRE(some);
    CHECK(some->waves.loop_runs);
}

TEST_CASE("a prediction adds up: work, waves, time") {
    const auto answer =
        predict(small_gpu(), one_warp(TileScheduler::single_tile), problem(10, 8192));
    REQUIRE(answer);
    const Prediction& p = *answer;
    CHECK(p.waves.tiles == 40);
    CHECK(p.waves.slots == 10);
    CHECK(p.waves.waves == 4.0);
    CHECK(p.executed_flops == static_cast<double>(step_flops) * 64 * 40);
    CHECK(p.counted_flops == counted_flops(p.problem));
    CHECK(p.makespan_cycles ==
          doctest::Approx(4 * (600 + p.waves.middle_tile_cycles)).epsilon(1e-12));
    CHECK(p.waves.mean_active_cycles == doctest::Approx(p.makespan_cycles));
    CHECK(p.waves.middle_tile_cycles >= 64 * 1000);
    CHECK(p.seconds == doctest::Approx(2e-6 + p.makespan_cycles / 1e9).epsilon(1e-12));
    CHECK(p.tflops == doctest::Approx(p.counted_flops / p.seconds / 1e12).epsilon(1e-12));
    CHECK(p.utilization > 0.4);
    CHECK(p.utilization <= 0.5);  // one product keeps half the width busy
    CHECK(p.steady.simulated >= p.steady.recurrence - 1e-9);
    CHECK(p.steady.recurrence >= p.steady.roofline - 1e-9);
    CHECK_FALSE(p.bound_by.empty());
    CHECK_FALSE(p.waves.memory_bound);
    for (const UnitReport& unit : p.units) {
        if (unit.unit == Unit::tensor) {
            CHECK(unit.busy == doctest::Approx(1000 / p.steady.simulated));
            CHECK(unit.demand_cycles == doctest::Approx(1000));
            CHECK(unit.work_per_sm == 1000.0 * 64 * 40 / 10);
        }
        CHECK(unit.busy <= 1.0);
    }
}

TEST_CASE("a grid smaller than the slots puts fewer residents on an SM") {
    KernelPlan two = one_warp(TileScheduler::single_tile);
    two.ctas_per_sm = 2;
    const auto answer = [&](const KernelPlan& plan, std::int64_t batch) {
        return predict(small_gpu(), plan, problem(batch, 8192)).value();
    };
    const KernelPlan one = one_warp(TileScheduler::single_tile);
    const Prediction few = answer(two, 2);  // 8 tiles on 10 SMs
    CHECK(few.waves.slots == 10);
    CHECK(few.makespan_cycles == answer(one, 2).makespan_cycles);
    CHECK(few.assumptions.back() == "Too few tiles for 2 CTAs an SM: 1 lives there.");
    const Prediction some = answer(two, 4);  // 16 tiles: two on most SMs
    CHECK(some.waves.slots == 20);
    CHECK(some.makespan_cycles == answer(two, 5).makespan_cycles);
    CHECK(some.makespan_cycles > few.makespan_cycles);
}

TEST_CASE("a problem without keys takes its launch and its tiles, and has no rate") {
    for (const auto scheduler : {TileScheduler::single_tile, TileScheduler::static_persistent}) {
        const auto answer = predict(small_gpu(), one_warp(scheduler), problem(2, 0));
        REQUIRE(answer);
        CHECK(answer->tflops == 0.0);
        CHECK(answer->utilization == 0.0);
        CHECK(answer->seconds >= 2e-6 + 600e-9);
        CHECK(answer->seconds < 4e-6);
        CHECK(std::isfinite(answer->steady.simulated));
        CHECK(answer->bound_by == "kernel launch");
    }
}

TEST_CASE("HBM sets the time when it needs longer, to the byte") {
    GpuSpec spec = small_gpu();
    const KernelPlan plan = one_warp(TileScheduler::static_persistent);
    const AttentionProblem p = problem(10, 1024);
    const double cycles = predict(spec, plan, p)->makespan_cycles;
    spec.memory.hbm_bytes_per_second = compulsory_bytes(p) / ((cycles - 1.0) / 1e9);
    CHECK_FALSE(predict(spec, plan, p)->waves.memory_bound);
    CHECK(predict(spec, plan, p)->makespan_cycles == cycles);
    spec.memory.hbm_bytes_per_second = compulsory_bytes(p) / ((cycles + 1.0) / 1e9);
    const auto bound = predict(spec, plan, p);
    CHECK(bound->waves.memory_bound);
    CHECK(bound->makespan_cycles == doctest::Approx(cycles + 1.0).epsilon(1e-12));
    CHECK(bound->bound_by == "HBM bandwidth");
    PredictOptions ideal;
    ideal.ideal = {Mechanism::memory_bandwidth};
    CHECK_FALSE(predict(spec, plan, p, ideal)->waves.memory_bound);
}

TEST_CASE("L2 sets the time when all SMs together ask for more than it gives") {
    GpuSpec spec = small_gpu();
    KernelPlan plan = one_warp(TileScheduler::static_persistent);
    CopyOp copy;
    copy.bytes = 1 << 20;
    copy.from = Space::global;
    copy.to = Space::smem;
    std::get<AsyncOp>(plan.roles.front().program.at(2).body).work = copy;
    spec.memory.sm_bytes_per_clk = 128;
    spec.memory.l2_bytes_per_clk_per_sm = 256;
    const AttentionProblem p = problem(10, 1024);
    const auto free = predict(spec, plan, p);
    REQUIRE(free->waves.l2_bytes > 0.0);
    const double at_limit =
        free->waves.l2_bytes / free->makespan_cycles / static_cast<double>(spec.sm_count);
    spec.memory.l2_bytes_per_clk_per_sm = at_limit * 1.001;
    CHECK_FALSE(predict(spec, plan, p)->waves.memory_bound);
    spec.memory.l2_bytes_per_clk_per_sm = at_limit / 1.001;
    const auto bound = predict(spec, plan, p);
    CHECK(bound->waves.l2_bound);
    CHECK(bound->makespan_cycles == doctest::Approx(1.001 * free->makespan_cycles).epsilon(1e-9));
    CHECK(bound->bound_by == "L2 bandwidth of all SMs");
}

TEST_CASE("more work than the tensor cores can do is a failure, never a result") {
    GpuSpec spec = small_gpu();
    spec.mma[MmaPath::tcgen05].flops_per_clk /= 4.0;
    const auto answer = predict(spec, one_warp(TileScheduler::single_tile), problem(10, 8192));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().diagnostics.front().message.find("internal inconsistency") == 0);
}

TEST_CASE("the clock changes seconds, not cycles") {
    const KernelPlan plan = one_warp(TileScheduler::single_tile);
    PredictOptions options;
    const auto slow = predict(small_gpu(), plan, problem(10, 8192), options);
    options.clock = ClockHz(2'000'000'000);
    const auto fast = predict(small_gpu(), plan, problem(10, 8192), options);
    CHECK(fast->makespan_cycles == slow->makespan_cycles);
    CHECK(fast->seconds - 2e-6 == doctest::Approx((slow->seconds - 2e-6) / 2));
    options.graph_launch = true;
    CHECK(predict(small_gpu(), plan, problem(10, 8192), options)->seconds ==
          doctest::Approx(fast->seconds - 1.5e-6));
}

TEST_CASE("a cold prediction of the longest causal head answers") {
    AttentionProblem p = problem(4, 2147483647);
    p.seqlen_q = 2147483647;
    p.heads_q = p.heads_kv = 16;
    p.mask.kind = MaskKind::causal;
    const auto answer = predict(small_gpu(), one_warp(TileScheduler::single_tile), p);
    REQUIRE(answer);
    CHECK(answer->utilization <= 1.0);
    CHECK(answer->makespan_cycles > 0.0);
}
