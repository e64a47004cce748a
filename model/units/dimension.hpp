// What a quantity measures, as exponents of base units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpline {

/// Base units. A clock tick is one of its own, so that hertz is clk/s and cycles / clock = seconds.
/// Counted things (SMs, registers, ...) are told apart too: 148 SM is not 148 threads.
enum class BaseUnit : std::uint8_t {
    byte,
    clock,
    flop,
    second,
    watt,
    sm,
    cta,
    thread,
    reg,  ///< a 32-bit register
    column,
    instruction,
    slot,
    partition,
};

inline constexpr std::size_t base_unit_count = 13;

struct Dimension {
    // Bytes, because GCC 12 confuses template arguments that hold arrays of wider integers.
    std::array<std::int8_t, base_unit_count> exponents{};

    /// `base` to the power `exponent`.
    static constexpr Dimension of(BaseUnit base, int exponent = 1) {
        Dimension dimension;
        dimension.exponents.at(static_cast<std::size_t>(base)) = static_cast<std::int8_t>(exponent);
        return dimension;
    }

    friend constexpr Dimension operator*(const Dimension& a, const Dimension& b) {
        Dimension product;
        for (std::size_t i = 0; i < base_unit_count; ++i) {
            product.exponents.at(i) =
                static_cast<std::int8_t>(a.exponents.at(i) + b.exponents.at(i));
        }
        return product;
    }

    friend constexpr Dimension operator/(const Dimension& a, const Dimension& b) {
        Dimension quotient;
        for (std::size_t i = 0; i < base_unit_count; ++i) {
            quotient.exponents.at(i) =
                static_cast<std::int8_t>(a.exponents.at(i) - b.exponents.at(i));
        }
        return quotient;
    }

    friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};

}  // namespace warpline
