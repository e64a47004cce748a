// Predicted against measured, for a person and for a spreadsheet.
#pragma once

#include "warpline/reports/text.hpp"
#include "warpline/validate/compare.hpp"

#include <string>
#include <vector>

namespace warpline {

/// One line a row (measured, predicted, error), errors by kernel, direction, head dims and mask,
/// and every row that could not be used with its reason. At most 100 columns.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, const Style& style = {});

/// One line a row under a header; unusable rows follow with their reason in the last field and
/// nothing predicted. Texts are safe to open in a spreadsheet.
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

/// Rows that are left out, those of one file for one reason together.
[[nodiscard]] std::string unusable_rows_text(const std::vector<UnusableRow>& rows);

}  // namespace warpline
