#include "warpline/recurrence/recurrence.hpp"

#include "plan_builder.hpp"
#include "warpline/roofline/roofline.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;
using test::cycles;
using test::ProgramBuilder;

namespace {

RecurrenceBound bound_of(const KernelPlan& plan) {
    Result<RecurrenceBound> bound = recurrence_bound(plan, test::small_memory());
    REQUIRE_MESSAGE(bound, bound.error().text());
    return *bound;
}

double cycle_of(const KernelPlan& plan) {
    return bound_of(plan).cycle_ticks_per_block / ticks_per_cycle;
}

/// A producer and a consumer over a ring of `stages`; each side spends some cycles on every item.
KernelPlan producer_consumer(int stages, std::int64_t produce, std::int64_t consume) {
    KernelPlan plan = test::small_plan();
    const test::RingIds ring = test::add_ring(plan, "ring", stages, BarrierKind::mbarrier, 1, 1);
    ProgramBuilder producer;
    producer.loop_tiles().loop_blocks().take(ring.ring, 0).wait(ring.empty, 0);
    producer.op(TurnOp{cycles(produce)}, "produce").arrive(ring.full, 1, 0).end().end();
    ProgramBuilder consumer;
    consumer.loop_tiles().loop_blocks().take(ring.ring, 0).wait(ring.full, 0);
    consumer.op(TurnOp{cycles(consume)}, "consume").arrive(ring.empty, 1, 0).end().end();
    test::add_role(plan, "producer", 1, producer.build());
    test::add_role(plan, "consumer", 1, consumer.build());
    return plan;
}

}  // namespace

TEST_CASE("a warp alone repeats its own operations") {
    KernelPlan plan = test::small_plan();
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks().issue(test::ex2, 4).issue(test::fma, 3).end().end();
    test::add_role(plan, "math", 4, builder.build());
    // Results of both operations are waited for: 3 * 8 + 20 and 2 * 2 + 4.
    CHECK(cycle_of(plan) == 44 + 8);
    const RecurrenceBound bound = bound_of(plan);
    CHECK_FALSE(bound.unit_bound);
    REQUIRE(bound.critical_cycle.size() == 2);
    Tick sum = 0;
    for (const CycleStep& step : bound.critical_cycle) {
        CHECK(step.label == "math issue");
        CHECK(step.reason == "issue");
        sum += step.weight;
    }
    CHECK(sum == cycles(52));
}

TEST_CASE("a ring of s stages lets the handshake overlap s times") {
    // Around the ring: produce, arrive 10, wake 5, consume, arrive 10, wake 5.
    CHECK(cycle_of(producer_consumer(1, 100, 200)) == 330);
    CHECK(cycle_of(producer_consumer(1, 200, 100)) == 330);
    // With two stages the slower side alone: its wait (5), work and arrival (1).
    CHECK(cycle_of(producer_consumer(2, 100, 200)) == 206);
    CHECK(cycle_of(producer_consumer(2, 100, 100)) == 115);
    CHECK(cycle_of(producer_consumer(3, 100, 100)) == 106);
    CHECK(cycle_of(producer_consumer(16, 100, 100)) == 106);
}

TEST_CASE("the critical cycle is closed and its weights add up") {
    const RecurrenceBound bound = bound_of(producer_consumer(2, 100, 100));
    CHECK(bound.critical_cycle.front().iteration == 0);
    Tick sum = 0;
    bool produced = false;
    for (const CycleStep& step : bound.critical_cycle) {
        sum += step.weight;
        produced = produced || step.label == "producer produce";
    }
    CHECK(produced);
    CHECK(sum == cycles(230));  // over two blocks
    CHECK(std::any_of(bound.critical_cycle.begin(), bound.critical_cycle.end(),
                      [](const CycleStep& step) { return step.reason == "ring_full completes"; }));
}

TEST_CASE("asynchronous work is awaited through commits, drains and signals") {
    KernelPlan plan = test::small_plan();
    SUBCASE("a drain") {
        ProgramBuilder builder;
        builder.loop_tiles().loop_blocks().mma(4, cycles(64), 0, cycles(100)).drain();
        builder.end().end();
        test::add_role(plan, "mma", 1, builder.build());
        CHECK(cycle_of(plan) == 4 + 4 * 64 + 100);
    }
    SUBCASE("one group left in flight hides the latency, not the tensor core") {
        ProgramBuilder builder;
        builder.loop_tiles().loop_blocks().mma(4, cycles(64), 0, cycles(300));
        builder.op(CommitOp{0, {}, At::self}, "commit").drain(1).end().end();
        test::add_role(plan, "mma", 1, builder.build());
        CHECK(cycle_of(plan) == (4 + 4 * 64 + 300) / 2.0);
    }
    SUBCASE("a commit on a barrier") {
        const int full = test::add_barrier(plan, "s_full", BarrierKind::mbarrier, 1);
        const int done = test::add_barrier(plan, "p_done", BarrierKind::mbarrier, 128, 1);
        ProgramBuilder mma;
        mma.loop_tiles().loop_blocks().wait(done).mma(2, cycles(64), 0, cycles(40)).commit(full);
        mma.end().end();
        ProgramBuilder softmax;
        softmax.loop_tiles().loop_blocks().wait(full).op(TurnOp{cycles(500)}, "softmax");
        softmax.arrive(done, 32).end().end();
        test::add_role(plan, "softmax", 4, softmax.build());
        test::add_role(plan, "mma", 1, mma.build());
        // Wake 5, MMA issue 2, execution 128 + 40, wake 5, softmax 500, arrival 10.
        CHECK(cycle_of(plan) == 5 + 2 + 168 + 5 + 500 + 10);
    }
}

