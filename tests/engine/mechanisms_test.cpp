// Each mechanism, on and off, where its cost is known to the tick.
#include "program_writer.hpp"
#include "schedule_checks.hpp"
#include "warpline/engine/engine.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <doctest/doctest.h>

namespace warpline::test {

namespace {

const MemoryEnvironment slow_memory{cycles(300), cycles(300), 32.0};

/// Makespan in ticks with the mechanism at work, and without it.
struct Cost {
    Tick with = 0, without = 0;
};

Cost cost_of(Mechanism mechanism, const KernelPlan& plan) {
    EngineOptions options;
    options.granularity = 1;
    const auto with = simulate(plan, one_tile(1), slow_memory, options);
    options.ideal = {mechanism};
    const auto without = simulate(plan, one_tile(1), slow_memory, options);
    REQUIRE(with.has_value());
    REQUIRE(without.has_value());
    check_accounts(*with);
    check_accounts(*without);
    return {with->makespan, without->makespan};
}

void check_cost(Mechanism mechanism, const KernelPlan& plan, Tick with, Tick without) {
    const Cost cost = cost_of(mechanism, plan);
    CHECK(cost.with == with);
    CHECK(cost.without == without);
}

}  // namespace

TEST_CASE("every mechanism has a name of its own") {
    std::set<std::string_view> names;
    for (const Mechanism mechanism : all_mechanisms()) {
        names.insert(mechanism_name(mechanism));
    }
    CHECK(names.size() == all_mechanisms().size());
    CHECK(all_mechanisms().size() == 12);
}

TEST_CASE("without dependence latency a chain issues back to back") {
    PlanWriter writer;
    const int fma = writer.instruction("fma", Unit::fma, cycles(2), cycles(5));
    ProgramWriter program;
    program.issue(fma, 10, 1);
    writer.role("one", 0, 1, program);
    // Nine dependent issues and the last result; then only the pipe's interval.
    check_cost(Mechanism::dependence_latency, writer.plan(), cycles(50), cycles(9 * 2 + 2));
}

TEST_CASE("without pipe contention two warps do not share a pipe") {
    PlanWriter writer;
    const int ex2 = writer.instruction("ex2", Unit::xu, cycles(8), 0);
    ProgramWriter program;
    program.issue(ex2, 10);
    writer.role("one", 0, 1, program);
    writer.role("two", 4, 1, program);
    const Cost cost = cost_of(Mechanism::pipe_contention, writer.plan());
    CHECK(cost.with == cycles(20 * 8));
    // Each warp waits for its own instructions still; the second begins a slot later.
    CHECK(cost.without == cycles(1 + 10 * 8));
}

TEST_CASE("without issue contention two warps issue in the same clock") {
    PlanWriter writer;
    const int fma = writer.instruction("fma", Unit::fma, cycles(1), 0);
    const int alu = writer.instruction("alu", Unit::alu, cycles(1), 0);
    writer.role("one", 0, 1, ProgramWriter().issue(fma, 10));
    writer.role("two", 4, 1, ProgramWriter().issue(alu, 10));
    check_cost(Mechanism::issue_contention, writer.plan(), cycles(20), cycles(10));
}

TEST_CASE("without SMEM contention an access does not wait for an operand") {
    PlanWriter writer;
    const int lds = writer.instruction("lds", Unit::lsu, cycles(1), cycles(4), 128);
    writer.plan().machine.smem_quantum = cycles(1000);
    MmaOp mma;
    mma.steps = 1;
    mma.tensor = cycles(1);
    mma.smem_bytes = 128 * 200;
    writer.role("mma", 1, 1, ProgramWriter().mma(mma).drain(0));
    ProgramWriter reader;
    const int wait = writer.instruction("wait", Unit::alu, cycles(1), cycles(20));
    reader.issue(wait, 1).issue(lds, 1).arrive(at(writer.barrier("b", 1)), 1).wait(at(0));
    writer.role("reader", 0, 1, reader);
    // The fetch holds the port from cycle 1 to 201; the access asks at 20 and takes one cycle.
    const Tick rest = cycles(10 + 6);
    check_cost(Mechanism::smem_contention, writer.plan(), cycles(202) + rest,
               std::max(cycles(24) + rest, cycles(201)));
}

TEST_CASE("without TMEM bandwidth only latency is left") {
    PlanWriter writer;
    writer.role("one", 0, 1,
                ProgramWriter()
                    .tmem({false, 1, cycles(40), cycles(9)})
                    .tmem({false, 1, cycles(40), cycles(9)})
                    .drain(0));
    check_cost(Mechanism::tmem_bandwidth, writer.plan(), cycles(1 + 40 + 40 + 9), cycles(2 + 9));
}

TEST_CASE("without barrier latency an arrival wakes its waiter at once") {
    PlanWriter writer;
    const int work = writer.instruction("work", Unit::alu, cycles(1), cycles(30));
    const int ready = writer.barrier("ready", 1);
    writer.role("one", 0, 1, ProgramWriter().issue(work, 1).arrive(at(ready)));
    writer.role("two", 1, 1, ProgramWriter().wait(at(ready)));
    check_cost(Mechanism::barrier_latency, writer.plan(), cycles(30 + 10 + 6), cycles(31));
}

TEST_CASE("without MMA latency a result is visible when the tensor core is done") {
    PlanWriter writer;
    MmaOp mma;
    mma.steps = 4;
    mma.tensor = cycles(16);
    mma.completion = cycles(100);
    writer.role("one", 0, 1, ProgramWriter().mma(mma).drain(0));
    check_cost(Mechanism::mma_latency, writer.plan(), cycles(4 + 4 * 16 + 100), cycles(4 + 4 * 16));
}

TEST_CASE("memory latency and bandwidth are separate") {
    PlanWriter writer;
    writer.plan().machine.tma.fill_shares_port = false;
    CopyOp copy;
    copy.bytes = 3200;
    writer.role("one", 0, 1, ProgramWriter().copy(copy).drain(0));
    check_cost(Mechanism::memory_latency, writer.plan(), cycles(1 + 300 + 100), cycles(1 + 100));
    check_cost(Mechanism::memory_bandwidth, writer.plan(), cycles(1 + 300 + 100), cycles(1 + 300));
}

}  // namespace warpline::test
