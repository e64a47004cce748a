// The constants of a calibration: which can be fitted, and which the rows can see.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/validate/least_squares.hpp"

#include <string>
#include <vector>

namespace warpline {

/// The constants by name. Errors (usage): none, unknown, named twice, without an interval, or not a
/// continuous quantity; all of them at once.
[[nodiscard]] Result<std::vector<Constant>> constants_to_fit(const GpuSpec& spec,
                                                             const std::vector<std::string>& names);

/// Each starts at its value and stays in its interval. Precondition: from constants_to_fit().
[[nodiscard]] std::vector<BoundedUnknown> unknowns_of(const std::vector<Constant>& constants);

/// Whether residuals changed at all.
[[nodiscard]] bool moves(const Residuals& change);

/// Errors (infeasible): the rows do not see some of the constants, or see several as one.
[[nodiscard]] Result<void> check_seen(const std::vector<Constant>& constants,
                                      const std::vector<Residuals>& derivatives,
                                      const std::vector<BoundedUnknown>& unknowns);

/// "131.2 clk": a value as a specification writes it.
[[nodiscard]] std::string quantity_text(double value, const std::string& unit, int digits);

}  // namespace warpline
