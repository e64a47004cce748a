// The tiles that a kernel makes of a problem: by its mask or by lists of blocks, split or whole.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"
#include "warpline/workload/block_lists.hpp"
#include "warpline/workload/tiling.hpp"

#include <vector>

namespace warpline {

/// cut_into_tiles(), with every tile shared out to the plan's splits.
[[nodiscard]] std::vector<HeadTiles> kernel_tiles(const AttentionProblem& problem,
                                                  const KernelPlan& plan);

/// Tiles of the listed blocks, masked ones first. Precondition: check_block_lists() passed.
[[nodiscard]] std::vector<HeadTiles> kernel_tiles(const AttentionProblem& problem,
                                                  const KernelPlan& plan, const BlockLists& lists);

/// Whether the lists fit the problem and the kernel. Errors: usage when they contradict the problem
/// (a mask, a length, a number of tiles), infeasible when the kernel takes none or has other tiles.
[[nodiscard]] Result<void> check_block_lists(const BlockLists& lists,
                                             const AttentionProblem& problem,
                                             const KernelPlan& plan);

/// Pairs of a query and a key in listed blocks, over all heads and sequences; masked blocks whole.
[[nodiscard]] double all_listed_pairs(const BlockLists& lists, const AttentionProblem& problem);

}  // namespace warpline
