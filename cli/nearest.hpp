// The measurements nearest to a question, answered by the model beside the question itself.
#pragma once

#include "cli/problem_options.hpp"
#include "warpline/validate/compare.hpp"

#include <future>
#include <string>
#include <vector>

namespace warpline::cli {

/// Starts predicting the (at most three) shipped measurements nearest to the problem, at the
/// shipped parameters and constants, each in a thread of its own. What cannot be predicted is left
/// out.
[[nodiscard]] std::vector<std::future<Result<Comparison>>> start_nearest(
    const std::string& data_dir, const LoadedKernel& kernel);

/// Waits for them: nearest first, of those whose dispatcher takes `kernel`.
[[nodiscard]] std::vector<ComparedRow> finish_nearest(
    std::vector<std::future<Result<Comparison>>> started, const std::string& kernel);

}  // namespace warpline::cli
