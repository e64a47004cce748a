// Kernels that run one after the other, as one answer.
#pragma once

#include "warpline/device/prediction.hpp"

#include <vector>

namespace warpline {

/// The sum of `kernels`, as Prediction says it; `operation` names it. Precondition: all are of one
/// problem, GPU and clock, and there is at least one.
[[nodiscard]] Prediction sum_of_kernels(const KernelPlan& operation,
                                        std::vector<Prediction> kernels);

}  // namespace warpline
