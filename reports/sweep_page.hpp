// The report of a sweep, from the rows that it wrote.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/reports/report_page.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// One point of a study, as its row has it.
struct SweepPoint {
    std::vector<std::string> values;  ///< by axis
    bool answered = false;
    double ms = 0.0, tflops = 0.0;  ///< of points that were answered
    std::string bound_by, reason;   ///< answered; not answered
};

struct SweepTable {
    std::vector<std::string> axes;  ///< what was varied
    std::vector<SweepPoint> points;
    std::string run;  ///< that the rows belong to; empty: they do not say
};

/// Reads the CSV of a sweep: a header with `status`, `ms` and `tflops`, before which the axes
/// stand, after an `index`. Errors (input): another header, a row with another number of fields, a
/// time that is not a number.
[[nodiscard]] Result<SweepTable> parse_sweep(std::string_view text, const std::string& file_name);

/// Rates over the axis with most values, a line for each combination of the others; the best
/// points; and every point, up to 5000.
[[nodiscard]] ReportPage sweep_page(const SweepTable& table, const std::string& version,
                                    const std::string& command);

}  // namespace warpline
