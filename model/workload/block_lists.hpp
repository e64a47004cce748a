// Which blocks of scores a block-sparse kernel visits: a list for each tile of queries.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

/// The lists of `count` consecutive tiles: blocks whose scores are all wanted, and blocks whose
/// scores a mask function decides one by one.
struct ListedTile {
    std::int64_t full = 0;
    std::int64_t masked = 0;
    std::int64_t count = 1;

    friend bool operator==(const ListedTile&, const ListedTile&) = default;
};

/// Lists of tiles of `rows` queries, blocks of `block` keys: of one head, which all heads of all
/// sequences share, or of every head in turn, sequences outermost.
struct BlockLists {
    std::int64_t rows = 256;
    std::int64_t block = 128;
    std::vector<ListedTile> tiles;

    friend bool operator==(const BlockLists&, const BlockLists&) = default;
};

/// Tiles that have a list.
[[nodiscard]] std::int64_t listed_tiles(const BlockLists& lists);

/// Pairs of a query and a key in listed blocks, masked blocks taken whole; of one head when the
/// lists are of one head, else of all.
[[nodiscard]] double listed_pairs(const BlockLists& lists, std::int64_t seqlen_q,
                                  std::int64_t seqlen_kv);

/// Lists as a YAML document (schema warpline-blocks/1: rows, block, tiles of full, masked, count).
/// Errors (input): what the document has too much, too little or wrong, all at once.
[[nodiscard]] Result<BlockLists> parse_block_lists(std::string_view text, const std::string& file);

/// Lists of one head in which every block is full with probability `density` (0 to 1) and else left
/// out: a fixed pseudo-random pattern, the same on every machine.
[[nodiscard]] BlockLists scattered_lists(double density, std::int64_t rows, std::int64_t block,
                                         std::int64_t seqlen_q, std::int64_t seqlen_kv);

}  // namespace warpline
