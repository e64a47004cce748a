// How a kernel takes its turns, where it is known from the program.
#include "warpline/device/turn_pace.hpp"

#include "engine/program_writer.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using test::cycles;
using test::PlanWriter;
using test::ProgramWriter;

namespace {

constexpr std::int64_t slack = 40;  // cycles: waits, arrivals and issue slots between the parts

Predicate not_first() {
    Predicate predicate;
    predicate.kind = Predicate::Kind::first;
    predicate.negate = true;
    predicate.value.constant = 1;
    return predicate;
}

/// One warp produces a block every `produce` cycles; another adds each for `add` cycles in its
/// turn, while the first is at the next block, and passes the turn on: at once, or once it has the
/// next.
KernelPlan producer_and_adder(std::int64_t produce, std::int64_t add, bool later) {
    PlanWriter writer;
    const int fma = writer.instruction("fma", Unit::fma, cycles(1), cycles(10));
    const int full = writer.barrier("full", 1);
    const int empty = writer.barrier("empty", 1, -1, true);
    ProgramWriter producer;
    producer.tiles().blocks().wait({empty}).issue(fma, produce / 10, 1).arrive({full});
    producer.end().end();
    ProgramWriter adder;
    const TurnOp take{cycles(30)};
    const TurnOp pass{cycles(60), true, cycles(45)};
    adder.tiles().blocks().wait({full}).arrive({empty}).op(take);
    if (later) {
        adder.when(not_first()).op(pass).end();
    }
    adder.issue(fma, add / 10, 1);
    if (!later) {
        adder.op(pass);
    }
    adder.end();
    if (later) {
        adder.op(pass);
    }
    adder.end();
    writer.role("producer", 0, 1, producer);
    writer.role("adder", 1, 1, adder);
    return writer.plan();
}

TurnPace pace_of(const KernelPlan& plan) {
    const auto pace = measure_turn_pace(plan, {100, 0, 0}, {}, {});
    REQUIRE(pace);
    return *pace;
}

void check_cycles(double ticks, std::int64_t expected) {
    const double taken = ticks / static_cast<double>(ticks_per_cycle);
    INFO(taken << " cycles, expected " << expected);
    CHECK(ticks >= static_cast<double>(cycles(expected)));
    CHECK(ticks <= static_cast<double>(cycles(expected + slack)));
}

}  // namespace

TEST_CASE("the pace of a tile's turns is that of its slower part, and late that of the adder") {
    const TurnPace pace = pace_of(producer_and_adder(800, 300, false));
    check_cycles(pace.step, 800);
    check_cycles(pace.late_step, 30 + 300 + 60);
    CHECK(pace.behind == 0);
    check_cycles(pace.pass, 30 + 300 + 60 + 45);
    check_cycles(pace.last_pass, 30 + 300 + 60 + 45);
    check_cycles(pace.after, 30 + 300 + 60);
}

TEST_CASE("an adder that is slower than what it is given has no buffer for late turns") {
    const TurnPace pace = pace_of(producer_and_adder(300, 800, false));
    check_cycles(pace.step, 30 + 800 + 60);
    CHECK(pace.late_step == doctest::Approx(pace.step).epsilon(0.01));
}

TEST_CASE("a turn that is passed on with the next one is so many blocks behind") {
    const TurnPace pace = pace_of(producer_and_adder(800, 300, true));
    CHECK(pace.behind == 1);
    check_cycles(pace.pass, 30 + 60 + 45);
    check_cycles(pace.last_pass, 30 + 60 + 300 + 60 + 45);
}

TEST_CASE("a kernel without turns has none, and one that keeps a turn is refused") {
    KernelPlan plan = producer_and_adder(800, 300, false);
    CHECK(takes_turns(plan));
    for (Op& op : plan.roles[1].program) {
        if (auto* turn = std::get_if<TurnOp>(&op.body)) {
            turn->passes = false;
        }
    }
    const auto kept = measure_turn_pace(plan, {100, 0, 0}, {}, {});
    REQUIRE_FALSE(kept);
    CHECK(kept.error().text().find("passes 0 on") != std::string::npos);
    plan.roles.pop_back();
    CHECK_FALSE(takes_turns(plan));
}
