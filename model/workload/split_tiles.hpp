// Split-KV: the blocks of a tile, shared out to several tiles that run side by side.
#pragma once

#include "warpline/workload/tiling.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// Every section with each of its tiles cut into `splits` parts of ceil(blocks / splits) blocks;
/// the last part takes what is left, and parts beyond the last block are kept without blocks. Parts
/// follow one another in the order in which the tile would visit them, and each runs masked code on
/// its first block at least. Precondition: splits >= 1.
[[nodiscard]] std::vector<TileSection> split_tiles(const std::vector<TileSection>& sections,
                                                   std::int64_t splits);

}  // namespace warpline
