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
    single_tile,         ///< one tile a cluster launch; a new cluster starts where one ends
    static_persistent,   ///< one cluster a slot; tile i, i + slots, i + 2 slots, ...
    dynamic_persistent,  ///< one cluster a slot; whoever is free takes the next tile
};

/// The geometry a kernel works in. `rows` are rows of the tiled dimension a cluster owns, `block`
/// the columns of one loop step. Both are at least 1.
struct TileShape {
    std::int64_t rows = 128;
    std::int64_t block = 128;
    TileLoop loop = TileLoop::over_kv;
    TileOrder order = TileOrder::linear;
    TileScheduler scheduler = TileScheduler::single_tile;
    bool pack_gqa = false;  ///< query rows of all heads of a KV head are one sequence of rows, head
                            ///< fastest; there is then one tiled head a KV head
    /// Heads whose tiles are launched interleaved: head fastest, then tile index, then the next
    /// group. 1: one head after the other. Kernels group the heads whose K and V fit in L2
    /// together. At most 2^20.
    std::int64_t head_group = 1;
};

/// What a tile's program depends on. Two tiles of one class take the same time on an idle SM.
struct TileClass {
    std::int64_t blocks = 0;        ///< loop steps executed, masked ones included
    std::int64_t masked_first = 0;  ///< leading steps, in visiting order, that run masked code
    std::int64_t masked_last = 0;   ///< trailing steps that run masked code (window edge)

    friend bool operator==(const TileClass&, const TileClass&) = default;
};

/// `count` consecutive tiles of one class, in launch order.
struct TileRun {
    TileClass tile;
    std::int64_t count = 1;

    friend bool operator==(const TileRun&, const TileRun&) = default;
};

/// `runs`, repeated; each repetition has `step` more blocks in every tile than the one before
/// (fewer when negative). A causal head of any length is one or two sections.
struct TileSection {
    std::vector<TileRun> runs;
    std::int64_t repeats = 1;
    std::int64_t step = 0;

    friend bool operator==(const TileSection&, const TileSection&) = default;
};

/// Tiles of one group of heads (see TileShape::head_group) in launch order, and how many such
/// groups follow one another.
struct HeadTiles {
    std::vector<TileSection> sections;
    std::int64_t groups = 1;

    friend bool operator==(const HeadTiles&, const HeadTiles&) = default;
};

/// Tiles of the whole problem in launch order: heads in order, sequences outermost.
///
/// Forward kernels visit KV blocks in descending order, so a causal diagonal or a ragged end comes
/// first, and every tile with work runs masked code on at least its first block (the column limit),
/// as the real kernels do. Backward kernels visit Q blocks in ascending order, the diagonal first;
/// a ragged tile of keys runs masked code on every block. A block runs masked code when it holds
/// an edge of the mask for any row of the tile, padding rows included: the newest or the oldest key
/// that the row sees, or keys beyond. Tiles without work have blocks = 0 and are kept: they still
/// write their output.
///
/// The cost depends on the shape of the mask, not on the length: equal neighbours are one run, and
/// arithmetic progressions one section.
[[nodiscard]] std::vector<HeadTiles> cut_into_tiles(const AttentionProblem& problem,
                                                    const TileShape& shape);

/// Tiles of one group.
[[nodiscard]] std::int64_t tiles_in_group(const HeadTiles& tiles);

/// Tiles of the whole problem. Errors: infeasible when there are more than 2^62.
[[nodiscard]] Result<std::int64_t> count_tiles(const std::vector<HeadTiles>& tiles);

/// One group with its progressions written out, equal neighbours merged: as many runs as there are
/// changes of class, so for small groups only.
[[nodiscard]] std::vector<TileRun> expand_group(const HeadTiles& tiles);

}  // namespace warpline
