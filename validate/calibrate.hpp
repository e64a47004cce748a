// Hardware constants fitted to measured rows.
//
// The residuals are ln(predicted / measured) of the rows on one side of the fixed split; the other
// side judges. Rows without a clock share one for each clock group (see GroupFit), fitted anew for
// every value of the constants, so that constants are judged by what a clock cannot explain.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/validate/comparison_parts.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace warpline {

struct CalibrateOptions {
    std::string gpu;                     ///< whose rows; empty: all rows are of one GPU
    std::vector<std::string> constants;  ///< keys of the specification; "mufu.ex2" for its rate
    Split side = Split::calibration;     ///< fitted on; the other side is held out
    bool best_run = false;               ///< as RowOptions::best_run
};

/// Which end of its range a fitted constant rests on.
enum class RangeEnd : std::uint8_t { none, low, high };

struct CalibratedConstant {
    Constant stated;      ///< as the specification has it; its interval is the range of the fit
    std::string text;     ///< fitted, as a specification writes it: "131.2 clk"
    double fitted = 0.0;  ///< in the unit of `stated`
    /// 95 % confidence, no narrower than what moves no prediction, inside the range.
    double low = 0.0, high = 0.0;
    RangeEnd rests_on = RangeEnd::none;

    /// Whether the rows exclude any of the range.
    [[nodiscard]] bool determined() const { return low > *stated.low || high < *stated.high; }
};

struct CalibratedSide {
    Split split = Split::calibration;
    ErrorStatistics before,
        after;  ///< of relative errors, each at clocks fitted on the fitted side
};

/// The clock of a group of rows that state none.
struct CalibratedClock {
    std::string file, kernel;  ///< as the table has them, the file without folders
    Direction direction = Direction::forward;
    MaskKind mask = MaskKind::full;
    FittedClock before, after;
};

struct Calibration {
    std::string gpu, title;
    std::vector<CalibratedConstant> constants;
    std::vector<CalibratedClock> clocks;
    CalibratedSide fitted, held_out;
    std::vector<std::string> files;  ///< of the fitted rows, without folders
    std::vector<UnusableRow> unusable;
    int iterations = 0;
    bool settled = false;  ///< otherwise the iterations ran out

    /// Settled, with every constant and clock inside its range: bounds decide nothing.
    [[nodiscard]] bool succeeded() const;
};

/// Errors: usage (no or unknown constants, some without an interval or not a continuous number),
/// input (no usable rows, or no more than what is fitted), infeasible (constants that no row sees
/// or that the rows cannot tell apart), and those of a prediction inside the ranges.
[[nodiscard]] Result<Calibration> calibrate(const std::filesystem::path& data_dir,
                                            const MeasuredTable& table,
                                            const CalibrateOptions& options);

/// A specification that inherits the GPU's and states the fitted constants, with their source.
/// Precondition: succeeded().
[[nodiscard]] std::string calibration_overlay(const Calibration& calibration);

}  // namespace warpline
