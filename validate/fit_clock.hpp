// The one clock at which predictions come closest to measured times; where it is known how a
// board's power limit spreads the clocks of several kernels, the one level of all of them.
#pragma once

#include "warpline/units/clock.hpp"

#include <optional>
#include <vector>

namespace warpline {

/// A predicted time as a function of the clock: fixed_ms + cycles / (pace x clock).
struct ClockedTime {
    double measured_ms = 0.0;
    double fixed_ms = 0.0;  ///< launch overhead, and what memory alone decides
    double cycles = 0.0;
    double pace = 1.0;  ///< the row's clock over the one of all rows

    [[nodiscard]] double at(double megahertz) const {
        return fixed_ms + cycles / (pace * megahertz) / 1e3;
    }
};

struct ClockRange {
    double low_mhz = 0.0, high_mhz = 0.0;
};

struct FittedClock {
    ClockHz clock;            ///< inside the range, whole hertz
    double wanted_mhz = 0.0;  ///< where the errors are least, range or not
    bool at_bound = false;    ///< the range decided, not the measurements
};

/// The clock that minimises the sum of squared relative errors of `times`, inside `range`. Nothing
/// when no time depends on the clock, or no positive clock explains them.
[[nodiscard]] std::optional<FittedClock> fit_clock(const std::vector<ClockedTime>& times,
                                                   const ClockRange& range);

}  // namespace warpline
