// One test a unit: an operation that could start a tick before the unit is free waits that tick;
// one that could start as it becomes free, or later, does not wait.
#include "engine/plan_builder.hpp"

#include <algorithm>
#include <functional>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::testing;

namespace {

constexpr Tick slot = ticks_per_cycle;
constexpr std::int64_t line = 128;  // bytes the SMEM port moves in a clock

/// Two roles of one warp each on sub-partition 0; the second starts `offset` ticks after the first.
struct Pair {
    PlanBuilder builder;
    MemoryEnvironment memory;

    Schedule run(Tick offset) {
        EngineOptions options = exact_options();
        options.record_events = true;
        options.role_offsets = {0, offset};
        return run_checked(builder.plan, tiles_of(1), options, memory);
    }
};

/// The last event of the second role.
const ScheduleEvent& last_of_second(const Schedule& schedule) {
    const ScheduleEvent* found = nullptr;
    for (const ScheduleEvent& event : schedule.events) {
        if (schedule.roles[static_cast<std::size_t>(event.usage)].role == 1) {
            found = &event;
        }
    }
    REQUIRE(found != nullptr);
    return *found;
}

/// An operation that would start at `offset + delay` alone, and cannot before `free`.
void check_both_sides(Pair& pair, Tick delay, Tick free,
                      const std::function<Tick(const ScheduleEvent&)>& instant) {
    for (const Tick ready : {free - 40, free - 1, free, free + 1, free + 40}) {
        CAPTURE(ready);
        const Schedule schedule = pair.run(ready - delay);
        CHECK(instant(last_of_second(schedule)) == std::max(ready, free));
    }
}

Tick start_of(const ScheduleEvent& event) {
    return event.start;
}
Tick completion_of(const ScheduleEvent& event) {
    return event.completed;
}

void check_pipe(Unit unit) {
    Pair pair;
    const int long_one = pair.builder.instruction(unit, 80, 200);
    const int short_one = pair.builder.instruction(unit, 20, 50);
    pair.builder.role("first", 0).issue(long_one);
    pair.builder.role("second", 4).issue(short_one);
    check_both_sides(pair, 0, 80, start_of);
}

MmaOp mma(Tick tensor, std::int64_t smem_bytes) {
    MmaOp op;
    op.steps = 1;
    op.tensor = tensor;
    op.smem_bytes = smem_bytes;
    return op;
}

CopyOp load(std::int64_t bytes) {
    CopyOp op;
    op.bytes = bytes;
    return op;
}

}  // namespace

TEST_CASE("issue port") {
    Pair pair;
    const int long_one = pair.builder.instruction(Unit::alu, slot, 200, 0, 4);
    const int short_one = pair.builder.instruction(Unit::fma, slot, 50);
    pair.builder.role("first", 0).issue(long_one);
    pair.builder.role("second", 4).issue(short_one);
    check_both_sides(pair, 0, 4 * slot, start_of);
}

TEST_CASE("fma pipe") {
    check_pipe(Unit::fma);
}
TEST_CASE("alu pipe") {
    check_pipe(Unit::alu);
}
TEST_CASE("xu pipe") {
    check_pipe(Unit::xu);
}
TEST_CASE("lsu pipe") {
    check_pipe(Unit::lsu);
}
TEST_CASE("adu pipe") {
    check_pipe(Unit::adu);
}

TEST_CASE("a load from shared memory has its result when the port is done with it") {
    Pair pair;
    const int wide = pair.builder.instruction(Unit::lsu, slot, 20, 6 * line);
    const int narrow = pair.builder.instruction(Unit::lsu, slot, 20, line);
    const int use = pair.builder.instruction(Unit::alu, slot, 20);
    pair.builder.role("first", 0).issue(wide);
    pair.builder.role("second", 4).issue(narrow).issue(use);
    // the narrow one's clock at the port begins at 96: its user issues at 112
    for (const Tick offset : {Tick{60}, Tick{91}, Tick{92}, Tick{93}, Tick{96}, Tick{200}}) {
        CAPTURE(offset);
        const Tick through = std::max<Tick>(offset, 96) + slot;
        CHECK(last_of_second(pair.run(offset)).start == std::max(offset + 20, through));
    }
}

TEST_CASE("tensor-memory port") {
    Pair pair;
    TmemOp op;
    op.port = 100;
    op.latency = 30;
    pair.builder.role("first", 0).async(op);
    pair.builder.role("second", 4).async(op);
    check_both_sides(pair, slot, slot + 100, start_of);
    CHECK(last_of_second(pair.run(500)).completed == 500 + slot + 100 + 30);
}

TEST_CASE("tensor-memory loads and stores do not wait for each other") {
    Pair pair;
    TmemOp load;
    load.port = 100;
    load.latency = 30;
    TmemOp store = load;
    store.store = true;
    pair.builder.role("first", 0).async(load);
    pair.builder.role("second", 4).async(store);
    for (const Tick offset : {Tick{0}, slot, Tick{50}}) {
        CHECK(last_of_second(pair.run(offset)).completed == std::max(offset, slot) + slot + 130);
    }
}

