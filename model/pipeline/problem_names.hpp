// What a pipeline file can ask about the problem.
#pragma once

#include "warpline/pipeline/expression.hpp"
#include "warpline/workload/attention.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpline {

/// The names of the problem and their values. With variable lengths, `seqlen_q` and `seqlen_kv` are
/// the longest of any sequence and `batch` is the number of sequences.
[[nodiscard]] std::vector<std::pair<std::string, double>> problem_names(
    const AttentionProblem& problem);

}  // namespace warpline
