// Deadlocks, empty and tiny runs, guards and determinism.
#include "engine/plan_builder.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::testing;

namespace {

const Affine blocks{0, 1, 0, 0};

KernelPlan tiled_pipeline(int stages) {
    PlanBuilder builder;
    builder.plan.machine.sync.mbarrier_arrive = 10;
    builder.plan.machine.sync.mbarrier_wait = 20;
    const int kind = builder.instruction(Unit::alu, 32, 300);
    const int ring = builder.ring("ring", stages);
    const BarrierRef full = builder.ring_barrier("full", ring, 1, 0);
    const BarrierRef empty = builder.ring_barrier("empty", ring, 1, 1);
    CopyOp copy;
    copy.bytes = 4096;
    builder.role("load", 4)
        .loop_tiles()
        .loop(blocks)
        .take(ring, 0)
        .wait(empty)
        .async_on(copy, full)
        .end()
        .end();
    builder.role("use", 1)
        .loop_tiles()
        .loop(blocks)
        .take(ring, 0)
        .wait(full)
        .issue(kind, 5, 1)
        .arrive(empty)
        .end()
        .issue(kind)
        .end();
    return builder.plan;
}

}  // namespace

TEST_CASE("a deadlock names who waits, for what, and who could end it") {
    PlanBuilder builder;
    const BarrierRef full = builder.barrier("full", 2);
    builder.role("producer", 0).arrive(full);
    builder.role("consumer", 1).wait(full);
    const Result<Schedule> result = simulate(builder.plan, tiles_of(1), {}, exact_options());
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == FailureKind::deadlock);
    const std::string text = result.error().text();
    for (const char* part : {"consumer", "phase 0", "full", "1 of 2 arrivals", "producer"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
}

TEST_CASE("two warps that wait for each other are both named") {
    PlanBuilder builder;
    const BarrierRef left = builder.barrier("left"), right = builder.barrier("right");
    builder.role("one", 0).wait(left).arrive(right);
    builder.role("two", 1).wait(right).arrive(left);
    const Result<Schedule> result = simulate(builder.plan, tiles_of(1), {});
    REQUIRE_FALSE(result);
    CHECK(result.error().diagnostics.size() == 2);
}

TEST_CASE("any number of tiles and blocks runs, folded as unfolded") {
    for (const int stages : {1, 3}) {
        const KernelPlan plan = tiled_pipeline(stages);
        CHECK(run_checked(plan, {}).makespan == 0);
        for (const std::int64_t n : {0, 1, 2, stages - 1, stages, stages + 1, 40}) {
            for (const std::int64_t count : {1, 2, 5}) {
                CAPTURE(n);
                CAPTURE(stages);
                CAPTURE(count);
                const Schedule unfolded = run_checked(plan, tiles_of(n, count));
                CHECK(unfolded.tile_ends.size() == static_cast<std::size_t>(count));
                CHECK(unfolded.bytes_read == 4096 * n * count);
                EngineOptions options = exact_options();
                options.fold_steady_state = true;
                const Schedule folded = run_checked(plan, tiles_of(n, count), options);
                check_equal(folded, unfolded);
            }
        }
    }
}

TEST_CASE("2^31 blocks take no more events than a hundred thousand do") {
    const KernelPlan plan = tiled_pipeline(3);
    const Schedule some = run_checked(plan, tiles_of(100'000), EngineOptions{});
    const Schedule most = run_checked(plan, tiles_of(std::int64_t{1} << 31), EngineOptions{});
    CHECK(most.steady.found);
    CHECK(most.events_processed <= some.events_processed + 2000);
    CHECK(most.bytes_read == 4096 * (std::int64_t{1} << 31));
}

TEST_CASE("a run that needs more events than allowed is refused") {
    EngineOptions options = exact_options();
    options.max_events = 100;
    const Result<Schedule> result = simulate(tiled_pipeline(2), tiles_of(1000), {}, options);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == FailureKind::infeasible);
}

TEST_CASE("a loop that does not repeat itself in time is named") {
    KernelPlan plan = tiled_pipeline(2);
    EngineOptions options;
    options.max_events = 20;
    const Result<Schedule> result = simulate(plan, tiles_of(1000), {}, options);
    REQUIRE_FALSE(result);
    const std::string text = result.error().text();
    CHECK(text.find("did not repeat itself in") != std::string::npos);
    CHECK(text.find("of its 1000 iterations") != std::string::npos);
    CHECK(text.find("--granularity") != std::string::npos);
}

TEST_CASE("two runs give the same schedule") {
    const KernelPlan plan = tiled_pipeline(2);
    const Schedule once = run_checked(plan, tiles_of(50, 3), EngineOptions{});
    const Schedule again = run_checked(plan, tiles_of(50, 3), EngineOptions{});
    check_equal(once, again);
    CHECK(once.events_processed == again.events_processed);
}
