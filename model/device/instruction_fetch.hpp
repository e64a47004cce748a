// Code that does not stay at hand, and the time it takes to bring it to all SMs.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/tiling.hpp"

#include <vector>

namespace warpline {

struct InstructionFetch {
    double code_bytes = 0.0;  ///< most that a tile passes through
    double miss_share = 0.0;  ///< of what tiles pass through, fetched again for each
    double cycles = 0.0;      ///< for all tiles, at what the caches behind the SMs give in all
    double askers = 1.0;      ///< CTAs at a time that share such a cache
    int residents = 1;        ///< of them, on one SM
};

/// Of code that is passed through again and again, what a cache with random replacement lacks:
/// the share m with m = 1 - exp(-m code / cache); 0 when the code fits.
/// Ranges: both positive.
[[nodiscard]] double code_miss_share(double code_bytes, double cache_bytes);

/// Each CTA passes through the code of its tile by itself. Nothing where the spec does not know the
/// instruction cache.
[[nodiscard]] InstructionFetch fetch_instructions(const GpuSpec& spec, const KernelPlan& plan,
                                                  const std::vector<HeadTiles>& tiles);

/// `cycles` of other work, in which residents have the SM together, once the way of machine code is
/// shared: a closed network of `askers` that compute, then fetch at a cache that serves them side
/// by side, by mean value analysis (exact, whatever the distribution of what they ask for). While a
/// CTA waits for code its co-residents have the SM to themselves. Never less than what all fetches
/// take.
[[nodiscard]] double with_fetches(double cycles, const InstructionFetch& fetch);

}  // namespace warpline
