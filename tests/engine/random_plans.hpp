// Random pipelines that cannot deadlock: roles form a chain, each takes from the ring before it and
// fills the ring after it, once a block.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace warpline::test {

/// The same numbers on every platform, unlike the standard library's distributions.
class Dice {
  public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    /// low .. high
    std::int64_t roll(std::int64_t low, std::int64_t high) {
        return low +
               static_cast<std::int64_t>(engine_() % static_cast<std::uint32_t>(high - low + 1));
    }
    bool chance(int percent) { return roll(1, 100) <= percent; }

  private:
    std::mt19937 engine_;
};

struct RandomCase {
    KernelPlan plan;
    std::vector<TileRun> tiles;
    MemoryEnvironment memory;
    std::vector<Tick> role_offsets;
};

struct RandomLimits {
    bool predicates = true;
    bool clusters = true;      ///< pairs of CTAs and several resident clusters
    std::int64_t blocks = 6;   ///< most of a tile
    bool shared_units = true;  ///< the SM's units are used, not only the sub-partitions'
    bool equal_warps = false;  ///< every role has four warps, so that sub-partitions are equal
};

[[nodiscard]] RandomCase random_case(std::uint32_t seed, const RandomLimits& limits = {});

}  // namespace warpline::test
