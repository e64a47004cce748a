// Numbers that know what they measure: adding bytes to cycles does not compile.
#pragma once

#include "warpline/units/dimension.hpp"

namespace warpline {

/// A value in base units: bytes, clocks, floating-point operations, seconds, watts.
template <Dimension D>
class Quantity {
  public:
    static constexpr Dimension dimension = D;

    constexpr Quantity() = default;
    constexpr explicit Quantity(double value) : value_(value) {}

    [[nodiscard]] constexpr double value() const { return value_; }

    friend constexpr Quantity operator+(Quantity a, Quantity b) {
        return Quantity(a.value_ + b.value_);
    }
    friend constexpr Quantity operator-(Quantity a, Quantity b) {
        return Quantity(a.value_ - b.value_);
    }
    friend constexpr Quantity operator*(Quantity a, double factor) {
        return Quantity(a.value_ * factor);
    }
    friend constexpr Quantity operator*(double factor, Quantity a) { return a * factor; }
    friend constexpr Quantity operator/(Quantity a, double divisor) {
        return Quantity(a.value_ / divisor);
    }
    friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;

  private:
    double value_ = 0.0;
};

/// A product in which everything cancels is a plain number.
template <Dimension D>
struct QuantityOrNumber {
    using Type = Quantity<D>;
};
template <>
struct QuantityOrNumber<Dimension{}> {
    using Type = double;
};

template <Dimension A, Dimension B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
    return typename QuantityOrNumber<A * B>::Type(a.value() * b.value());
}

template <Dimension A, Dimension B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
    return typename QuantityOrNumber<A / B>::Type(a.value() / b.value());
}

using Bytes = Quantity<Dimension::of(BaseUnit::byte)>;
using Cycles = Quantity<Dimension::of(BaseUnit::clock)>;
using Flops = Quantity<Dimension::of(BaseUnit::flop)>;
using Seconds = Quantity<Dimension::of(BaseUnit::second)>;
using Watts = Quantity<Dimension::of(BaseUnit::watt)>;
using PerCycle = Quantity<Dimension{} / Cycles::dimension>;
using BytesPerCycle = Quantity<Bytes::dimension / Cycles::dimension>;
using FlopsPerCycle = Quantity<Flops::dimension / Cycles::dimension>;
using Hertz = Quantity<Cycles::dimension / Seconds::dimension>;
using BytesPerSecond = Quantity<Bytes::dimension / Seconds::dimension>;
using FlopsPerSecond = Quantity<Flops::dimension / Seconds::dimension>;

}  // namespace warpline
