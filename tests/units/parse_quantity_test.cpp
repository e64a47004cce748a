#include "warpline/units/parse_quantity.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

std::string error_of(std::string_view text, const Dimension& dimension) {
    const auto result = parse_quantity(text, dimension);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().kind == FailureKind::input);
    return result.error().text();
}

struct Sample {
    const char* text;
    Dimension dimension;
    double base;
};

const std::vector<Sample>& samples() {
    static const std::vector<Sample> all = {
        {"128 B/clk", BytesPerCycle::dimension, 128},
        {"227 KiB", Bytes::dimension, 232448},
        {"126.5 MiB", Bytes::dimension, 132644864},
        {"1 GB", Bytes::dimension, 1e9},
        {"1 GiB", Bytes::dimension, 1073741824},
        {"1965 MHz", Hertz::dimension, 1.965e9},
        {"7.7 TB/s", BytesPerSecond::dimension, 7.7e12},
        {"16 /clk", PerCycle::dimension, 16},
        {"54 clk", Cycles::dimension, 54},
        {"1.85 us", Seconds::dimension, 1.85e-6},
        {"8192 FLOP/clk", FlopsPerCycle::dimension, 8192},
        {"2250 TFLOP/s", FlopsPerSecond::dimension, 2.25e15},
        {"1000 W", Watts::dimension, 1000},
        {"148 SM", Dimension::of(BaseUnit::sm), 148},
        {"2 x", Dimension{}, 2},
        {"0 clk", Cycles::dimension, 0},
        {"1e3 clk", Cycles::dimension, 1000},
        {".5 clk", Cycles::dimension, 0.5},
    };
    return all;
}

}  // namespace

TEST_CASE("quantities are read in base units and survive printing") {
    for (const Sample& sample : samples()) {
        CAPTURE(sample.text);
        const auto first = parse_quantity(sample.text, sample.dimension);
        REQUIRE(first.has_value());
        CHECK(first->base_value() == doctest::Approx(sample.base).epsilon(1e-15));
        const auto second = parse_quantity(first->text(), sample.dimension);
        REQUIRE(second.has_value());
        CHECK(second->number == first->number);
        CHECK(second->unit.text == first->unit.text);
        CHECK(second->base_value() == first->base_value());
        CHECK(second->text() == first->text());
    }
}

TEST_CASE("every unit symbol round-trips with awkward numbers") {
    for (const std::string& symbol : unit_symbols()) {
        const auto unit = parse_unit(symbol);
        REQUIRE(unit.has_value());
        CHECK(unit->text == symbol);
        for (const double number : {0.1, 1.0 / 3.0, 123456789.125, 1e-12, 7.7}) {
            const WrittenQuantity written{number, *unit};
            const auto again = parse_quantity(written.text(), unit->dimension);
            REQUIRE(again.has_value());
            CHECK(again->number == number);
            CHECK(again->unit.scale == unit->scale);
        }
    }
}

TEST_CASE("the space is optional and nouns take a plural") {
    CHECK(parse_quantity("32/clk", PerCycle::dimension)->text() == "32 /clk");
    CHECK(parse_quantity("  32  /clk ", PerCycle::dimension)->text() == "32 /clk");
    CHECK(parse_quantity("32 CTAs", Dimension::of(BaseUnit::cta))->text() == "32 CTA");
    CHECK(parse_as<Bytes>("227KiB")->value() == 232448);
    CHECK(parse_quantity("2 KiB", Bytes::dimension)->in(*parse_unit("B")) == 2048);
}

TEST_CASE("GB and GiB differ") {
    CHECK(parse_as<Bytes>("1 GiB").value() > parse_as<Bytes>("1 GB").value());
    CHECK(parse_as<Bytes>("1 MB")->value() == 1e6);
}

TEST_CASE("what is not a number with a unit of the right kind is refused, and why") {
    const Dimension clk = Cycles::dimension;
    CHECK(error_of("54", clk) == "'54' lacks a unit (expected clk)");
    CHECK(error_of("54  ", clk) == "'54  ' lacks a unit (expected clk)");
    CHECK(error_of("16", PerCycle::dimension) == "'16' lacks a unit (expected /clk)");
    CHECK(error_of("1755", Hertz::dimension) == "'1755' lacks a unit (expected Hz)");
    CHECK(error_of("54 clock", clk).find("unknown unit 'clock'") != std::string::npos);
    CHECK(error_of("54 ckl", clk) == "unknown unit 'ckl' (did you mean 'clk'?)");
    CHECK(error_of("54 KB", Bytes::dimension) == "unknown unit 'KB' (did you mean 'kB'?)");
    CHECK(error_of("54 B/clock/SM", BytesPerCycle::dimension).find("unknown unit") !=
          std::string::npos);
    CHECK(error_of("54 us", clk) == "'54 us' is in s, not in clk");
    CHECK(error_of("128 B", BytesPerCycle::dimension) == "'128 B' is in B, not in B/clk");
    CHECK(error_of("148 threads", Dimension::of(BaseUnit::sm)) ==
          "'148 threads' is in thread, not in SM");
    CHECK(error_of("-1 clk", clk) == "'-1 clk' is negative");
    CHECK(error_of("1e999 clk", clk) == "'1e999 clk' is beyond what a number holds");
    CHECK(error_of("1e308 TB", Bytes::dimension) == "'1e308 TB' is beyond what a number holds");
    for (const char* text : {"nan clk", "inf clk", "clk", "", " ", "+-1 clk", "0x10 clk", "1,5 clk",
                             "1 2 clk", "1 /", "1 clk/", "1 //clk", ". clk"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_quantity(text, clk).has_value());
    }
}
