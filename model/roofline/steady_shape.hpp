// When a long tile has settled into repeating itself, judged from the programs' loops and
// predicates alone.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>

namespace warpline {

struct SteadyShape {
    std::int64_t head = 0;    ///< blocks after which no predicate changes its behaviour
    std::int64_t tail = 0;    ///< blocks before the end where one may change it again
    std::int64_t period = 1;  ///< blocks after which every predicate of the block loops repeats
};

/// Looks at the predicates of loops whose trip count grows with the tile's blocks.
[[nodiscard]] SteadyShape steady_shape(const KernelPlan& plan);

/// Index of the LoopBegin whose body a steady block executes, or -1 when the role has none. A role
/// with several (one after the other) has no single steady step: -2.
[[nodiscard]] int block_loop(const Program& program);

}  // namespace warpline
