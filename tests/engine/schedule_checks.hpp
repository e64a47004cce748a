// What must hold of every schedule.
#pragma once

#include "warpline/engine/schedule.hpp"

#include <algorithm>

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

inline bool same_causes(const std::vector<CausedTime>& x, const std::vector<CausedTime>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const CausedTime& a, const CausedTime& b) {
                          return a.cause == b.cause && a.time == b.time;
                      });
}

/// All but how it was found out: events, and the repeating part.
inline void check_same(const Schedule& folded, const Schedule& whole) {
    REQUIRE(folded.makespan == whole.makespan);
    REQUIRE(folded.tile_ends == whole.tile_ends);
    REQUIRE(folded.flops == whole.flops);
    REQUIRE(folded.bytes_read == whole.bytes_read);
    REQUIRE(folded.bytes_written == whole.bytes_written);
    REQUIRE(folded.units.size() == whole.units.size());
    for (std::size_t i = 0; i < whole.units.size(); ++i) {
        CAPTURE(i);
        REQUIRE(folded.units[i].busy == whole.units[i].busy);
        REQUIRE(same_causes(folded.units[i].idle, whole.units[i].idle));
    }
    for (std::size_t i = 0; i < whole.roles.size(); ++i) {
        CAPTURE(i);
        REQUIRE(folded.roles[i].busy == whole.roles[i].busy);
        REQUIRE(same_causes(folded.roles[i].stalls, whole.roles[i].stalls));
    }
}

}  // namespace warpline::test
