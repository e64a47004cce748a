// Every point of a study, answered in parallel and handed out in order.
#pragma once

#include "warpline/explore/predictor.hpp"
#include "warpline/explore/study.hpp"

#include <functional>
#include <optional>
#include <string>

namespace warpline {

/// One point and its answer.
struct SweepRow {
    std::int64_t index = 0;  ///< in the study
    Assignments assignments;
    std::optional<FailureKind> failed;  ///< nothing: there is an answer
    std::string reason;                 ///< why not
    double seconds = 0.0, tflops = 0.0, utilization = 0.0;
    double makespan_cycles = 0.0;
    SteadyAnswers steady;
    std::string bound_by;
};

/// Makes a point from a study's names and values. Errors: a value that cannot be understood.
using PointMaker = std::function<Result<Point>(const Assignments&)>;

/// Points [begin, end) of a study.
struct SweepRange {
    std::int64_t begin = 0, end = 0;
};

/// Part `shard` (1-based) of `shards` parts of almost equal size, in order: outputs of all parts
/// one after the other are the output of the whole. Precondition: 1 <= shard <= shards.
[[nodiscard]] SweepRange shard_of(std::int64_t points, std::int64_t shard, std::int64_t shards);

/// Finds, before anything is computed, what would fail at every point: kernels, GPUs, constants
/// and parameters that do not exist. Errors: usage, with the nearest name.
[[nodiscard]] Result<void> check_names(const Study& study, const Predictor& predictor,
                                       const PointMaker& make_point);

[[nodiscard]] SweepRow answer(const Study& study, std::int64_t index, const Predictor& predictor,
                              const PointMaker& make_point);

/// Answers the range in parallel, writes each row as a text with `format`, and gives the texts to
/// `take` in order of the index. Memory does not grow with the range. Ends early when `take`
/// returns false.
void sweep(const Study& study, const SweepRange& range, const Predictor& predictor,
           const PointMaker& make_point, int threads,
           const std::function<std::string(const SweepRow&)>& format,
           const std::function<bool(const std::string&)>& take);

}  // namespace warpline
