// Points of a study from what the user wrote: shared by whatif, sensitivity, sweep and tune.
#pragma once

#include "cli/problem_options.hpp"
#include "warpline/explore/predictor.hpp"
#include "warpline/explore/sweep.hpp"
#include "warpline/explore/whatif.hpp"

#include <string>
#include <vector>

namespace warpline::cli {

/// "boost", "1755MHz", or nothing: the sustained clock. Errors: usage.
[[nodiscard]] Result<PredictOptions> clock_options(const std::string& clock);

/// One point. Errors: usage, also when --set changes one thing twice; those of read_pipeline().
[[nodiscard]] Result<Point> make_point(const Predictor& predictor, const std::string& kernel,
                                       const ProblemOptions& options, const std::string& clock);

/// Head dims, lengths, masks and kernels may be lists, separated by commas: every combination, the
/// mask fastest. Errors: as make_point().
[[nodiscard]] Result<std::vector<WhatIfShape>> make_shapes(const Predictor& predictor,
                                                           const std::string& kernels,
                                                           const ProblemOptions& options,
                                                           const std::string& clock);

/// How a study's names and values make a point. The predictor must outlive it.
[[nodiscard]] PointMaker study_points(const Predictor& predictor);

/// --threads: 1 to 1024, or empty for one a core.
[[nodiscard]] Result<int> thread_count(const std::string& text);

}  // namespace warpline::cli
