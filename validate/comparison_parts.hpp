// The stages of compare_rows(), each in a file of its own.
#pragma once

#include "warpline/validate/compare.hpp"

#include <vector>

namespace warpline {

/// The predictor of compare(), which keeps what it loads; for one thread.
[[nodiscard]] RowPredictor directory_predictor(const std::filesystem::path& data_dir,
                                               const CompareOptions& options);

/// `row` as one that cannot be compared.
[[nodiscard]] UnusableRow unusable_row(const MeasuredRow& row, std::string reason);

/// The rows that `options` ask for; those left aside are added to `left`.
[[nodiscard]] std::vector<const MeasuredRow*> chosen_rows(const MeasuredTable& table,
                                                          const RowOptions& options,
                                                          std::vector<UnusableRow>& left);

/// A row that is being compared, with what the stages need of its prediction.
struct RowInProgress {
    ComparedRow compared;
    ClockedTime time;  ///< meaningless when not compared by time
    ClockRange clock_range;
    /// What the board's power limit leaves of the clock, of a row without one; 0: not known.
    double limited_mhz = 0.0;
    double roofline = 0.0;  ///< duration of the plain roofline, in the unit of the comparison
};

/// Predicts `row` and sets it beside its measurement. Errors: the predictor's.
[[nodiscard]] Result<RowInProgress> compare_row(const MeasuredRow& row,
                                                const RowPredictor& predictor);

/// One clock for a group: that of each row or, where the clocks are known that the board's power
/// limit leaves its rows, the mean of theirs, which lie as far apart as those do.
struct GroupFit {
    std::string group;
    FittedClock fit;
    double limited_mhz = 0.0;  ///< mean over the group's rows; 0: not known

    /// A row's clock over the group's.
    [[nodiscard]] double pace_of(double row_limited_mhz) const {
        return limited_mhz > 0.0 && row_limited_mhz > 0.0 ? row_limited_mhz / limited_mhz : 1.0;
    }
};

/// Where a group's clock may lie so that none of its rows' leaves the range of its own.
[[nodiscard]] ClockRange range_of_group(const std::vector<const RowInProgress*>& group);

/// Predicts a row without a clock again at the group's. Errors: the predictor's.
[[nodiscard]] Result<RowInProgress> compare_at(const RowInProgress& row, const GroupFit& fit,
                                               const RowPredictor& predictor);

/// Predicts rows whose clock is not known again, at the clock that explains their group best.
/// Returns the fits by clock_group(). Errors: the predictor's.
[[nodiscard]] Result<std::vector<GroupFit>> fit_clocks(std::vector<RowInProgress>& rows,
                                                       const RowPredictor& predictor);

/// Fills ComparedRow::held_out_error and ComparedRow::baselines.
void judge_held_out(std::vector<RowInProgress>& rows);

/// Fills everything but the rows.
void summarize(Comparison& comparison, const std::vector<GroupFit>& fits);

}  // namespace warpline
