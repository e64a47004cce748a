#include "warpline/device/bound_phrase.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

Prediction steady(double roofline, double recurrence, double simulated) {
    Prediction p;
    p.seconds = 1e-3;
    p.waves.tiles = 2048;
    p.waves.slots = 148;
    p.steady = {roofline, recurrence, simulated, 256, 128};
    p.steady_roofline.bound = Unit::xu;
    for (const char* name : {"mma", "softmax[0]", "correction"}) {
        Role role;
        role.name = name;
        p.plan.roles.push_back(role);
    }
    for (const int role : {0, 1, 1, 0}) {
        CycleStep step;
        step.role = role;
        p.recurrence.critical_cycle.push_back(step);
    }
    return p;
}

}  // namespace

TEST_CASE("the phrase names the answer that the simulated step meets") {
    CHECK(bound_phrase(steady(100, 100, 101), 0.0) == "exponential unit (MUFU)");
    CHECK(bound_phrase(steady(100, 110, 111), 0.0) ==
          "latency of the loop through mma and softmax[0]");
    Prediction p = steady(100, 110, 121);
    RoleUsage role;
    role.stalls = {{{Cause::Kind::barrier, 3}, 900},
                   {{Cause::Kind::unit, static_cast<int>(Unit::smem)}, 200},
                   {{Cause::Kind::unit, static_cast<int>(Unit::issue)}, 100}};
    p.schedule.roles = {role};
    CHECK(bound_phrase(p, 0.0) ==
          "contention, most of it for the SMEM port: 10 % above the latency bound");
}

TEST_CASE("launch, memory and empty slots come first") {
    Prediction p = steady(100, 100, 100);
    p.waves.tiles = 74;
    CHECK(bound_phrase(p, 0.0) == "too few tiles: 74 for 148 slots");
    p.waves.tiles = 75;
    CHECK(bound_phrase(p, 0.0) == "exponential unit (MUFU)");
    p.waves.memory_bound = true;
    CHECK(bound_phrase(p, 0.0) == "HBM bandwidth");
    CHECK(bound_phrase(p, 0.6e-3) == "kernel launch");
}
