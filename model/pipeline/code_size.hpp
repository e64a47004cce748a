// How much machine code a kernel has, told from its program.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>

namespace warpline {

/// Bytes of machine code, 16 to an instruction as on every NVIDIA GPU since Volta, of the warps of
/// a CTA. Copies of a role share their code. Loops with a constant number of turns are written out,
/// as compilers do. A loop over blocks stands in several versions: compilers keep the first block
/// apart from the others, and masked blocks (the first two of them) from those that are not. What a
/// program leaves out (addresses, moves, spilled registers) is left out here.
struct CodeSize {
    std::int64_t once = 0;         ///< outside loops over blocks
    std::int64_t version = 0;      ///< a version of what such loops hold
    std::int64_t masked_part = 0;  ///< what a version for masked blocks has beside that

    /// What the warps pass through in a tile, each instruction once.
    [[nodiscard]] std::int64_t passed_in(const TileClass& tile) const;
};

[[nodiscard]] CodeSize code_size(const KernelPlan& plan);

}  // namespace warpline
