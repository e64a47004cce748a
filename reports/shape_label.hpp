// A problem in a few columns of a table.
#pragma once

#include "warpline/workload/attention.hpp"

#include <string>

namespace warpline {

/// "128" or "192:128".
[[nodiscard]] std::string head_dim_label(const AttentionProblem& problem);
/// "8192", "512:4096" (queries : keys), or "varlen".
[[nodiscard]] std::string length_label(const AttentionProblem& problem);
/// "full", "causal", "window 512".
[[nodiscard]] std::string mask_label(const Mask& mask);

}  // namespace warpline
