// Simulated time. One integer type for every duration and instant, so that results are
// bit-identical anywhere.
#pragma once

#include <cstdint>

namespace warpline {

/// A duration or an instant in sixteenths of an SM clock cycle.
using Tick = std::int64_t;

inline constexpr Tick ticks_per_cycle = 16;

/// Whole cycles to ticks.
[[nodiscard]] constexpr Tick ticks_from_cycles(std::int64_t cycles) {
    return cycles * ticks_per_cycle;
}

/// Fractional cycles to ticks, rounded to the nearest tick, halves away from zero. `cycles` must be
/// finite.
[[nodiscard]] constexpr Tick round_to_ticks(double cycles) {
    const double scaled = cycles * static_cast<double>(ticks_per_cycle);
    return static_cast<Tick>(scaled + (scaled < 0.0 ? -0.5 : 0.5));
}

/// Ticks to cycles, for printing and ratios only.
[[nodiscard]] constexpr double cycles_from_ticks(Tick ticks) {
    return static_cast<double>(ticks) / static_cast<double>(ticks_per_cycle);
}

}  // namespace warpline
