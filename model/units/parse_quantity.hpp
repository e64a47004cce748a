// "128 B/clk" -> a number with its unit.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/units/measurement_unit.hpp"
#include "warpline/units/quantity.hpp"

#include <string>
#include <string_view>

namespace warpline {

/// A quantity as it was written: printing and parsing it again gives the same bits.
struct WrittenQuantity {
    double number = 0.0;
    MeasurementUnit unit;

    /// In base units (B, clk, FLOP, s, W).
    [[nodiscard]] double base_value() const { return number * unit.scale; }
    /// In another unit of the same dimension.
    [[nodiscard]] double in(const MeasurementUnit& other) const;
    /// "128 B/clk"
    [[nodiscard]] std::string text() const;
};

/// Parses a number and a unit of `dimension`; the space between them is optional. Errors (input):
/// no number, no unit, an unknown unit (with the nearest name), another dimension, a negative
/// number, NaN, infinity, more than a double holds.
[[nodiscard]] Result<WrittenQuantity> parse_quantity(std::string_view text,
                                                     const Dimension& dimension);

/// The same, for a quantity known at compile time: parse_as<Bytes>("227 KiB").
template <typename Q>
[[nodiscard]] Result<Q> parse_as(std::string_view text) {
    return parse_quantity(text, Q::dimension).map([](const WrittenQuantity& written) {
        return Q(written.base_value());
    });
}

}  // namespace warpline
