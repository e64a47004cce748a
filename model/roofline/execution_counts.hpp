// How often each operation of a program executes, without running it.
#pragma once

#include "warpline/pipeline/program.hpp"

#include <span>
#include <vector>

namespace warpline {

/// Executions by one warp of each operation over `tiles`, in the order of the program. Loops are
/// counted in blocks between which no predicate changes its behaviour, so the cost does not depend
/// on trip counts, only on how many different iterations there are. A role without a tile loop sees
/// the first tile. Counts are doubles: exact to 2^53, and never overflowing beyond.
[[nodiscard]] std::vector<double> execution_counts(const Program& program,
                                                   std::span<const TileRun> tiles);

}  // namespace warpline
