// The golden table: predictions that only change on purpose.
#pragma once

#include "warpline/validate/compare.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// How far a prediction may move before the golden table must be written anew.
inline constexpr double golden_tolerance = 0.005;

/// The rows that the golden table holds: the shortest and the longest of each clock group, built
/// date, type and pair of head dims.
[[nodiscard]] MeasuredTable golden_rows(const MeasuredTable& table);

/// The predictions of a comparison as CSV. Rows are known by their file and line.
[[nodiscard]] std::string golden_table(const Comparison& comparison);

/// Predictions that differ from the golden table by more than the tolerance, and golden rows that
/// are not predicted any more, a line each. Rows that the table lacks are no departure: see
/// missing_from_golden(). Errors (input): `golden` is not a table that golden_table() wrote.
[[nodiscard]] Result<std::vector<std::string>> golden_departures(std::string_view golden,
                                                                 const Comparison& comparison);

/// Predicted rows that the golden table does not hold yet, a line each. Errors: as above.
[[nodiscard]] Result<std::vector<std::string>> missing_from_golden(std::string_view golden,
                                                                   const Comparison& comparison);

}  // namespace warpline
