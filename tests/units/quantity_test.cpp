#include "warpline/units/quantity.hpp"

#include <type_traits>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

template <typename A, typename B>
concept addable = requires(A a, B b) {
    a + b;
};
template <typename A, typename B>
concept comparable = requires(A a, B b) {
    a < b;
};

static_assert(addable<Bytes, Bytes>);
static_assert(!addable<Bytes, Cycles>);
static_assert(!addable<Bytes, double>);
static_assert(!comparable<Hertz, Cycles>);
static_assert(!std::is_convertible_v<double, Bytes>);
static_assert(std::is_same_v<decltype(Bytes() / Cycles()), BytesPerCycle>);
static_assert(std::is_same_v<decltype(Bytes() / BytesPerCycle()), Cycles>);
static_assert(std::is_same_v<decltype(Cycles() / Hertz()), Seconds>);
static_assert(std::is_same_v<decltype(FlopsPerCycle() * Hertz()), FlopsPerSecond>);
static_assert(std::is_same_v<decltype(Bytes() / Bytes()), double>);
static_assert(std::is_same_v<decltype(PerCycle() * Cycles()), double>);

}  // namespace

TEST_CASE("quantities combine as their units do") {
    CHECK((Bytes(16384) / BytesPerCycle(128)).value() == 128);
    CHECK((Cycles(1965) / Hertz(1.965e9)).value() == doctest::Approx(1e-6));
    CHECK((FlopsPerCycle(8192) * Hertz(1e9)).value() == 8.192e12);
    CHECK(Bytes(6) / Bytes(4) == 1.5);
    CHECK((2.0 * Bytes(3) + Bytes(1) - Bytes(2) / 2.0).value() == 6);
    CHECK(Cycles(1) < Cycles(2));
    CHECK(Cycles(2) == Cycles(2));
}
