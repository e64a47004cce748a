// Sub-partitions that are ahead of one another: what one does still meets the others on the tick.
#include "warpline/engine/dispatch_times.hpp"

#include "engine/plan_builder.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::testing;

namespace {

constexpr Tick interval = 32;
constexpr Tick latency = 300;
constexpr std::int64_t stream = 100;  // instructions of the first warp
constexpr std::int64_t calls = 12;    // of the one that wakes the third

/// One warp streams through a pipe. Another, on a sub-partition of its own, works and then wakes a
/// third, which wants the same pipe as the first.
Schedule run_woken(Tick caller_begins, Tick arrive) {
    PlanBuilder builder;
    builder.plan.machine.arbitration = Arbitration::round_robin;
    builder.plan.machine.sync.mbarrier_arrive = arrive;
    const int streamed = builder.instruction(Unit::alu, interval, latency);
    const int worked = builder.instruction(Unit::fma, ticks_per_cycle, ticks_per_cycle);
    const BarrierRef called = builder.barrier("called");
    builder.role("stream", 0).issue(streamed, stream);
    builder.role("caller", 1).issue(worked, calls).arrive(called);
    builder.role("woken", 4).wait(called).issue(streamed, 3);
    EngineOptions options = exact_options();
    options.record_events = true;
    options.role_offsets = {0, caller_begins, 0};
    return run_checked(builder.plan, tiles_of(1), options);
}

const ScheduleEvent& issue_of(const Schedule& schedule, int role) {
    const auto found = std::find_if(
        schedule.events.begin(), schedule.events.end(), [&](const ScheduleEvent& event) {
            return event.kind == ScheduleEvent::Kind::issue &&
                   schedule.roles[static_cast<std::size_t>(event.usage)].role == role;
        });
    REQUIRE(found != schedule.events.end());
    return *found;
}

}  // namespace

TEST_CASE("a warp that another sub-partition wakes finds the pipe as it is at that tick") {
    for (const Tick arrive : {1, 7}) {
        for (const Tick woken : {10 * interval - 1, 10 * interval, 10 * interval + 1}) {
            CAPTURE(arrive);
            CAPTURE(woken);
            const Schedule schedule = run_woken(woken - arrive - calls * ticks_per_cycle, arrive);
            const Tick next_free = (woken + interval - 1) / interval * interval;
            CHECK(issue_of(schedule, 2).start == next_free);
            CHECK(issue_of(schedule, 0).end == interval * (stream + 3 - 1) + ticks_per_cycle);
        }
    }
}

TEST_CASE("dispatches come in order of time, then of the sub-partition") {
    DispatchTimes times(3);
    CHECK(times.next().time == DispatchTimes::never);
    times.set(2, 50, 70);
    times.set(0, 50, 50);
    times.set(1, 40, 90);
    CHECK(times.next().port == 1);
    times.set(1, 60, 90);  // it was too early
    CHECK(times.next().port == 0);
    times.clear(0);
    CHECK(times.next().port == 2);
    times.bring_forward(1, 50, 80);
    CHECK(times.next().port == 1);
    times.clear(1);
    times.clear(2);
    CHECK(times.next().time == DispatchTimes::never);
}

TEST_CASE("a sub-partition may go on alone until another does something, or something it notices") {
    DispatchTimes times(3);
    times.set(0, 10, 10);
    times.set(1, 40, 90);
    times.set(2, 50, 70);
    times.clear(0);
    CHECK(times.reach().any == 40);
    CHECK(times.reach().quiet == 70);
    times.bring_forward(1, 30, 60);  // a warp was woken there meanwhile
    CHECK(times.reach().any == 30);
    CHECK(times.reach().quiet == 60);
}
