#include "warpline/units/tick.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("cycles become ticks, rounded once") {
    CHECK(ticks_from_cycles(3) == 48);
    CHECK(round_to_ticks(1.0 / 32) == 1);  // half a tick, away from zero
    CHECK(round_to_ticks(0.99 / 32) == 0);
    CHECK(round_to_ticks(-1.0 / 32) == -1);
    CHECK(cycles_from_ticks(24) == 1.5);
    for (Tick t = 0; t < 1000; ++t) {
        CHECK(round_to_ticks(cycles_from_ticks(t)) == t);
    }
}
