// What a wgmma costs the warps beside it: to the tick, while it executes, and nothing otherwise.
#include "program_writer.hpp"
#include "schedule_checks.hpp"
#include "warpline/engine/engine.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace warpline::test {

namespace {

/// A tensor core busy from cycle 1 for `busy` cycles, and warps that issue beside it on
/// sub-partition 0.
struct Beside {
    PlanWriter writer;

    explicit Beside(std::int64_t busy, bool streams_registers = true) {
        writer.plan().machine.tensor_scope = UnitScope::sub_partition;
        MmaOp mma;
        mma.steps = 1;
        mma.tensor = cycles(busy);
        mma.streams_registers = streams_registers;
        writer.role("mma", 0, 1, ProgramWriter().mma(mma).drain(0));
    }
    int instruction(Unit unit, std::int64_t interval, std::int64_t beside, std::int64_t hold) {
        const int made = writer.instruction("i", unit, cycles(interval), 0);
        writer.plan().instructions.back().wgmma_interval = cycles(beside);
        writer.plan().instructions.back().wgmma_hold = cycles(hold);
        return made;
    }
    [[nodiscard]] Tick time(bool ideal = false) {
        EngineOptions options;
        if (ideal) {
            options.ideal = {Mechanism::register_contention};
        }
        const auto schedule = simulate(writer.plan(), one_tile(1), {}, options);
        REQUIRE(schedule);
        check_accounts(*schedule);
        return schedule->makespan;
    }
};

constexpr std::int64_t shorter = 2;  // the MMA ends long before the other warp's work

}  // namespace

TEST_CASE("beside a wgmma a unit is kept for longer, and only then") {
    for (const bool streams : {false, true}) {
        Beside beside(1000, streams);
        const int alu = beside.instruction(Unit::alu, 2, 5, 1);
        beside.writer.role("alu", 4, 1, ProgramWriter().issue(alu, 300));
        // The MMA issues at 0, its drain at 1, and it executes from 1 to 1001: 200 instructions at
        // 5 cycles, the rest at 2; the first issues at 2.
        const Tick alone = cycles(std::max<std::int64_t>(1001, 2 + 300 * 2));
        const Tick slowed = cycles(2 + 200 * 5 + 100 * 2);
        CHECK(beside.time() == (streams ? slowed : alone));
        CHECK(beside.time(true) == alone);
    }
}

TEST_CASE("a wgmma that has ended costs nothing") {
    Beside beside(shorter);
    const int alu = beside.instruction(Unit::alu, 2, 5, 4);
    beside.writer.role("alu", 4, 1, ProgramWriter().issue(alu, 100));
    // The first instruction, at 2, meets the MMA; those from 7 on do not.
    CHECK(beside.time() == cycles(2 + 5 + 99 * 2));
    CHECK(beside.time(true) == cycles(2 + 100 * 2));
}

TEST_CASE("a stream of FMA instructions goes at its own rate and holds up the wgmma, one for one") {
    Beside beside(100);
    const int fma = beside.instruction(Unit::fma, 1, 3, 2);
    SUBCASE("independent ones") {
        beside.writer.role("fma", 4, 1, ProgramWriter().issue(fma, 20));
        // All 20 issue from 2 to 22, while the MMA executes: from 1 to 101, and 20 more.
        CHECK(beside.time() == cycles(121));
        CHECK(beside.time(true) == cycles(101));
    }
    SUBCASE("in as many chains as the latency is long") {
        beside.writer.plan().instructions.back().latency = cycles(4);
        beside.writer.role("fma", 4, 1, ProgramWriter().issue(fma, 20, 4));
        CHECK(beside.time() == cycles(121));
    }
    SUBCASE("in fewer chains they wait for the wgmma, which loses nothing") {
        beside.writer.plan().instructions.back().latency = cycles(4);
        beside.writer.role("fma", 4, 1, ProgramWriter().issue(fma, 20, 2));
        CHECK(beside.time() == cycles(101));
    }
    SUBCASE("a long stream leaves it nothing") {
        beside.writer.role("fma", 4, 1, ProgramWriter().issue(fma, 500));
        CHECK(beside.time() == cycles(601));
    }
}

TEST_CASE("a stream of another unit's instructions does not hold up the wgmma") {
    Beside beside(100);
    const int alu = beside.instruction(Unit::alu, 1, 3, 2);
    beside.writer.role("alu", 4, 1, ProgramWriter().issue(alu, 20));
    CHECK(beside.time() == cycles(101));
}

TEST_CASE("instructions that issue beside an mma.sync delay it, by their slots, and only then") {
    for (const std::int64_t delay : {0, 1, 2}) {
        Beside beside(100, false);
        auto& mma = std::get<AsyncOp>(beside.writer.plan().roles[0].program[0].body);
        std::get<MmaOp>(mma.work).register_delay = cycles(delay);
        const int alu = beside.instruction(Unit::alu, 2, 0, 0);
        beside.writer.role("alu", 4, 1, ProgramWriter().issue(alu, 20));
        // All 20 issue from 2 to 42, while it executes: from 1 to 101, and 20 delays more.
        CHECK(beside.time() == cycles(101 + 20 * delay));
        CHECK(beside.time(true) == cycles(101));
    }
    Beside beside(shorter, false);
    auto& mma = std::get<AsyncOp>(beside.writer.plan().roles[0].program[0].body);
    std::get<MmaOp>(mma.work).register_delay = cycles(1);
    const int alu = beside.instruction(Unit::alu, 2, 0, 0);
    beside.writer.role("alu", 4, 1, ProgramWriter().issue(alu, 20));
    CHECK(beside.time() == cycles(2 + 20 * 2));
}

TEST_CASE("beside a wgmma an instruction holds the issue port against other units' instructions") {
    Beside beside(2000);
    beside.writer.plan().machine.arbitration = Arbitration::round_robin;
    const int ex2 = beside.instruction(Unit::xu, 8, 9, 6);
    const int alu = beside.instruction(Unit::alu, 2, 2, 3);
    beside.writer.role("xu", 4, 1, ProgramWriter().issue(ex2, 100));
    beside.writer.role("alu", 8, 1, ProgramWriter().issue(alu, 100));
    // Both hold the port: no less than 6 + 3 cycles a pair of instructions, so 900 in all, and no
    // more than that and the units' own time at the end.
    EngineOptions options;
    options.record_events = true;
    const auto schedule = simulate(beside.writer.plan(), one_tile(1), {}, options);
    REQUIRE(schedule);
    Tick last_issue = 0;
    for (const ScheduleEvent& event : schedule->events) {
        if (schedule->roles[static_cast<std::size_t>(event.usage)].role > 0) {
            last_issue = std::max(last_issue, event.end);
        }
    }
    CHECK(last_issue >= cycles(890));
    CHECK(last_issue <= cycles(930));
}

}  // namespace warpline::test
