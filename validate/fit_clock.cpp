#include "warpline/validate/fit_clock.hpp"

#include <algorithm>
#include <cmath>

namespace warpline {

std::optional<FittedClock> fit_clock(const std::vector<ClockedTime>& times,
                                     const ClockRange& range) {
    // The relative error is linear in the cycle time u = 1 / clock: (fixed + cycles u) / measured
    // - 1.
    double slope_target = 0.0;
    double slope_squared = 0.0;
    for (const ClockedTime& time : times) {
        const double slope = time.cycles / time.pace / 1e3 / time.measured_ms;
        slope_target += slope * (1.0 - time.fixed_ms / time.measured_ms);
        slope_squared += slope * slope;
    }
    if (slope_squared <= 0.0 || slope_target <= 0.0) {
        return std::nullopt;
    }
    FittedClock fit;
    fit.wanted_mhz = slope_squared / slope_target;
    const double inside = std::clamp(fit.wanted_mhz, range.low_mhz, range.high_mhz);
    fit.clock = ClockHz(std::llround(inside * 1e6));
    fit.at_bound = fit.wanted_mhz <= range.low_mhz || fit.wanted_mhz >= range.high_mhz;
    return fit;
}

}  // namespace warpline
