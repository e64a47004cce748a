// When one tile gets its turns in an order of all tiles, from when the tile before it passed them
// on.
#pragma once

#include <cstdint>
#include <vector>

namespace warpline {

/// Times of consecutive blocks as straight stretches: block `from` + i at `time` + i * `step`,
/// until the next stretch begins.
struct TimeStretch {
    std::int64_t from = 0;
    double time = 0.0;
    double step = 0.0;

    [[nodiscard]] double at(std::int64_t block) const {
        return time + static_cast<double>(block - from) * step;
    }
};

/// Blocks [begin, end); never empty stretches, in order of `from`. Before anything is known of a
/// block its time is 0.
class BlockTimes {
  public:
    BlockTimes() = default;
    explicit BlockTimes(std::int64_t blocks) : stretches_{{0, 0.0, 0.0}}, end_(blocks) {}

    /// Adds `count` blocks behind the last; a continuation lengthens the last stretch.
    void append(std::int64_t count, double time, double step);
    /// Replaces the blocks that `other` has.
    void overwrite(const BlockTimes& other);

    [[nodiscard]] double at(std::int64_t block) const;
    [[nodiscard]] std::int64_t begin() const {
        return stretches_.empty() ? end_ : stretches_.front().from;
    }
    [[nodiscard]] std::int64_t end() const { return end_; }
    [[nodiscard]] const std::vector<TimeStretch>& stretches() const { return stretches_; }
    /// Where the stretch that holds `block` ends.
    [[nodiscard]] std::int64_t end_of_stretch(std::size_t stretch) const {
        return stretch + 1 < stretches_.size() ? stretches_[stretch + 1].from : end_;
    }
    /// Index of the stretch that holds `block`. Precondition: begin() <= block < end().
    [[nodiscard]] std::size_t stretch_of(std::int64_t block) const;

    /// Starts at `begin`, still without blocks.
    [[nodiscard]] static BlockTimes from(std::int64_t begin);

  private:
    std::vector<TimeStretch> stretches_;
    std::int64_t end_ = 0;
};

/// How a tile takes its turns and passes them on, in ticks.
struct TurnPace {
    double step = 0.0;       ///< from a turn to the next where nobody waits
    double late_step = 0.0;  ///< the same where the tile is as late as its buffers allow; <= step
    /// A turn is passed on `pass` after the turn `behind` blocks later was taken; of the last
    /// `behind` blocks, `last_pass` after the tile's last turn.
    std::int64_t behind = 0;
    double pass = 0.0;
    double last_pass = 0.0;
    double after = 0.0;  ///< from the tile's last turn to its end
};

/// A tile's turns, and when it passes each on.
struct TileTurns {
    BlockTimes taken;
    BlockTimes passed;
    double end = 0.0;  ///< of the tile
};

/// Blocks [first, first + count) in ascending order. The tile would take the turn of the first at
/// `start` and of each further one `step` later; no turn is taken before `granted`. With D_i for
/// when the tile asks for the turn of block i, and A_i for when it has it:
///
///     A_i = max(D_i, granted_i)      D_i+1 = max(D_i + step, A_i + late_step)
///
/// The work grows with the stretches of `granted`, not with the blocks. Precondition: count >= 1,
/// and `granted` holds the blocks.
[[nodiscard]] TileTurns take_turns(std::int64_t first, std::int64_t count, double start,
                                   const TurnPace& pace, const BlockTimes& granted);

}  // namespace warpline
