// Which other sequences of tiles a run would have begun in exactly the same way.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <limits>

namespace warpline {

/// The whole numbers n >= 0 that give every linear inequality asked so far the answer it had.
class SameAnswers {
  public:
    /// `rest + slope * n >= 0` was answered by `yes`.
    void narrow(std::int64_t rest, std::int64_t slope, bool yes);
    /// What happens next depends on n itself.
    void pin(std::int64_t n) { low_ = high_ = n; }
    [[nodiscard]] bool contains(std::int64_t n) const { return low_ <= n && n <= high_; }

  private:
    std::int64_t low_ = 0;
    std::int64_t high_ = std::numeric_limits<std::int64_t>::max();
};

/// Of a run over equal tiles: numbers of blocks in each (their masked steps being as many), and of
/// tiles, with which every loop and predicate so far would have gone the same way.
class SameStart {
  public:
    /// `value(tile) >= least` was answered by `yes`.
    void answered(const Affine& value, std::int64_t least, const TileClass& tile, bool yes);
    /// Whether loop `loop` makes more than `index` iterations was answered by `yes`.
    void goes_on(const LoopBegin& loop, std::int64_t index, const TileClass& tile, bool yes);
    /// `index >= n - value(tile)`, n the trips of `loop` (null: 1), was answered by `yes`.
    void at_end(const LoopBegin* loop, std::int64_t index, const Affine& value,
                const TileClass& tile, bool yes);
    /// `predicate` was asked at iteration `index` of `loop` (null: outside any loop), which makes
    /// `trips`.
    void asked(const Predicate& predicate, const LoopBegin* loop, std::int64_t index,
               std::int64_t trips, const TileClass& tile);
    /// From here on the number of blocks decides.
    void pin_blocks(std::int64_t blocks) { blocks_.pin(blocks); }

    [[nodiscard]] bool holds_for(std::int64_t blocks, std::int64_t tiles) const {
        return blocks_.contains(blocks) && tiles_.contains(tiles);
    }

  private:
    SameAnswers blocks_, tiles_;
};

}  // namespace warpline
