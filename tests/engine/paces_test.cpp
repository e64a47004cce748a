// CTAs that share an SM and nothing else may go on at different paces, the one whose warps are
// preferred ahead of the other. Their state repeats all the same.
#include "engine/plan_builder.hpp"
#include "source_dir.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::testing;

namespace {

struct Subject {
    KernelPlan plan;
    MemoryEnvironment memory;
};

/// FlashAttention-2 forward, two CTAs on an SM.
Subject fa2_on(const char* gpu) {
    const auto spec = load_gpu_spec(source_dir(), gpu);
    REQUIRE(spec);
    AttentionProblem problem;
    problem.mask.kind = MaskKind::causal;
    const auto plan = load_plan(source_dir(), "fa2_fwd", *spec, problem);
    REQUIRE(plan);
    REQUIRE(plan->ctas_per_sm == 2);
    return {*plan, idle_memory(*spec)};
}

/// The schedule of one tile a CTA, which is that of a run without folding.
Schedule check_fold(const Subject& subject, std::int64_t blocks, EngineOptions options = {}) {
    CAPTURE(blocks);
    const std::vector<TileRun> tiles = tiles_of(blocks);
    options.fold_steady_state = true;
    const Schedule folded = run_checked(subject.plan, tiles, options, subject.memory);
    options.fold_steady_state = false;
    const Schedule whole = run_checked(subject.plan, tiles, options, subject.memory);
    check_equal(folded, whole);
    return folded;
}

}  // namespace

TEST_CASE("CTAs at different paces fold exactly") {
    for (const char* gpu : {"h100_sxm", "a100_sxm"}) {
        CAPTURE(gpu);
        const Subject subject = fa2_on(gpu);
        for (const std::int64_t blocks : {1, 2, 5, 9, 16, 37, 150}) {
            (void)check_fold(subject, blocks);
        }
        (void)check_fold(subject, 90, exact_options());
    }
}

TEST_CASE("CTAs at different paces cost no more for a million blocks than for hundreds") {
    for (const char* gpu : {"h100_sxm", "a100_sxm"}) {
        CAPTURE(gpu);
        const Subject subject = fa2_on(gpu);
        const Schedule some = check_fold(subject, 300);
        const Schedule many =
            run_checked(subject.plan, tiles_of(1'000'000), EngineOptions{}, subject.memory);
        CHECK(many.events_processed < some.events_processed * 3 / 2);
        // They have no step in common, so none is told of.
        CHECK_FALSE(some.steady.found);
        CHECK_FALSE(many.steady.found);
    }
}

TEST_CASE("who is left alone on the SM repeats itself in a way of its own") {
    // The first CTA takes the pipe whenever it can use it; the second what is left.
    PlanBuilder build;
    build.plan.ctas_per_sm = 2;
    const int fma = build.instruction(Unit::fma, 2 * ticks_per_cycle, 4 * ticks_per_cycle);
    const int mufu = build.instruction(Unit::xu, 8 * ticks_per_cycle, 20 * ticks_per_cycle);
    build.role("worker", 0).loop({0, 1, 0, 0}).issue(fma, 7, 1).issue(mufu, 3).end();
    const auto run = [&](std::int64_t blocks, bool fold) {
        EngineOptions options;
        options.fold_steady_state = fold;
        return run_checked(build.plan, tiles_of(blocks), options);
    };
    for (const std::int64_t blocks : {3, 40, 201}) {
        CAPTURE(blocks);
        check_equal(run(blocks, true), run(blocks, false));
    }
    CHECK(run(100'000, true).events_processed < 2000);
}
