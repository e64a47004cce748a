// What a comparison comes to: per file with its clock, and against simpler models.
#pragma once

#include "warpline/reports/text.hpp"
#include "warpline/validate/compare.hpp"

#include <string>
#include <vector>

namespace warpline {

/// Which clocks stand in for those that were not measured with the rows: "what the power limit
/// leaves, or the GPU's default".
[[nodiscard]] std::string assumed_clocks(const std::vector<ComparedRow>& rows);

/// One line for each file, GPU, kernel, direction and mask: rows, clock, errors.
[[nodiscard]] std::string file_table(const Comparison& comparison, const Style& style);

/// The model beside simpler ones on lengths that each was not fitted on, and where it does not
/// beat them; empty when no row has them all.
[[nodiscard]] std::string baseline_table(const Comparison& comparison, const Style& style);

/// Measured and predicted counters of work by kernel, mean over the rows that have them; empty
/// without counters.
[[nodiscard]] std::string counter_table(const Comparison& comparison, const Style& style);

/// Rank correlation and quality of selection, a line each where they are defined.
[[nodiscard]] std::string ranking_lines(const Comparison& comparison);

}  // namespace warpline
