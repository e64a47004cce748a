// Clocks are exact: 1.965 GHz is 1 965 000 000 Hz and not the double nearest to it.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/units/quantity.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/rational.hpp>

namespace warpline {

/// An exact clock in hertz.
using ClockHz = boost::rational<std::int64_t>;

/// Parses "1755MHz", "1965 MHz" or "1.965 GHz". Errors (input): as parse_quantity; also a clock
/// outside 1 MHz to 100 GHz, and one finer than a microhertz.
[[nodiscard]] Result<ClockHz> parse_clock(std::string_view text);

/// "1965 MHz"; exact when the clock was parsed.
[[nodiscard]] std::string clock_text(const ClockHz& clock);

[[nodiscard]] inline Hertz to_hertz(const ClockHz& clock) {
    return Hertz(boost::rational_cast<double>(clock));
}

}  // namespace warpline
