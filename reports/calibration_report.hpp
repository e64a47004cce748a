// Fitted constants and what they do to errors, for a person.
#pragma once

#include "warpline/reports/text.hpp"
#include "warpline/validate/calibrate.hpp"

#include <string>

namespace warpline {

/// One line a constant (before, fitted, interval, range), errors of both sides before and after,
/// fitted clocks, rows that were not used, and what makes the calibration a failure, if anything.
[[nodiscard]] std::string calibration_text(const Calibration& calibration, const Style& style = {});

}  // namespace warpline
