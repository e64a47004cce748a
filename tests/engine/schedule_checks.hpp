// What must hold of every schedule.
#pragma once

#include "warpline/engine/schedule.hpp"

#include <doctest/doctest.h>

namespace warpline::test {

inline Tick sum_of(const std::vector<CausedTime>& times) {
    Tick sum = 0;
    for (const CausedTime& caused : times) {
        REQUIRE(caused.time > 0);
        sum += caused.time;
    }
    return sum;
}

/// busy + attributed idle = makespan for every unit; no warp outlasts the schedule.
inline void check_accounts(const Schedule& schedule) {
    for (const UnitUsage& unit : schedule.units) {
        CAPTURE(static_cast<int>(unit.unit));
        CAPTURE(unit.sm);
        CAPTURE(unit.sub_partition);
        REQUIRE(unit.busy <= schedule.makespan);
        REQUIRE(unit.busy + sum_of(unit.idle) == schedule.makespan);
    }
    for (const RoleUsage& role : schedule.roles) {
        CAPTURE(role.role);
        REQUIRE(role.busy + sum_of(role.stalls) <= schedule.makespan);
    }
}

}  // namespace warpline::test
