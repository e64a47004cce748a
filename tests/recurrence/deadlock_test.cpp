#include "plan_builder.hpp"
#include "warpline/recurrence/recurrence.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using test::ProgramBuilder;

namespace {

Failure failure_of(const KernelPlan& plan) {
    const Result<RecurrenceBound> bound = recurrence_bound(plan, test::small_memory());
    REQUIRE_FALSE(bound);
    return bound.error();
}

}  // namespace

TEST_CASE("two roles that wait for each other are both named, with who should arrive") {
    KernelPlan plan = test::small_plan();
    const int a = test::add_barrier(plan, "a_ready", BarrierKind::mbarrier, 1);
    const int b = test::add_barrier(plan, "b_ready", BarrierKind::mbarrier, 1);
    test::add_role(
        plan, "left", 1,
        ProgramBuilder().loop_tiles().loop_blocks().wait(b).arrive(a, 1).end().end().build());
    test::add_role(
        plan, "right", 1,
        ProgramBuilder().loop_tiles().loop_blocks().wait(a).arrive(b, 1).end().end().build());
    const Failure failure = failure_of(plan);
    CHECK(failure.kind == FailureKind::deadlock);
    REQUIRE(failure.diagnostics.size() == 2);
    CHECK(failure.diagnostics[0].message ==
          "deadlock: left waits for phase 0 of b_ready (0 of 1 arrivals of phase 0 are there)");
    CHECK(failure.diagnostics[0].hint == "arrivals come from right");
    CHECK(failure.diagnostics[1].message ==
          "deadlock: right waits for phase 0 of a_ready (0 of 1 arrivals of phase 0 are there)");
    CHECK(failure.diagnostics[1].hint == "arrivals come from left");
}

TEST_CASE("the circle comes before those that only wait for it") {
    KernelPlan plan = test::small_plan();
    const int a = test::add_barrier(plan, "a", BarrierKind::mbarrier, 1);
    const int b = test::add_barrier(plan, "b", BarrierKind::mbarrier, 1);
    const int c = test::add_barrier(plan, "c", BarrierKind::mbarrier, 1);
    test::add_role(plan, "bystander", 1,
                   ProgramBuilder().loop_tiles().loop_blocks().wait(c).end().end().build());
    test::add_role(
        plan, "left", 1,
        ProgramBuilder().loop_tiles().loop_blocks().wait(b).arrive(a, 1).end().end().build());
    test::add_role(plan, "right", 1,
                   ProgramBuilder()
                       .loop_tiles()
                       .loop_blocks()
                       .wait(a)
                       .arrive(b, 1)
                       .arrive(c, 1)
                       .end()
                       .end()
                       .build());
    const Failure failure = failure_of(plan);
    REQUIRE(failure.diagnostics.size() == 3);
    CHECK(failure.diagnostics[2].message.find("deadlock: bystander") == 0);
}

TEST_CASE("an arrival too few stops the second round") {
    KernelPlan plan = test::small_plan();
    const test::RingIds ring = test::add_ring(plan, "kv", 2, BarrierKind::mbarrier, 1, 1);
    test::add_role(plan, "load", 1,
                   ProgramBuilder()
                       .loop_tiles()
                       .loop_blocks()
                       .take(ring.ring, 0)
                       .wait(ring.empty, 0)
                       .arrive(ring.full, 1, 0)
                       .end()
                       .end()
                       .build());
    // The consumer never releases.
    test::add_role(plan, "use", 4,
                   ProgramBuilder()
                       .loop_tiles()
                       .loop_blocks()
                       .take(ring.ring, 0)
                       .wait(ring.full, 0)
                       .end()
                       .end()
                       .build());
    const Failure failure = failure_of(plan);
    CHECK(failure.kind == FailureKind::deadlock);
    REQUIRE(failure.diagnostics.size() == 2);
    CHECK(failure.text().find("load waits for phase 1 of kv_empty") != std::string::npos);
    CHECK(failure.text().find("arrivals come from nobody") != std::string::npos);
}

TEST_CASE("a ring one stage too short for its use deadlocks, one stage more runs") {
    const auto plan_with = [](int stages) {
        KernelPlan plan = test::small_plan();
        const test::RingIds ring = test::add_ring(plan, "kv", stages, BarrierKind::mbarrier, 1, 1);
        ProgramBuilder load;
        load.loop_tiles().loop({0, 2, 0, 0}).take(ring.ring, 0).wait(ring.empty, 0);
        load.arrive(ring.full, 1, 0).end().end();
        // K and V are both held before either is released.
        ProgramBuilder use;
        use.loop_tiles().loop_blocks().take(ring.ring, 0).take(ring.ring, 1);
        use.wait(ring.full, 0).wait(ring.full, 1).arrive(ring.empty, 1, 0);
        use.arrive(ring.empty, 1, 1).end().end();
        test::add_role(plan, "load", 1, load.build());
        test::add_role(plan, "use", 1, use.build());
        return plan;
    };
    CHECK(failure_of(plan_with(1)).kind == FailureKind::deadlock);
    CHECK(recurrence_bound(plan_with(2), test::small_memory()).has_value());
}

TEST_CASE("a loop that never ends is refused, not run") {
    KernelPlan plan = test::small_plan();
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks().loop({std::int64_t{1} << 40, 0, 0, 0}).issue(test::fma, 1);
    builder.end().end().end();
    test::add_role(plan, "math", 1, builder.build());
    CHECK(failure_of(plan).kind == FailureKind::infeasible);
}
