#include "warpline/engine/related_runs.hpp"

#include "random_plans.hpp"
#include "schedule_checks.hpp"
#include "source_dir.hpp"
#include "warpline/engine/same_start.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

/// Whether a sequence goes on from an earlier one; that its schedule is the same is checked.
bool check_related(const Engine& engine, RelatedRuns& related, const TileClass& tile,
                   std::int64_t count, const MemoryEnvironment& memory) {
    CAPTURE(tile.blocks);
    CAPTURE(count);
    const auto alone = engine.run({{tile, count}}, memory);
    const std::int64_t before = related.events_handled();
    const auto shared = related.run(tile, count, memory);
    REQUIRE(alone.has_value() == shared.has_value());
    if (!alone) {
        CHECK(alone.error().text() == shared.error().text());
        return false;
    }
    check_same(*shared, *alone);
    CHECK(shared->events_processed == alone->events_processed);
    CHECK(shared->steady.found == alone->steady.found);
    CHECK(shared->steady.period == alone->steady.period);
    CHECK(shared->steady.from == alone->steady.from);
    CHECK(shared->steady.busy == alone->steady.busy);
    CHECK(shared->repeat.found == alone->repeat.found);
    CHECK(shared->repeat.period == alone->repeat.period);
    CHECK(shared->repeat.busy == alone->repeat.busy);
    return related.events_handled() - before < shared->events_processed;
}

}  // namespace

TEST_CASE("what runs have in common at the start changes no schedule") {
    int shared = 0;
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const RandomCase random = random_case(seed);
        EngineOptions options;
        options.role_offsets = random.role_offsets;
        const Engine engine(random.plan, options);
        RelatedRuns related(random.plan, options);
        for (const std::int64_t blocks : {150, 12, 7, 3, 0, 1, 40, 41, 400}) {
            for (const std::int64_t count : {2, 1, 3}) {
                shared +=
                    check_related(engine, related, {blocks, 2, 1}, count, random.memory) ? 1 : 0;
            }
        }
        CHECK_FALSE(check_related(engine, related, {150, 1, 1}, 2, random.memory));
        for (const std::int64_t blocks : {150, 151, 400, 149, 150, 160}) {  // masked throughout
            (void)check_related(engine, related, {blocks, 150, 0}, 2, random.memory);
        }
    }
    CHECK(shared >= 300);
}

TEST_CASE("shipped kernels have the same schedules when they share their beginnings") {
    struct Kernel {
        const char *name, *gpu;
        MaskKind mask;
    };
    for (const Kernel& kernel :
         {Kernel{"fa4_fwd", "b200", MaskKind::full}, Kernel{"fa4_fwd", "b200", MaskKind::causal},
          Kernel{"fa4_bwd", "b200", MaskKind::causal},
          Kernel{"fa3_fwd", "h100_sxm", MaskKind::causal},
          Kernel{"fa2_fwd", "a100_sxm", MaskKind::causal},
          Kernel{"decode", "b200", MaskKind::full}}) {
        CAPTURE(kernel.name);
        const auto source = read_pipeline(source_dir(), kernel.name);
        const auto spec = load_gpu_spec(source_dir(), kernel.gpu);
        REQUIRE(source);
        REQUIRE(spec);
        AttentionProblem problem;
        problem.direction = pipeline_direction(*source);
        problem.mask.kind = kernel.mask;
        const auto plan = make_plan(*source, *spec, problem);
        REQUIRE(plan);
        EngineOptions options;
        options.granularity = 8;
        const Engine engine(*plan, options);
        RelatedRuns related(*plan, options);
        const MemoryEnvironment memory = idle_memory(*spec);
        const std::int64_t masked = kernel.mask == MaskKind::causal ? 2 : 0;
        int shared = 0;
        for (const std::int64_t blocks : {64, 8, 2, 13, 30, 512}) {
            for (const std::int64_t count : {2, 1, 3}) {
                shared +=
                    check_related(engine, related, {blocks, masked, 0}, count, memory) ? 1 : 0;
            }
        }
        CHECK(shared >= 8);
    }
}

TEST_CASE("an answer holds for the numbers that give it") {
    SameAnswers half;  // 10 - 3 n >= 0
    half.narrow(10, -3, true);
    CHECK(half.contains(0));
    CHECK(half.contains(3));
    CHECK_FALSE(half.contains(4));
    half.narrow(-5, 2, false);  // not 2 n - 5 >= 0
    CHECK(half.contains(2));
    CHECK_FALSE(half.contains(3));
    half.narrow(-1, 1, true);  // n - 1 >= 0
    CHECK_FALSE(half.contains(0));
    CHECK(half.contains(1));
    half.narrow(7, 0, true);
    CHECK(half.contains(1));
    half.pin(9);
    CHECK(half.contains(9));
    CHECK_FALSE(half.contains(1));
}
