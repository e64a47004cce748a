// Which measured rows belong together.
#pragma once

#include "warpline/validate/measured_rows.hpp"

#include <string>

namespace warpline {

/// The file's name without its folder.
[[nodiscard]] std::string file_label(const MeasuredRow& row);

/// Rows that share a fitted clock: one GPU, file, measured kernel, direction and mask.
[[nodiscard]] std::string clock_group(const MeasuredRow& row);

/// Rows that share fitted numbers of simpler models: those of a clock group, one type and one pair
/// of head dims, all times or all cycles.
[[nodiscard]] std::string baseline_group(const MeasuredRow& row);

/// Rows of one file and GPU that measure the same problem.
[[nodiscard]] std::string problem_key(const MeasuredRow& row);

}  // namespace warpline
