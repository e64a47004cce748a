// Which roles have one warp simulated for each four equal ones.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <vector>

namespace warpline {

/// By role. A role folds when its warps fill all four sub-partitions alike and so do those of every
/// role it meets at a barrier of warp scope: the instance that four warps share must mean the same
/// four to all.
[[nodiscard]] std::vector<bool> folded_roles(const KernelPlan& plan);

}  // namespace warpline
