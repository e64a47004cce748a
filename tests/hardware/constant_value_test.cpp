#include "warpline/hardware/constant_value.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

ConstantRule rate() {
    ConstantRule rule;
    rule.unit = "/clk";
    rule.above = true;
    rule.at_most = 1024;
    return rule;
}

}  // namespace

TEST_CASE("limits of a rule hold on both sides") {
    CHECK(parse_constant(rate(), "1024 /clk")->number == 1024);
    CHECK_FALSE(parse_constant(rate(), "1024.5 /clk").has_value());
    CHECK(parse_constant(rate(), "0.001 /clk").has_value());
    CHECK_FALSE(parse_constant(rate(), "0 /clk").has_value());
    CHECK_FALSE(parse_constant(rate(), "-1 /clk").has_value());
    CHECK_FALSE(parse_constant(rate(), "1e300 /clk").has_value());
    ConstantRule whole = rate();
    whole.whole = true;
    CHECK(parse_constant(whole, "3 /clk").has_value());
    CHECK_FALSE(parse_constant(whole, "3.5 /clk").has_value());
}

TEST_CASE("an interval holds its value and shares one unit") {
    const auto value = parse_constant(rate(), "57 /clk").value();
    const auto wide = add_interval(rate(), value, "53 .. 128 /clk");
    REQUIRE(wide.has_value());
    CHECK(*wide->low == 53);
    CHECK(*wide->high == 128);
    CHECK(add_interval(rate(), value, "57..57/clk").has_value());
    CHECK_FALSE(add_interval(rate(), value, "58 .. 128 /clk").has_value());
    CHECK_FALSE(add_interval(rate(), value, "53 .. 56 /clk").has_value());
    CHECK_FALSE(add_interval(rate(), value, "53 .. 128").has_value());
    CHECK_FALSE(add_interval(rate(), value, "53 .. 128 clk").has_value());
    CHECK_FALSE(add_interval(rate(), value, "0 .. 128 /clk").has_value());
    CHECK_FALSE(add_interval(rate(), value, "53 /clk").has_value());
    CHECK_FALSE(add_interval(rate(), value, "..").has_value());
    CHECK_FALSE(add_interval(rate(), value, "").has_value());
}

TEST_CASE("an interval of a clock is exact") {
    ConstantRule rule;
    rule.form = ConstantForm::clock;
    rule.unit = "MHz";
    const auto value = parse_constant(rule, "1.71 GHz").value();
    CHECK(value.number == 1710);
    CHECK(value.clock_low == value.clock);
    const auto wide = add_interval(rule, value, "1580 .. 1965 MHz").value();
    CHECK(wide.clock_low == ClockHz(1'580'000'000));
    CHECK(wide.clock_high == ClockHz(1'965'000'000));
    CHECK(wide.clock == ClockHz(1'710'000'000));
}

TEST_CASE("flags, words and GPC lists take nothing else") {
    ConstantRule flag;
    flag.form = ConstantForm::flag;
    CHECK(parse_constant(flag, "true")->number == 1);
    CHECK(parse_constant(flag, "false")->number == 0);
    CHECK_FALSE(parse_constant(flag, "yes").has_value());
    CHECK_FALSE(add_interval(flag, {}, "0 .. 1 x").has_value());

    ConstantRule word;
    word.form = ConstantForm::word;
    word.words = {"one", "two"};
    CHECK(parse_constant(word, "two")->number == 1);
    CHECK_FALSE(parse_constant(word, "three").has_value());

    ConstantRule gpcs;
    gpcs.form = ConstantForm::gpc_list;
    CHECK(parse_constant(gpcs, "2x16 + 1x4 SM")->counts == std::vector<int>{16, 16, 4});
    CHECK(parse_constant(gpcs, "unknown")->counts.empty());
    for (const char* text : {"", "SM", "16 SM", "2x SM", "x16 SM", "2x16", "0x4 SM", "2x16 + SM",
                             "99999x9 SM", "2x-1 SM", "2x1.5 SM"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_constant(gpcs, text).has_value());
    }
}
