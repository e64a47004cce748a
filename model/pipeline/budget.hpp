// What a kernel takes of an SM's storage and warp slots.
#pragma once

#include "warpline/pipeline/declarations.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <vector>

namespace warpline {

/// SMEM, TMEM columns, registers and threads, each for all CTAs that share an SM.
[[nodiscard]] std::vector<Budget> compute_budgets(const Declarations& declarations,
                                                  const GpuSpec& spec);

/// The same and the registers of one thread, except that tensor memory which is too much already is
/// not rounded up to what could be allocated: by how much a kernel is over.
[[nodiscard]] std::vector<Budget> compute_needs(const Declarations& declarations,
                                                const GpuSpec& spec);

[[nodiscard]] bool all_fit(const std::vector<Budget>& budgets);

/// Reports what is over its limit, and role registers or CTAs beyond what the GPU allows.
/// `remedy` says what would fit; it is asked only when something does not.
void check_budgets(const std::vector<Budget>& budgets, const Declarations& declarations,
                   const GpuSpec& spec, Problems& problems, const std::string& remedy);

}  // namespace warpline
