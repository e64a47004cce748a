#include "warpline/hardware/unit.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("every unit has a name that leads back to it") {
    std::size_t index = 0;
    for (const Unit unit : all_units()) {
        CHECK(static_cast<std::size_t>(unit) == index++);
        CHECK(unit_from_name(unit_name(unit)) == unit);
    }
    CHECK(index == unit_count);
    CHECK(unit_name(Unit::memory) == "memory");
    CHECK_FALSE(unit_from_name("gpu").has_value());
    CHECK_FALSE(unit_from_name("").has_value());
}
