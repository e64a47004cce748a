// The measured rows of a calibration: those that constants are fitted on, and those kept apart.
#pragma once

#include "warpline/validate/comparison_parts.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace warpline {

struct CalibrationRows {
    std::string gpu;
    std::vector<MeasuredRow> fitted, held_out;
    std::vector<UnusableRow> unusable;
};

/// The rows of `table` that can be predicted, apart by the fixed split: `side` is fitted on. With
/// no `gpu` all rows must be of one. A held-out row whose clock is not known needs rows of its
/// clock group on the fitted side. Errors: usage (several GPUs), input (no row to fit on).
[[nodiscard]] Result<CalibrationRows> calibration_rows(const std::filesystem::path& data_dir,
                                                       const MeasuredTable& table,
                                                       const std::string& gpu, Split side,
                                                       bool best_run);

/// Errors of rows, predicted / measured - 1, in their order, and the clocks fitted to them.
struct RowErrors {
    std::vector<double> errors;
    std::vector<GroupFit> clocks;
};

/// Fits a clock for each group of rows without one. Errors: the predictor's.
[[nodiscard]] Result<RowErrors> errors_at_fitted_clocks(const std::vector<MeasuredRow>& rows,
                                                        const RowPredictor& predictor);

/// The same, from one prediction a row: at the clock of its group in `near`, from where the fitted
/// clock moves as predicted times follow a clock. Errors: the predictor's.
[[nodiscard]] Result<RowErrors> errors_near_clocks(const std::vector<MeasuredRow>& rows,
                                                   const std::vector<GroupFit>& near,
                                                   const RowPredictor& predictor);

/// Takes the clocks of `clocks` for rows without one. Errors: the predictor's.
[[nodiscard]] Result<RowErrors> errors_at_clocks(const std::vector<MeasuredRow>& rows,
                                                 const std::vector<GroupFit>& clocks,
                                                 const RowPredictor& predictor);

}  // namespace warpline
