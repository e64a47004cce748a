// The best values of some parameters of a kernel.
#pragma once

#include "warpline/explore/predictor.hpp"
#include "warpline/explore/study.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpline {

/// One choice of a value for every axis.
struct TunedPoint {
    std::vector<std::string> values;  ///< in the order of the axes
    double seconds = 0.0;
    std::string bound_by;
};

/// One axis, the others at the optimum.
struct TunedAxis {
    std::string name;
    std::vector<std::string> values;
    std::vector<std::optional<double>> seconds;  ///< nothing where the kernel cannot be
};

struct Tuning {
    double default_seconds = 0.0;  ///< of the point without a choice
    TunedPoint best;
    std::optional<TunedPoint> runner_up;
    std::vector<TunedAxis> axes;
    std::int64_t points = 0;            ///< of the space; -1: more than 2^62
    std::int64_t tried = 0;             ///< different ones
    std::int64_t impossible = 0;        ///< of those tried
    std::int64_t within_1_percent = 0;  ///< of those tried, of the best
    bool proved = false;                ///< every point of the space was tried
};

struct TuneOptions {
    std::int64_t exhaustive = 4096;  ///< largest space of which every point is tried
    int threads = 0;
};

/// Tries every choice where there are few. Else coordinate descent: from several starts (the
/// lowest, middle and highest values, and two diagonals between), each axis in turn is set to its
/// best value with the others as they are, until none improves. Of equally fast choices the first
/// in the order of the axes wins. Errors: those of the point itself; usage (no axis, an axis of the
/// same name twice); infeasible (no choice works, with the reason of the first).
[[nodiscard]] Result<Tuning> tune(const Predictor& predictor, const Point& point,
                                  const std::vector<StudyAxis>& axes,
                                  const TuneOptions& options = {});

}  // namespace warpline
