// Where the mask's edges fall, tile by tile: the arithmetic of the kernels, in closed form.
#pragma once

#include "warpline/workload/attention.hpp"
#include "warpline/workload/tiling.hpp"

#include <cstdint>

namespace warpline {

/// One head (or, with packed GQA, the query heads of one KV head) of one sequence.
class MaskGeometry {
  public:
    MaskGeometry(const SequencePair& sequence, const Mask& mask, const TileShape& shape,
                 std::int64_t heads_per_kv);

    [[nodiscard]] std::int64_t tiles() const { return tiles_; }
    /// Blocks that a tile without a mask visits.
    [[nodiscard]] std::int64_t all_blocks() const { return all_blocks_; }
    [[nodiscard]] TileClass tile(std::int64_t index) const;

    /// Block indices at which the mask's edges fall for a tile, before clamping to
    /// [0, all_blocks()]; each is a monotone function of the tile index. An edge that the mask does
    /// not have stays where it never matters.
    struct Edges {
        friend bool operator==(const Edges&, const Edges&) = default;

        std::int64_t begin = 0;     ///< first block with work
        std::int64_t end = 0;       ///< one past the last
        std::int64_t diagonal = 0;  ///< boundary of the blocks that hold a newest-key edge
        std::int64_t oldest = 0;    ///< boundary of the blocks that hold an oldest-key edge
    };
    [[nodiscard]] Edges edges(std::int64_t index) const;

    /// Tiles after which every moving edge has moved by a whole number of blocks.
    [[nodiscard]] std::int64_t period() const { return period_; }
    /// Whether the last tile of keys is padded and therefore masked throughout (backward).
    [[nodiscard]] bool padded_last_tile() const { return padded_last_tile_; }

  private:
    [[nodiscard]] Edges forward_edges(std::int64_t index) const;
    [[nodiscard]] Edges backward_edges(std::int64_t index) const;
    [[nodiscard]] TileClass forward_tile(const Edges& edges) const;
    [[nodiscard]] TileClass backward_tile(std::int64_t index, const Edges& edges) const;

    SequencePair sequence_;
    Mask mask_;
    std::int64_t rows_ = 1, block_ = 1;
    bool over_kv_ = true;
    std::int64_t packed_ = 1;  ///< rows of the packed query sequence a token has
    std::int64_t offset_ = 0;  ///< newest key of query 0
    std::int64_t tiles_ = 0;
    std::int64_t all_blocks_ = 0;
    std::int64_t period_ = 1;
    bool padded_last_tile_ = false;
};

}  // namespace warpline
