// Simpler models of the same rows: an event model is worth its trouble only where it beats them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpline {

/// What a simple model knows of a row. Durations are all ms, or all cycles.
struct BaselineRow {
    std::string group;        ///< rows that share fitted numbers
    std::int64_t length = 0;  ///< rows of one length are left out together
    double measured = 0.0;
    double roofline = 0.0;  ///< max of FLOPs at the tensor peak and compulsory bytes at HBM rate
    double flops = 0.0;
};

/// Relative errors. Fitted ones are of numbers fitted on the group's other lengths; they are
/// missing where too few lengths remain.
struct BaselineErrors {
    double roofline = 0.0;
    std::optional<double> efficiency;  ///< roofline / one efficiency
    std::optional<double> affine;      ///< T0 + FLOPs / R
};

/// One for each row. Fits minimise the sum of squared relative errors.
[[nodiscard]] std::vector<BaselineErrors> baseline_errors(const std::vector<BaselineRow>& rows);

}  // namespace warpline
