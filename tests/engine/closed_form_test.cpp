// Pipelines whose schedule can be written down: the engine must give it to the tick.
#include "engine/plan_builder.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::testing;

namespace {

constexpr Tick slot = ticks_per_cycle;
const Affine blocks{0, 1, 0, 0};

struct Times {
    Tick produce = 0, consume = 0;  ///< latencies of the two stages' work
    Tick arrive = 0, wait = 0;
    std::int64_t stages = 1;
};

/// A producer and a consumer, on sub-partitions of their own, with a ring between them.
KernelPlan pipeline(const Times& times) {
    PlanBuilder builder;
    builder.plan.machine.sync.mbarrier_arrive = times.arrive;
    builder.plan.machine.sync.mbarrier_wait = times.wait;
    const int make = builder.instruction(Unit::alu, slot, times.produce);
    const int use = builder.instruction(Unit::fma, slot, times.consume);
    const int ring = builder.ring("ring", static_cast<int>(times.stages));
    const BarrierRef full = builder.ring_barrier("full", ring, 1, 0);
    const BarrierRef empty = builder.ring_barrier("empty", ring, 1, 1);
    builder.role("producer", 0)
        .loop(blocks)
        .take(ring, 0)
        .wait(empty)
        .issue(make)
        .arrive(full)
        .end();
    builder.role("consumer", 1)
        .loop(blocks)
        .take(ring, 0)
        .wait(full)
        .issue(use)
        .arrive(empty)
        .end();
    return builder.plan;
}

/// The same as a recurrence in max and plus.
Tick makespan_of(const Times& times, std::int64_t n) {
    std::vector<Tick> full, empty;
    Tick producer = 0, consumer = 0, end = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const Tick free = k < times.stages ? 0 : empty[static_cast<std::size_t>(k - times.stages)];
        const Tick made =
            std::max(producer + slot, std::max(producer, free) + times.wait) + times.produce;
        full.push_back(made + times.arrive);
        producer = made + slot;
        const Tick used =
            std::max(consumer + slot, std::max(consumer, full.back()) + times.wait) + times.consume;
        empty.push_back(used + times.arrive);
        consumer = used + slot;
        end = std::max({producer, consumer, empty.back(), full.back()});
    }
    return end;
}

}  // namespace

TEST_CASE("a producer and a consumer keep the time of the max-plus recurrence") {
    for (const std::int64_t stages : {1, 2, 3, 5}) {
        for (const Tick produce : {Tick{40}, Tick{333}, Tick{1000}}) {
            for (const Tick arrive : {Tick{0}, Tick{7}, Tick{100}}) {
                const Times times{produce, 400, arrive, 2 * arrive + 1, stages};
                for (const std::int64_t n : {0, 1, 2, 3, 4, 7, 30}) {
                    CAPTURE(stages);
                    CAPTURE(produce);
                    CAPTURE(arrive);
                    CAPTURE(n);
                    CHECK(run_checked(pipeline(times), tiles_of(n)).makespan ==
                          makespan_of(times, n));
                }
            }
        }
    }
}

TEST_CASE("the period of a pipeline is its slowest stage, or its ring's round trip") {
    const Times one{500, 700, 30, 50, 1};
    const Tick period = 500 + 700 + 2 * (30 + 50);
    CHECK(run_checked(pipeline(one), tiles_of(21)).makespan -
              run_checked(pipeline(one), tiles_of(20)).makespan ==
          period);
    const Times two{500, 700, 30, 50, 2};  // deep enough: the consumer never waits
    CHECK(run_checked(pipeline(two), tiles_of(21)).makespan -
              run_checked(pipeline(two), tiles_of(20)).makespan ==
          50 + 700 + slot);
    EngineOptions folded = exact_options();
    folded.fold_steady_state = true;
    const Schedule schedule = run_checked(pipeline(one), tiles_of(1000), folded);
    REQUIRE(schedule.steady.found);
    CHECK(schedule.steady.period == period * schedule.steady.blocks);
    CHECK(schedule.makespan == makespan_of(one, 1000));
}

TEST_CASE("a ring of n stages passes one token round") {
    for (const int n : {2, 3, 5, 8}) {
        PlanBuilder builder;
        builder.plan.machine.sync.mbarrier_arrive = 20;
        builder.plan.machine.sync.mbarrier_wait = 45;
        std::vector<BarrierRef> turn;
        turn.reserve(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) {
            turn.push_back(builder.barrier("turn" + std::to_string(i), 1, i == 0 ? 1 : 0));
        }
        Tick round = 0;
        for (int i = 0; i < n; ++i) {
            const Tick work = 200 + 30 * i;
            const int kind = builder.instruction(Unit::alu, slot, work);
            builder.role("stage" + std::to_string(i), i)
                .loop(blocks)
                .wait(turn[static_cast<std::size_t>(i)])
                .issue(kind)
                .arrive(turn[static_cast<std::size_t>((i + 1) % n)])
                .end();
            round += work + 20 + 45;
        }
        CAPTURE(n);
        const Tick before = run_checked(builder.plan, tiles_of(10)).makespan;
        CHECK(run_checked(builder.plan, tiles_of(11)).makespan - before == round);
        // the first wait finds its phase complete; the last arrival ends the run
        CHECK(before == 45 + 10 * round - 45);
    }
}

TEST_CASE("two warps that take turns on named barriers never overlap") {
    PlanBuilder builder;
    builder.plan.machine.sync.named_barrier = 64;
    const int kind = builder.instruction(Unit::xu, 128, 500);
    const BarrierRef ping = builder.barrier("ping", 32, 1);
    const BarrierRef pong = builder.barrier("pong", 32, 0);
    for (Barrier& barrier : builder.plan.barriers) {
        barrier.kind = BarrierKind::named;
    }
    builder.role("even", 0).loop(blocks).wait(ping).issue(kind).arrive(pong, 32).end();
    builder.role("odd", 4).loop(blocks).wait(pong).issue(kind).arrive(ping, 32).end();
    const Tick turn = 64 + 500;  // named arrivals count at once
    CHECK(run_checked(builder.plan, tiles_of(6)).makespan == 12 * turn + slot);
    CHECK(run_checked(builder.plan, tiles_of(1)).makespan == 2 * turn + slot);
}
