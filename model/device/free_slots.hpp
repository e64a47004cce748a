// Slots that take tiles, each tile to the slot that is free first.
#pragma once

#include "warpline/workload/tiling.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpline {

/// `count` tiles in a row that each keep a slot for `duration` ticks.
struct TimedRun {
    TileClass tile;
    double duration = 0.0;
    std::int64_t count = 1;
};

/// List scheduling; of slots that are free at the same time the lowest number goes first.
class FreeSlots {
  public:
    /// `step_limit`: placements after which place() gives up.
    FreeSlots(std::int64_t slots, double step_limit);

    /// Places the tiles in their order. Runs of equal tiles and tiles that the slots take a round
    /// at a time cost little. False when too many placements had to be made.
    [[nodiscard]] bool place(const std::vector<TimedRun>& runs);

    /// When each slot is free for good.
    [[nodiscard]] std::vector<double> ends() const;

    /// What a slot has been given.
    struct Given {
        std::int64_t tiles = 0;
        TileClass last;
    };
    [[nodiscard]] const std::vector<Given>& given() const { return given_; }

  private:
    struct Slot {
        double time = 0.0;
        std::int64_t index = 0;
        [[nodiscard]] friend bool operator<(const Slot& a, const Slot& b) {
            return a.time < b.time || (a.time == b.time && a.index < b.index);
        }
        [[nodiscard]] friend bool operator>(const Slot& a, const Slot& b) { return b < a; }
    };

    /// A tile of a list of runs: the run, and how many of its tiles were taken.
    struct Place {
        std::size_t run = 0;
        std::int64_t taken = 0;
    };

    void give(Slot& slot, const TimedRun& run, std::int64_t count);
    void place_rounds(const TimedRun& run, std::int64_t rounds);
    void place_first(const TimedRun& run);
    void deal_round(const std::vector<TimedRun>& runs, Place& next);
    void sort();

    std::vector<Slot> heap_;  ///< the front is free first; sorted when sorted_
    std::vector<Given> given_;
    bool sorted_ = true;
    double latest_ = 0.0;
    double steps_ = 0.0;
    double step_limit_;
};

}  // namespace warpline
