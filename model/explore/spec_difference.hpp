// What distinguishes two GPUs, as changes that turn one into the other.
#pragma once

#include "warpline/explore/changes.hpp"

#include <string>
#include <vector>

namespace warpline {

/// One constant or capability that differs.
struct SpecDifference {
    std::string key;       ///< "mufu.ex2.rate", "capabilities.fast_ex2"
    std::string from, to;  ///< texts; empty where a GPU does not have it
    Changes change;        ///< of the first GPU; empty when it cannot be made there
};

/// By key: capabilities first, then constants. Constants that no model reads (peaks, board power,
/// sizes of memory) are left out.
[[nodiscard]] std::vector<SpecDifference> spec_differences(const GpuSpec& from, const GpuSpec& to);

}  // namespace warpline
