// The fixed split of measured rows: what constants may be chosen on, and what they are judged on.
#pragma once

#include "warpline/workload/attention.hpp"

#include <string_view>

namespace warpline {

enum class Split { calibration, test };

/// By the length of the keys alone, so that one problem is on one side in every table: from 2^n to
/// 2^(n+1) - 1 tokens calibrate when n is odd (512, 2048, 8192, 32768) and test when it is even
/// (256, 1024, 4096, 16384).
[[nodiscard]] Split split_of(const AttentionProblem& problem);

[[nodiscard]] std::string_view split_name(Split split);

}  // namespace warpline
