// What the engine returns: when everything happened on one cluster, and why every gap is there.
#pragma once

#include "warpline/hardware/unit.hpp"
#include "warpline/units/tick.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

/// Why something had to wait.
struct Cause {
    enum class Kind : std::uint8_t {
        none,      ///< before the first operation, or nothing waited
        barrier,   ///< index into KernelPlan::barriers
        unit,      ///< a busy unit; index is the Unit
        latency,   ///< results of the warp's own earlier instructions; index is the Unit they came
                   ///< from
        issue,     ///< the warp was executing other instructions, in order
        drain,     ///< completion of the warp's own asynchronous operations; index is the Unit that
                   ///< served them
        memory,    ///< latency of L2 or HBM
        finished,  ///< after the last operation
    };
    Kind kind = Kind::none;
    int index = 0;

    friend bool operator==(const Cause&, const Cause&) = default;
};

struct CausedTime {
    Cause cause;
    Tick time = 0;
};

/// One unit instance. busy + sum of idle = makespan, always.
struct UnitUsage {
    Unit unit = Unit::issue;
    int sm = 0;             ///< of the cluster
    int sub_partition = 0;  ///< 0 for units of SM scope
    int instances = 1;      ///< equal sub-partitions this entry stands for when folded
    Tick busy = 0;
    std::vector<CausedTime> idle;  ///< longest first
};

/// One warp, or the equal warps of a role that were folded into one.
struct RoleUsage {
    int role = 0;  ///< index into KernelPlan::roles
    int sm = 0;
    int resident = 0;  ///< which of the co-resident clusters
    int warp = 0;
    int warps = 1;  ///< folded into this entry
    Tick busy = 0;  ///< issuing
    std::vector<CausedTime>
        stalls;  ///< longest first; busy + sum = time from start to its last operation
};

/// One operation of one warp, for timelines. Recorded on request only.
struct ScheduleEvent {
    enum class Kind : std::uint8_t { issue, async, wait };
    Kind kind = Kind::issue;
    int usage = 0;  ///< index into Schedule::roles
    int op = 0;     ///< index into the role's program
    Unit unit = Unit::issue;
    std::int64_t tile = 0;
    std::int64_t iteration = -1;  ///< of the innermost loop, -1 outside
    Tick start = 0;               ///< async: service begins
    Tick end = 0;                 ///< async: service ends
    Tick requested = 0;           ///< async: issued; otherwise equal to start
    Tick completed = 0;           ///< async: result visible; otherwise equal to end
    Cause cause;                  ///< why it did not start earlier
};

/// The repeating part of a long loop, when the engine found one: a state that recurs in step on all
/// CTAs. Where CTAs that share an SM go on at different paces, periods are skipped without one.
struct SteadyState {
    bool found = false;
    Tick period = 0;          ///< ticks of one period
    std::int64_t blocks = 0;  ///< loop steps in one period
    Tick from = 0;            ///< an instant inside the steady state (start of a recorded period)
    std::vector<Tick> busy;   ///< in one period, of each of Schedule::units
};

/// What each further tile of a sequence of equal ones adds, when the engine saw the second repeat
/// the first: inside their loops the two were in one state, with as many steps to go. So n + 1
/// tiles take and do exactly this much more than n.
struct TileRepeat {
    bool found = false;
    Tick period = 0;
    std::vector<Tick> busy;  ///< of each of Schedule::units
    std::int64_t bytes_read = 0;
    std::int64_t bytes_written = 0;
    std::int64_t flops = 0;
};

struct Schedule {
    Tick makespan = 0;  ///< start of the first to end of the last operation
    std::vector<Tick>
        tile_ends;  ///< of each of the first tiles: when the last warp went on from it. What it had
                    ///< in flight then, such as a store of the output, may complete later
    SteadyState steady;
    TileRepeat repeat;
    std::vector<UnitUsage> units;
    std::vector<RoleUsage> roles;
    std::int64_t bytes_read = 0;     ///< from L2, all CTAs of the simulated clusters
    std::int64_t bytes_written = 0;  ///< to L2
    std::int64_t flops = 0;          ///< executed on tensor cores
    std::int64_t events_processed = 0;
    std::vector<ScheduleEvent> events;  ///< in order of start; folded iterations are left out
};

}  // namespace warpline
