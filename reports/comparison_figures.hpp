// A comparison as data for a report's figures and tables.
#pragma once

#include "warpline/reports/report_table.hpp"
#include "warpline/validate/compare.hpp"

#include <string>
#include <vector>

namespace warpline {

/// One JSON object without `<`: rows of measured and predicted milliseconds (of cycles at the row's
/// clock where time was not measured) and the groups they belong to.
[[nodiscard]] std::string comparison_figure_json(const Comparison& comparison);

/// Errors by group, then row by row.
[[nodiscard]] std::vector<ReportTable> comparison_tables(const Comparison& comparison);

}  // namespace warpline
