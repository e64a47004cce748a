// A plan with the structure of the FlashAttention-4 forward kernel at head dim 128, one CTA: two
// softmax warpgroups, a correction warpgroup, an MMA, a load and a store warp.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

namespace warpline::test {

struct Fa4LikeShape {
    int kv_stages = 3;
    int emulated = 0;           ///< of 128 exponentials a row, on the FMA pipe
    int rescale_64ths = 4;      ///< share of steps that rescale
    bool cross_release = true;  ///< correction releases the other stage's statistics
};

[[nodiscard]] KernelPlan fa4_like_plan(const Fa4LikeShape& shape = {});
[[nodiscard]] MemoryEnvironment fa4_like_memory();

}  // namespace warpline::test