TEST_CASE("tensor core") {
    Pair pair;
    pair.builder.role("first", 0).async(mma(200, 0));
    pair.builder.role("second", 4).async(mma(50, 0));
    check_both_sides(pair, slot, slot + 200, start_of);
}

TEST_CASE("shared-memory port feeds the tensor core after what came before") {
    Pair pair;
    const int wide = pair.builder.instruction(Unit::lsu, slot, 20, 8 * line);
    pair.builder.role("first", 0).issue(wide);
    pair.builder.role("second", 4).async(mma(1, 2 * line));
    check_both_sides(pair, slot, 8 * slot,
                     [](const ScheduleEvent& event) { return event.completed - 2 * slot; });
}

TEST_CASE("a chain of MMAs advances at the longer of tensor and fetch time") {
    for (const std::int64_t lines : {1, 4, 9}) {
        PlanBuilder builder;
        MmaOp op = mma(64, lines * line);
        op.steps = 10;
        op.first_operand = 100;
        op.completion = 33;
        builder.role("mma", 0).async(op);
        EngineOptions options = exact_options();
        options.record_events = true;
        const Schedule schedule = run_checked(builder.plan, tiles_of(1), options);
        const Tick fetch = lines * slot;
        const Tick end = 10 * slot + std::max(100 + 10 * Tick{64}, 10 * fetch);
        CAPTURE(lines);
        CHECK(schedule.events.front().completed == end + 33);
    }
}

TEST_CASE("bulk-copy engine") {
    Pair pair;
    pair.builder.plan.machine.tma.issue_interval = 120;
    pair.builder.role("first", 0).async(load(0));
    pair.builder.role("second", 4).async(load(0));
    check_both_sides(pair, slot, slot + 120, completion_of);
}

TEST_CASE("a bulk copy keeps the engine for its bytes at the width of its kind") {
    struct Kind {
        Space from, to;
        bool reduce;
        Tick occupied;  // of 512 bytes
    };
    for (const Kind& kind : {Kind{Space::global, Space::smem, false, 4 * slot},
                             Kind{Space::smem, Space::global, false, 16 * slot},
                             Kind{Space::smem, Space::global, true, 20 * slot},
                             Kind{Space::smem, Space::peer_smem, false, 25 * slot}}) {
        Pair pair;
        TmaModel& tma = pair.builder.plan.machine.tma;
        tma.issue_interval = 16;
        tma.load_bytes_per_clk = 128.0;
        tma.store_bytes_per_clk = 32.0;
        tma.reduce_bytes_per_clk = 25.6;
        tma.dsmem_bytes_per_clk = 20.48;
        tma.fill_shares_port = false;
        pair.memory.bytes_per_clk = 0.0;  // no path to wait for
        CopyOp first = load(512);
        first.from = kind.from;
        first.to = kind.to;
        first.reduce = kind.reduce;
        CHECK(engine_time(pair.builder.plan.machine, first) == kind.occupied);
        pair.builder.role("first", 0).async(first);
        pair.builder.role("second", 4).async(load(0));
        check_both_sides(pair, slot, slot + kind.occupied, completion_of);
    }
}

TEST_CASE("a bulk store is complete when its engine has read it and the path to memory took it") {
    for (const double path : {8.0, 64.0, 0.0}) {
        Pair pair;
        TmaModel& tma = pair.builder.plan.machine.tma;
        tma.store_bytes_per_clk = 32.0;
        tma.store_latency = 30 * slot;
        pair.memory.bytes_per_clk = path;
        CopyOp store = load(512);
        store.from = Space::smem;
        store.to = Space::global;
        pair.builder.role("first", 0).issue(pair.builder.instruction(Unit::alu, 1, 1));
        pair.builder.role("second", 4).async(store);
        const Tick begin = 1000 + slot;
        const Tick slowest = (path == 8.0 ? 64 : 16) * slot;
        CHECK(last_of_second(pair.run(1000)).completed == begin + slowest + 30 * slot);
    }
}

TEST_CASE("path to memory") {
    Pair pair;
    pair.memory.latency = 100;
    pair.memory.bytes_per_clk = 64.0;
    pair.builder.plan.machine.tma.fill_shares_port = false;
    pair.builder.role("first", 0).async(load(640));
    pair.builder.role("second", 4).async(load(64));
    check_both_sides(pair, slot + 100, slot + 100 + 160, start_of);
    CHECK(last_of_second(pair.run(1000)).completed == 1000 + slot + 100 + slot);
}

TEST_CASE("barrier: a waiter resumes its wake-up time after the phase, or after it asked") {
    Pair pair;
    pair.builder.plan.machine.sync.mbarrier_arrive = 30;
    pair.builder.plan.machine.sync.mbarrier_wait = 25;
    const int work = pair.builder.instruction(Unit::alu, slot, 300);
    const int after = pair.builder.instruction(Unit::fma, slot, 20);
    const BarrierRef done = pair.builder.barrier("done");
    pair.builder.role("first", 0).issue(work).arrive(done);
    pair.builder.role("second", 5).wait(done).issue(after);  // an issue port of its own
    check_both_sides(pair, 25, 300 + 30 + 25, start_of);
}