TEST_CASE("arrivals at the peer come later") {
    KernelPlan plan = test::small_plan();
    const int turn = test::add_barrier(plan, "turn", BarrierKind::mbarrier, 1);
    plan.cluster = 2;
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks().op(TurnOp{cycles(50)}, "work");
    builder.arrive(turn, 1, -1, At::peer).wait(turn).end().end();
    test::add_role(plan, "swap", 1, builder.build());
    CHECK(cycle_of(plan) == 50 + 10 + 100 + 5);
}

TEST_CASE("predicates are unrolled to their common period") {
    KernelPlan plan = test::small_plan();
    Predicate third;
    third.kind = Predicate::Kind::every;
    third.period = 3;
    Predicate chance;
    chance.kind = Predicate::Kind::chance;
    chance.chance_64ths = {64, 64, 16};
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks(-1).op(TurnOp{cycles(10)}, "always");
    builder.when(third).op(TurnOp{cycles(30)}, "every third").end_when();
    builder.when(chance).op(TurnOp{cycles(40)}, "one in four").end_when();
    builder.end().end();
    test::add_role(plan, "math", 1, builder.build());
    CHECK(cycle_of(plan) == doctest::Approx(10 + 10 + 10));
    CHECK(bound_of(plan).critical_cycle.size() == 12 + 4 + 3);
}

TEST_CASE("a cycle that predicates do not touch is told once") {
    KernelPlan plan = producer_consumer(2, 100, 100);
    ProgramBuilder bystander;
    Predicate chance;
    chance.kind = Predicate::Kind::chance;
    chance.chance_64ths = {8};
    bystander.loop_tiles().loop_blocks().when(chance).op(TurnOp{cycles(30)}, "rarely");
    bystander.end_when().end().end();
    test::add_role(plan, "bystander", 1, bystander.build());
    CHECK(cycle_of(plan) == 115);
    const std::size_t once = bound_of(producer_consumer(2, 100, 100)).critical_cycle.size();
    CHECK(bound_of(plan).critical_cycle.size() == once);
}

TEST_CASE("a unit shared by many warps binds when each of them could go faster") {
    KernelPlan plan = test::small_plan();
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks().issue(test::ex2, 100, 0, false).end().end();
    test::add_role(plan, "math", 8, builder.build());
    const RecurrenceBound bound = bound_of(plan);
    CHECK(bound.unit_bound);
    CHECK(bound.unit == Unit::xu);
    CHECK(bound.ticks_per_block == static_cast<double>(cycles(2 * 800)));
    CHECK(bound.cycle_ticks_per_block == static_cast<double>(cycles(99 * 8 + 1)));
    CHECK(bound.critical_cycle.empty());
}

TEST_CASE("never below the roofline") {
    for (int stages = 1; stages <= 4; ++stages) {
        for (const std::int64_t work : {std::int64_t{1}, std::int64_t{50}}) {
            const KernelPlan plan = producer_consumer(stages, work, 2 * work);
            CHECK(bound_of(plan).ticks_per_block >=
                  steady_roofline(plan, test::small_memory()).ticks);
        }
    }
}

TEST_CASE("a role that runs ahead by a prologue iteration folds the same") {
    // The consumer takes the first item before its loop and the last one after it.
    KernelPlan plan = producer_consumer(2, 100, 200);
    ProgramBuilder consumer;
    consumer.loop_tiles().take(0, 0).wait(0, 0).op(TurnOp{cycles(200)}, "first");
    consumer.arrive(1, 1, 0).loop_blocks(-1).take(0, 0).wait(0, 0);
    consumer.op(TurnOp{cycles(200)}, "consume").arrive(1, 1, 0).end().end();
    plan.roles.back().program = consumer.build();
    CHECK(cycle_of(plan) == 206);
}

TEST_CASE("several loops over blocks have no single steady step") {
    KernelPlan plan = test::small_plan();
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks().issue(test::fma, 1).end();
    builder.loop_blocks().issue(test::fma, 1).end().end();
    test::add_role(plan, "math", 1, builder.build());
    const Result<RecurrenceBound> bound = recurrence_bound(plan, test::small_memory());
    REQUIRE_FALSE(bound);
    CHECK(bound.error().kind == FailureKind::infeasible);
}

TEST_CASE("a plan without loops over blocks takes no time per block") {
    KernelPlan plan = test::small_plan();
    test::add_role(plan, "math", 1,
                   ProgramBuilder().loop_tiles().issue(test::fma, 1).end().build());
    CHECK(bound_of(plan).ticks_per_block == 0.0);
}
