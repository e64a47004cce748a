// How a problem is cut into the tiles that clusters work on.
#pragma once

#include "warpline/workload/attention.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

enum class TileLoop : std::uint8_t {
    over_kv,  ///< a tile is a block of queries; its loop runs over KV blocks (forward)
    over_q,   ///< a tile is a block of keys; its loop runs over Q blocks (backward)
};

enum class TileOrder : std::uint8_t {
    linear,         ///< tile index fastest, then head, then sequence
    longest_first,  ///< tile index descending: under a causal mask, most blocks first (LPT)
};

enum class TileScheduler : std::uint8_t {
    single_tile,        ///< one tile a cluster launch; a new cluster starts where one ends
    static_persistent,  ///< one cluster a slot; tile i, i + slots, i + 2 slots, ...
};

/// The geometry a kernel works in. `rows` are rows of the tiled dimension a cluster owns, `block`
/// the columns of one loop step.
struct TileShape {
    std::int64_t rows = 128;
    std::int64_t block = 128;
    TileLoop loop = TileLoop::over_kv;
    TileOrder order = TileOrder::linear;
    TileScheduler scheduler = TileScheduler::single_tile;
    bool pack_gqa = false;  ///< rows of one tile hold all query heads of a KV head
};

/// What a tile's program depends on. Two tiles of one class take the same time on an idle SM.
struct TileClass {
    std::int64_t blocks = 0;        ///< loop steps executed, masked ones included
    std::int64_t masked_first = 0;  ///< leading steps, in visiting order, that run masked code
    std::int64_t masked_last = 0;   ///< trailing steps that run masked code (window edge)

    friend bool operator==(const TileClass&, const TileClass&) = default;
};

/// `count` consecutive tiles of one class, in launch order within one head of one sequence.
struct TileRun {
    TileClass tile;
    std::int64_t count = 1;

    friend bool operator==(const TileRun&, const TileRun&) = default;
};

/// Tiles of one (sequence, head) pair in launch order, and how many such pairs are alike.
struct HeadTiles {
    std::vector<TileRun> runs;
    std::int64_t pairs = 1;
};

/// Tiles of the whole problem in launch order: heads in order, sequences outermost. Kernels visit
/// KV blocks in descending order, so a causal diagonal or a ragged end is masked first; every tile
/// with work runs masked code on at least its first block (the column limit), as the real kernels
/// do. Tiles without work have blocks = 0 and are kept: they still write their output. Linear in
/// the number of distinct tiles of a head; equal neighbours are one run.
[[nodiscard]] std::vector<HeadTiles> cut_into_tiles(const AttentionProblem& problem,
                                                    const TileShape& shape);

}  // namespace warpline
