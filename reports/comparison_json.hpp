// A comparison for machines: "warpline-comparison/1", described by schema/comparison-1.json.
#pragma once

#include "warpline/validate/compare.hpp"

#include <string>

namespace warpline {

inline constexpr const char* comparison_schema = "warpline-comparison/1";

/// Every row, used or not, in the order of files and lines: its own columns, what was predicted,
/// and a status: "ok", "clock fit at its bound", or "unused: " and the reason.
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

}  // namespace warpline
