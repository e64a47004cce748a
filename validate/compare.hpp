// Predicted against measured, row by row. A comparison is a value; reports print it.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/validate/measured_rows.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warpline {

/// A work counter per SM: what the kernel executed, whatever the clock.
struct ComparedCounter {
    std::string name;  ///< column of the measured table
    double measured = 0.0;
    double predicted = 0.0;
};

struct ComparedRow {
    MeasuredRow row;
    std::string kernel;  ///< pipeline file that predicted it
    ClockChoice clock;
    bool clock_is_measured = false;  ///< else the prediction's default clock
    /// What the error is of: time (given, or from the rate), or else mean active cycles.
    bool by_time = true;
    double measured_ms = 0.0, predicted_ms = 0.0;
    double measured_tflops = 0.0, predicted_tflops = 0.0;
    double measured_cycles = 0.0, predicted_cycles = 0.0;  ///< mean active; 0 measured: not known
    double error = 0.0;  ///< predicted / measured - 1, of a duration: positive is too slow
    std::vector<ComparedCounter> counters;
    std::string bound_by;
};

/// Errors of the rows alike in kernel, direction, head dims and mask.
struct ErrorSummary {
    std::string gpu, kernel;
    Direction direction = Direction::forward;
    std::int64_t head_dim_qk = 0, head_dim_v = 0;
    MaskKind mask = MaskKind::full;
    std::int64_t rows = 0;
    double mean_absolute = 0.0;
    double max_absolute = 0.0;
    double bias = 0.0;  ///< mean signed error
};

struct Comparison {
    std::vector<ComparedRow> rows;
    std::vector<UnusableRow> unusable;
    std::vector<ErrorSummary> groups;  ///< in order of first appearance
    ErrorSummary overall;              ///< only its counts and errors
};

struct RowPrediction {
    std::string kernel;
    Prediction prediction;
    int sub_partitions = 4;
    UnitScope tensor_scope = UnitScope::sm;
};

/// Answers one row, at the row's clock when it has one. A failure makes the row unusable, with the
/// first diagnostic as the reason.
using RowPredictor = std::function<Result<RowPrediction>(const MeasuredRow& row)>;

/// Errors: input when no row is usable, with every reason.
[[nodiscard]] Result<Comparison> compare_rows(const MeasuredTable& table,
                                              const RowPredictor& predictor);

struct CompareOptions {
    PredictOptions predict;  ///< its clock serves rows without one
    std::vector<ConstantOverride> constants;
    std::vector<ParameterOverride> parameters;
};

/// The pipeline file among `kernels` that models a row's kernel: the one of that name, or
/// "fa4_fwd" for family fa4 and direction fwd. Errors: usage ("no pipeline file for family cudnn").
[[nodiscard]] Result<std::string> kernel_for(const MeasuredRow& row,
                                             const std::vector<std::string>& kernels);

/// Predicts every row from the specs and pipelines of `data_dir`. Errors: those of compare_rows().
[[nodiscard]] Result<Comparison> compare(const std::filesystem::path& data_dir,
                                         const MeasuredTable& table,
                                         const CompareOptions& options = {});

}  // namespace warpline
