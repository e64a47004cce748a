#include "warpline/units/clock.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("clocks are exact") {
    CHECK(parse_clock("1755MHz").value() == ClockHz(1'755'000'000));
    CHECK(parse_clock("1965 MHz").value() == ClockHz(1'965'000'000));
    CHECK(parse_clock("1.965 GHz").value() == parse_clock("1965 MHz").value());
    CHECK(parse_clock("1965000 kHz").value() == parse_clock("1965 MHz").value());
    CHECK(parse_clock("1.965e9 Hz").value() == parse_clock("1965 MHz").value());
    CHECK(parse_clock("1965000000.5 Hz").value() == ClockHz(3'930'000'001, 2));
    CHECK(parse_clock("100 GHz").value() == ClockHz(100'000'000'000));
    CHECK(to_hertz(parse_clock("1.7 GHz").value()).value() == 1.7e9);
}

TEST_CASE("clocks survive printing") {
    for (const char* text : {"1755 MHz", "1965 MHz", "1.965 GHz", "1 MHz", "1234567890.123456 Hz",
                             "100 GHz", "0.001000001 GHz", "1855.84 MHz"}) {
        CAPTURE(text);
        const ClockHz clock = parse_clock(text).value();
        CHECK(parse_clock(clock_text(clock)).value() == clock);
    }
    CHECK(clock_text(ClockHz(1'965'000'000)) == "1965 MHz");
    CHECK(clock_text(ClockHz(1'965'500'000)) == "1965.5 MHz");
}

TEST_CASE("what is no clock is refused") {
    for (const char* text :
         {"0 MHz", "1755", "MHz", "-1755 MHz", "1755 mhz", "1755 clk", "999 kHz", "101 GHz",
          "nan MHz", "1e300 MHz", "1965000000.0000001 Hz", "1.96500000000000000000001 GHz"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_clock(text).has_value());
    }
    CHECK(parse_clock("1755").error().text().find("lacks a unit") != std::string::npos);
}
