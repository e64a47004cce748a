// How often a kernel rescales O on scores of a stated distribution.
#pragma once

#include "warpline/numerics/score_distribution.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

#include <string_view>

namespace warpline {

/// The parameter that a kernel with conditional rescaling takes the answer as.
inline constexpr std::string_view rescale_parameter = "rescale_probability";

/// The mean chance that a warp rescales at a step after a tile's first, over all steps of all
/// tiles: what study_rescaling() finds at the kernel's `rescale_threshold`, in blocks of its own
/// size. Beyond 32,768 keys the chance is taken to fall as one over the step. Errors: usage (a
/// kernel that has no such parameters); those of study_rescaling().
[[nodiscard]] Result<double> rescale_chance(const KernelPlan& plan, const AttentionProblem& problem,
                                            const ScoreDistribution& scores, int threads = 0);

}  // namespace warpline
