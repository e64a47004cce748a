// Which SM clock a prediction is stated at.
#pragma once

#include "warpline/device/prediction.hpp"

namespace warpline {

/// The clock asked for, else the spec's sustained attention clock with its interval.
/// Errors: usage when both a clock and boost are asked for, or the clock is not positive.
[[nodiscard]] Result<ClockChoice> choose_clock(const GpuSpec& spec, const PredictOptions& options);

/// SM clock under load over what the driver reports; 1 where that was not measured.
[[nodiscard]] double loaded_clock_share(const GpuSpec& spec);

/// Duration of `cycles` at `clock`.
[[nodiscard]] double seconds_from_cycles(double cycles, const ClockHz& clock);

}  // namespace warpline
