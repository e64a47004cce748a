#include "warpline/device/clock.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

GpuSpec test_spec() {
    GpuSpec spec;
    spec.id = "b200";
    spec.clocks = {ClockHz(1'965'000'000), ClockHz(1'700'000'000), ClockHz(1'580'000'000),
                   ClockHz(1'900'000'000)};
    return spec;
}

}  // namespace

TEST_CASE("the default clock is the sustained one, with its interval") {
    const auto clock = choose_clock(test_spec(), {});
    REQUIRE(clock);
    CHECK(clock->hz == ClockHz(1'700'000'000));
    REQUIRE(clock->low);
    REQUIRE(clock->high);
    CHECK(*clock->low == ClockHz(1'580'000'000));
    CHECK(*clock->high == ClockHz(1'900'000'000));
    CHECK(clock->origin.find("sustained") != std::string::npos);
}

TEST_CASE("boost and fixed clocks have no interval, and exclude each other") {
    PredictOptions options;
    options.boost_clock = true;
    auto clock = choose_clock(test_spec(), options);
    REQUIRE(clock);
    CHECK(clock->hz == ClockHz(1'965'000'000));
    CHECK_FALSE(clock->low);
    options.clock = ClockHz(1'755'000'000);
    CHECK(choose_clock(test_spec(), options).error().kind == FailureKind::usage);
    options.boost_clock = false;
    clock = choose_clock(test_spec(), options);
    REQUIRE(clock);
    CHECK(clock->origin == "--clock 1755MHz");
    options.clock = ClockHz(0);
    CHECK(choose_clock(test_spec(), options).error().kind == FailureKind::usage);
}

TEST_CASE("cycles become seconds exactly") {
    CHECK(seconds_from_cycles(1'755'000.0, ClockHz(1'755'000'000)) == 1e-3);
}
