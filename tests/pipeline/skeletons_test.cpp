// The outlines of five kernels: what the pipeline language must be able to say, from one generation
// to the next.
#include "source_dir.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

struct Skeleton {
    std::string name;
    std::string gpu;
    Direction direction = Direction::forward;
};

const std::vector<Skeleton>& skeletons() {
    static const std::vector<Skeleton> all = {
        {"fa2_cp_async", "h100_sxm"},  {"fa2_cp_async", "b200"},
        {"fa3_ping_pong", "h100_sxm"}, {"fa4_fwd_one_cta", "b200"},
        {"fa4_fwd_pair", "b200"},      {"fa4_bwd_pair", "b200", Direction::backward}};
    return all;
}

struct Loaded {
    KernelPlan plan;
    MemoryEnvironment memory;
};

Loaded load(const Skeleton& skeleton) {
    const std::string root = source_dir();
    const Result<GpuSpec> spec = load_gpu_spec(root, skeleton.gpu);
    REQUIRE_MESSAGE(spec, spec.error().text());
    AttentionProblem problem;
    problem.direction = skeleton.direction;
    problem.heads_q = problem.heads_kv = 16;
    problem.seqlen_q = problem.seqlen_kv = 8192;
    Result<KernelPlan> plan =
        load_plan(root, root + "/pipelines/skeletons/" + skeleton.name + ".yaml", *spec, problem);
    REQUIRE_MESSAGE(plan, plan.error().text());
    return {std::move(*plan), idle_memory(*spec)};
}

Schedule run(const Loaded& kernel, const std::vector<TileRun>& tiles, int granularity = 8) {
    EngineOptions options;
    options.granularity = granularity;
    const Result<Schedule> schedule = simulate(kernel.plan, tiles, kernel.memory, options);
    REQUIRE_MESSAGE(schedule, schedule.error().text());
    return *schedule;
}

std::vector<TileRun> tiles_of(std::int64_t blocks, std::int64_t count) {
    return {{{blocks, std::min<std::int64_t>(blocks, 1), 0}, count}};
}

}  // namespace

TEST_CASE("skeletons run at every small trip count, never faster than their units allow") {
    for (const Skeleton& skeleton : skeletons()) {
        CAPTURE(skeleton.name);
        CAPTURE(skeleton.gpu);
        const Loaded kernel = load(skeleton);
        Tick before = 0;
        for (const std::int64_t blocks : {0, 1, 2, 3, 4, 7, 20}) {
            CAPTURE(blocks);
            const std::vector<TileRun> tiles = tiles_of(blocks, 3);
            const Schedule schedule = run(kernel, tiles);
            CHECK(schedule.makespan > before);
            CHECK(roofline(kernel.plan, tiles, kernel.memory).ticks <=
                  static_cast<double>(schedule.makespan));
            before = schedule.makespan;
        }
        run(kernel, {});
    }
}

TEST_CASE("skeletons run tiles of mixed lengths, empty ones among them") {
    for (const Skeleton& skeleton : skeletons()) {
        CAPTURE(skeleton.name);
        const Loaded kernel = load(skeleton);
        const std::vector<TileRun> tiles = {
            {{0, 0, 0}, 1}, {{3, 2, 0}, 2}, {{0, 0, 0}, 2}, {{1, 1, 0}, 1}, {{9, 1, 1}, 1}};
        CHECK(roofline(kernel.plan, tiles, kernel.memory).ticks <=
              static_cast<double>(run(kernel, tiles).makespan));
    }
}

TEST_CASE("roofline <= recurrence <= simulated on every skeleton") {
    for (const Skeleton& skeleton : skeletons()) {
        CAPTURE(skeleton.name);
        CAPTURE(skeleton.gpu);
        const Loaded kernel = load(skeleton);
        const Result<RecurrenceBound> bound = recurrence_bound(kernel.plan, kernel.memory);
        REQUIRE_MESSAGE(bound, bound.error().text());
        const Roofline steady = steady_roofline(kernel.plan, kernel.memory);
        CHECK(steady.ticks > 0.0);
        CHECK(steady.ticks <= bound->ticks_per_block);
        constexpr std::int64_t steps = 640;
        const Tick more = run(kernel, tiles_of(steps + 64, 1), 1).makespan -
                          run(kernel, tiles_of(64, 1), 1).makespan;
        const double simulated = static_cast<double>(more) / steps;
        INFO(skeleton.name << " on " << skeleton.gpu << ": roofline " << unit_name(steady.bound)
                           << " " << steady.ticks / ticks_per_cycle << ", recurrence "
                           << bound->ticks_per_block / ticks_per_cycle << ", simulated "
                           << simulated / ticks_per_cycle << " cycles a step");
        CHECK(bound->ticks_per_block <= simulated);
        // An outline without a unit that binds near its step would show nothing.
        CHECK(simulated < 2.5 * steady.ticks);
        CHECK(bound->unit_bound == bound->critical_cycle.empty());
    }
}

TEST_CASE("the critical cycle of the one-CTA forward goes through softmax and tensor core") {
    const Loaded kernel = load({"fa4_fwd_one_cta", "b200"});
    const Result<RecurrenceBound> bound = recurrence_bound(kernel.plan, kernel.memory);
    REQUIRE(bound);
    REQUIRE_FALSE(bound->unit_bound);
    const auto mentions = [&](const std::string& text) {
        return std::any_of(
            bound->critical_cycle.begin(), bound->critical_cycle.end(),
            [&](const CycleStep& step) { return step.label.find(text) != std::string::npos; });
    };
    CHECK(mentions("exponentials"));
    CHECK(mentions("QK"));
    CHECK(mentions("PV"));
}
