// Predictions of many points: files are read once, schedules of an SM are computed once.
#pragma once

#include "warpline/device/operation.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/explore/changes.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpline {

class ScheduleMemo;

/// One question, by value.
struct Point {
    std::string kernel;  ///< as read_pipeline() takes it
    std::string gpu;     ///< as load_gpu_spec() takes it
    AttentionProblem problem;
    Changes changes;
    PredictOptions options;
};

/// Answers points. Safe to use from several threads; an answer is the same whatever was asked
/// before, and the same as predict_operation()'s.
class Predictor {
  public:
    explicit Predictor(std::filesystem::path data_dir);

    /// Errors: those of load_gpu_spec(), make_operation() and predict_operation().
    [[nodiscard]] Result<Prediction> predict(const Point& point) const;
    /// In the order of the points, from at most `threads` threads (0: one for each core).
    [[nodiscard]] std::vector<Result<Prediction>> predict_all(const std::vector<Point>& points,
                                                              int threads = 0) const;

    using Spec = std::shared_ptr<const GpuSpec>;
    [[nodiscard]] Result<Spec> spec(const std::string& gpu,
                                    const std::vector<ConstantOverride>& changes = {}) const;
    using Source = std::shared_ptr<const PipelineSource>;
    [[nodiscard]] Result<Source> source(const std::string& kernel) const;
    /// The kernels of a point, lowered.
    [[nodiscard]] Result<Operation> operation(const Point& point) const;

  private:
    std::filesystem::path data_dir_;
    std::shared_ptr<ScheduleMemo> memo_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, Result<Spec>> specs_;
    mutable std::map<std::string, Result<Source>> sources_;
};

}  // namespace warpline
