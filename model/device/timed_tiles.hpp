// Tiles in launch order with the time each keeps a slot: runs of equal tiles, and progressions.
#pragma once

#include "warpline/device/tile_times.hpp"
#include "warpline/workload/tiling.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpline {

/// `count` tiles in a row that each keep a slot for `duration` ticks.
struct TimedRun {
    TileClass tile;
    double duration = 0.0;
    std::int64_t count = 1;
};

/// `runs`, repeated; in each repetition every tile has `block_step` more blocks and keeps its slot
/// for `duration_step` longer than in the one before (fewer, shorter when negative).
struct TimedSection {
    std::vector<TimedRun> runs;  ///< of one tile or more each
    std::int64_t repeats = 1;
    std::int64_t block_step = 0;
    double duration_step = 0.0;

    [[nodiscard]] std::int64_t tiles_a_repeat() const;
};

/// What a tile of a class keeps its slot for.
using TileDuration = std::function<double(const TileClass& tile)>;

/// One group's tiles. As few sections as the times' lines allow, so that a progression of any
/// length costs the same; nothing when there would be more than `most` runs.
[[nodiscard]] std::optional<std::vector<TimedSection>> time_tiles(const HeadTiles& head,
                                                                  const TileTimes& times,
                                                                  const TileDuration& duration,
                                                                  std::size_t most);

/// A tile of a list of sections, and the way on.
class TileCursor {
  public:
    explicit TileCursor(const std::vector<TimedSection>& sections) : sections_(&sections) {
        look();
    }

    [[nodiscard]] bool done() const { return section_ == sections_->size(); }
    [[nodiscard]] const TimedSection& section() const { return (*sections_)[section_]; }
    [[nodiscard]] double duration() const { return duration_; }
    [[nodiscard]] TileClass tile() const {
        TileClass tile = section().runs[run_].tile;
        tile.blocks += repeat_ * section().block_step;
        return tile;
    }
    [[nodiscard]] std::int64_t left_in_run() const { return section().runs[run_].count - taken_; }
    /// Repetitions of the section that lie ahead as a whole, this one left out.
    [[nodiscard]] std::int64_t repeats_ahead() const { return section().repeats - repeat_ - 1; }
    /// The least duration of this repetition.
    [[nodiscard]] double shortest() const;

    /// Tiles in a row of which number i keeps its slot for `base + (from + i) * step`: what is left
    /// of a run, or of the repetitions of one tile.
    struct Stretch {
        std::int64_t count = 0;
        double base = 0.0, from = 0.0, step = 0.0;
        [[nodiscard]] double duration(std::int64_t i) const {
            return base + (from + static_cast<double>(i)) * step;
        }
        /// The least of the first `tiles`.
        [[nodiscard]] double shortest(std::int64_t tiles) const {
            return std::min(duration(0), duration(tiles - 1));
        }
    };
    [[nodiscard]] Stretch stretch() const {
        if (single_tile()) {
            return {section().repeats - repeat_, section().runs.front().duration,
                    static_cast<double>(repeat_), section().duration_step};
        }
        return {left_in_run(), duration_, 0.0, 0.0};
    }
    /// Goes on by `count` tiles of the stretch.
    void pass(std::int64_t count) {
        if (single_tile()) {
            repeat_ += count - 1;
            take(1);
        } else {
            take(count);
        }
    }

    /// Goes on by `count` tiles, at most left_in_run().
    void take(std::int64_t count) {
        taken_ += count;
        if (left_in_run() == 0) {
            next_run();
        }
    }
    /// Goes on to the same tile `count` repetitions later. Precondition: count <= repeats_ahead().
    void skip_repeats(std::int64_t count) {
        repeat_ += count;
        look();
    }

  private:
    [[nodiscard]] bool single_tile() const {
        return section().runs.size() == 1 && section().runs.front().count == 1;
    }
    void next_run() {
        taken_ = 0;
        if (++run_ == section().runs.size()) {
            run_ = 0;
            if (++repeat_ == section().repeats) {
                repeat_ = 0;
                ++section_;
            }
        }
        look();
    }
    void look() {
        if (!done()) {
            duration_ = section().runs[run_].duration +
                        static_cast<double>(repeat_) * section().duration_step;
        }
    }

    const std::vector<TimedSection>* sections_;
    std::size_t section_ = 0;
    std::int64_t repeat_ = 0;
    std::size_t run_ = 0;
    std::int64_t taken_ = 0;
    double duration_ = 0.0;
};

}  // namespace warpline
