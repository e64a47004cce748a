// Predictions of many points: files are read, kernels lowered and schedules of an SM computed once.
#pragma once

#include "warpline/device/operation.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/explore/changes.hpp"
#include "warpline/numerics/score_distribution.hpp"
#include "warpline/workload/block_lists.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warpline {

class DataFiles;
struct GpuFamily;
struct KernelFamily;
class LoweredKernel;
class ScheduleMemo;

/// One question, by value.
struct Point {
    std::string kernel;  ///< as read_pipeline() takes it
    std::string gpu;     ///< as load_gpu_spec() takes it
    AttentionProblem problem;
    Changes changes;
    PredictOptions options;
    /// What scores are like, which says how often the kernel rescales; nothing: as the kernel's
    /// file says.
    std::optional<ScoreDistribution> scores = std::nullopt;
    /// Blocks that are visited in place of a mask; null: the mask's.
    std::shared_ptr<const BlockLists> blocks = nullptr;
};

/// Answers points. Safe to use from several threads; an answer is the same whatever was asked
/// before, and the same as predict_operation()'s. Where a kernel does not take a problem and its
/// family's dispatcher runs another there, the other answers.
class Predictor {
  public:
    explicit Predictor(std::filesystem::path data_dir);
    /// Reads through `files`, each file once.
    explicit Predictor(std::shared_ptr<DataFiles> files);

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
    /// The kernels of a point, lowered. Errors: those of load_gpu_spec(), make_operation() and,
    /// with scores, rescale_chance().
    [[nodiscard]] Result<std::shared_ptr<const Operation>> operation(const Point& point) const;

  private:
    using Family = std::shared_ptr<const GpuFamily>;
    [[nodiscard]] Result<Family> family(const std::string& gpu) const;
    using Lowered = std::shared_ptr<LoweredKernel>;
    [[nodiscard]] Result<Lowered> lowered(const Point& point) const;
    struct Found {
        std::shared_ptr<const Operation> operation;
        Spec spec;
    };
    /// The point's kernel, or the one in its place.
    [[nodiscard]] Result<Found> find(const Point& point) const;
    [[nodiscard]] std::shared_ptr<const std::vector<KernelFamily>> kernel_families() const;
    /// The point with its scores turned into the parameter that stands for them.
    [[nodiscard]] Result<Point> without_scores(const Point& point) const;

    std::shared_ptr<DataFiles> files_;
    std::shared_ptr<ScheduleMemo> memo_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, Result<Family>> families_;
    mutable std::map<std::string, Result<Spec>> specs_;
    mutable std::map<std::string, Result<Source>> sources_;
    mutable std::map<std::string, Result<Lowered>> lowered_;
    mutable std::map<std::string, Result<double>> chances_;
    mutable std::shared_ptr<const std::vector<KernelFamily>> kernel_families_;
};

}  // namespace warpline
