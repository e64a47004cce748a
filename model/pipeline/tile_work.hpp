// What a kernel's tiles do with their blocks beyond the shape of a tile: split keys, a V that lies
// in K, lists of blocks.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/pipeline/values.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace warpline {

struct TileWork {
    std::int64_t splits = 1;   ///< tiles that share the blocks of one (split KV), 1 to 1024
    bool v_in_k = false;       ///< V is the first columns of K: memory holds K alone (latent KV)
    bool block_lists = false;  ///< visits the blocks that are listed beside the problem
    bool reversed = false;     ///< visits its blocks in the other order, see cut_into_tiles()

    friend bool operator==(const TileWork&, const TileWork&) = default;
};

/// From the `tiles` section of a file: keys splits, v_in_k, block_lists and reversed, all optional.
[[nodiscard]] TileWork read_tile_work(const YamlNode* tiles, ValueReader& reader);

/// A plan carries it among its resolved values, under names such as "tiles.splits", which no
/// parameter can have; what is as it is by default is left out.
void write_tile_work(const TileWork& work, std::map<std::string, double>& values);
[[nodiscard]] TileWork tile_work(const KernelPlan& plan);

}  // namespace warpline
