// Predicted against measured, row by row. A comparison is a value; reports print it.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/validate/baselines.hpp"
#include "warpline/validate/fit_clock.hpp"
#include "warpline/validate/measured_rows.hpp"
#include "warpline/validate/split.hpp"
#include "warpline/validate/statistics.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// A work counter per SM: what the kernel executed, whatever the clock.
struct ComparedCounter {
    std::string name;  ///< column of the measured table
    double measured = 0.0;
    double predicted = 0.0;
};

/// Where the clock of a predicted time comes from.
enum class ClockSource : std::uint8_t {
    measured,  ///< of the row
    fitted,    ///< to the times of the row's file, see ClockFit
    assumed,   ///< what the power limit leaves, the GPU's default, or the one asked for
};

/// "measured", "fitted", "assumed".
[[nodiscard]] std::string_view clock_source_name(ClockSource source);

struct ComparedRow {
    MeasuredRow row;
    std::string kernel;                 ///< pipeline file that predicted it
    std::vector<std::string> variants;  ///< what an earlier build of the kernel did otherwise
    ClockChoice clock;
    ClockSource clock_source = ClockSource::assumed;
    bool clock_at_bound = false;  ///< fitted, and the plausible range decided
    bool within_limit = false;    ///< the clock is held at what the board's power limit allows
    /// What the error is of: time (given, or from the rate), or else mean active cycles.
    bool by_time = true;
    double measured_ms = 0.0, predicted_ms = 0.0;
    double measured_tflops = 0.0, predicted_tflops = 0.0;
    double measured_cycles = 0.0, predicted_cycles = 0.0;  ///< mean active; 0 measured: not known
    double error = 0.0;  ///< predicted / measured - 1, of a duration: positive is too slow
    /// The same where the clock was fitted without the rows of this length; `error` where no clock
    /// was fitted; nothing where no other length is there.
    std::optional<double> held_out_error;
    BaselineErrors baselines;
    double measured_utilization = 0.0;   ///< counted FLOPs over what the tensor cores can do
    double predicted_utilization = 0.0;  ///< in the duration, at the row's clock
    std::vector<ComparedCounter> counters;
    std::string bound_by;
};

/// Errors of the rows alike in kernel, direction, head dims and mask.
struct ErrorSummary : ErrorStatistics {
    std::string gpu, kernel;
    Direction direction = Direction::forward;
    std::int64_t head_dim_qk = 0, head_dim_v = 0;
    MaskKind mask = MaskKind::full;
    std::optional<double> rank_correlation;  ///< of utilization, over the rows
};

/// Mean absolute errors of the model and of simpler ones, over the rows where all are known: each
/// is judged on lengths that it was not fitted on.
struct BaselineSummary {
    std::int64_t rows = 0;
    double model = 0.0, roofline = 0.0, efficiency = 0.0, affine = 0.0;

    /// Whether the model's mean error is below that of each other.
    [[nodiscard]] bool model_is_best() const {
        return model < roofline && model < efficiency && model < affine;
    }
};

/// The rows of one file alike in GPU, measured kernel, direction and mask.
struct FileSummary {
    std::string file, gpu, kernel;
    Direction direction = Direction::forward;
    std::optional<MaskKind> mask;      ///< nothing: all masks together
    std::optional<FittedClock> clock;  ///< one for the whole group, the mean of its rows'
    ErrorStatistics errors;
    std::optional<BaselineSummary> baselines;
};

/// How well the model picks among kernels measured on the same problem: measured speed of its
/// choice over that of the best.
struct SelectionQuality {
    std::int64_t problems = 0;  ///< with at least two predicted kernels in one file
    double mean = 1.0, worst = 1.0;
};

struct Comparison {
    std::vector<ComparedRow> rows;
    std::vector<UnusableRow> unusable;
    std::vector<ErrorSummary> groups;  ///< in order of first appearance
    ErrorSummary overall;              ///< only its counts, errors and rank correlation
    std::vector<FileSummary> files;    ///< by file and kernel, masks apart, then together
    SelectionQuality selection;
};

struct RowPrediction {
    std::string kernel;
    Prediction prediction;
    int sub_partitions = 4;
    UnitScope tensor_scope = UnitScope::sm;
    std::vector<std::string> variants;
    double peak_flops_per_cycle = 0.0;  ///< of all tensor cores, for the row's type
    double hbm_bytes_per_second = 0.0;  ///< sustained
    ClockRange clock_range;             ///< plausible under a long attention kernel
};

/// Answers one row, at the row's clock when it has one. A failure makes the row unusable, with the
/// first diagnostic as the reason.
using RowPredictor = std::function<Result<RowPrediction>(const MeasuredRow& row)>;

struct RowOptions {
    /// Fit one clock for the rows without one that share file, GPU, kernel, direction and mask; see
    /// GroupFit (comparison_parts.hpp) for what one clock means where the power limit is known.
    bool fit_clock = false;
    /// Of rows of one file that measure a kernel on the same problem, keep the fastest.
    bool best_run = false;
    std::optional<Split> split;  ///< keep one side only
};

/// Errors: input when no row is usable, with every reason.
[[nodiscard]] Result<Comparison> compare_rows(const MeasuredTable& table,
                                              const RowPredictor& predictor,
                                              const RowOptions& options = {});

struct CompareOptions {
    /// Where the specification knows energies: predict rows whose clock was set, and rows without
    /// one, at no more than the board's power limit allows.
    bool power_limit = true;
    PredictOptions predict;  ///< its clock serves rows without one
    std::vector<ConstantOverride> constants;
    std::vector<ParameterOverride> parameters;
    RowOptions rows;
};

/// Predicts every row from the specs, pipelines and kernel families of `data_dir`. A row's kernel
/// is the id of a pipeline file, or of a family, which chooses one. Errors: those of
/// compare_rows().
[[nodiscard]] Result<Comparison> compare(const std::filesystem::path& data_dir,
                                         const MeasuredTable& table,
                                         const CompareOptions& options = {});

}  // namespace warpline
