// Slots that take tiles, each tile to the slot that is free first.
#pragma once

#include "warpline/device/timed_tiles.hpp"
#include "warpline/workload/tiling.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpline {

/// List scheduling; of slots that are free at the same time the lowest number goes first.
class FreeSlots {
  public:
    /// `step_limit`: placements after which place() gives up.
    FreeSlots(std::int64_t slots, double step_limit);

    /// Places the tiles in their order. Runs of equal tiles, and progressions once the slots take
    /// them in an order that comes again, cost little however many tiles they have. False when too
    /// many placements had to be made.
    [[nodiscard]] bool place(const std::vector<TimedSection>& tiles);

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
    using Slots = std::vector<Slot>;

    void give(Slot& slot, const TileCursor& next, std::int64_t count);
    [[nodiscard]] bool round_keeps_order(double duration);
    void place_rounds(TileCursor& next);
    void place_first(TileCursor& next);
    void deal_round(TileCursor& next);
    [[nodiscard]] std::optional<double> shortest_of_round(const TileCursor& next) const;
    bool deal_whole_round(TileCursor& next);

    /// Rounds of one tile a slot after which a progression's tiles meet the slots as before.
    struct Cycle {
        std::int64_t rounds = 0;
        std::int64_t repeats = 0;  ///< of the progression
    };
    [[nodiscard]] Cycle cycle_of(const TimedSection& section) const;
    /// Before a round: the slots in their order, and the shortest tile that they will take.
    struct Round {
        Slots slots;
        double shortest = 0.0;
    };
    bool leap(TileCursor& next);
    [[nodiscard]] std::vector<double> gains_since(const Slots& before) const;
    [[nodiscard]] static std::int64_t cycles_alike(const std::vector<Round>& rounds,
                                                   const std::vector<double>& gains, double growth);
    [[nodiscard]] bool repeat_cycle(std::int64_t times, const Cycle& cycle,
                                    const std::vector<double>& gains, const TimedSection& section);

    static void sort(Slots::iterator begin, Slots::iterator end);
    void sort();

    Slots slots_;  ///< a heap whose front is free first; sorted when sorted_
    std::vector<Given> given_;
    bool sorted_ = true;
    double exact_until_ = 0.0;  ///< ticks; sums of the durations so far are exact below
    double latest_ = 0.0;
    double steps_ = 0.0;
    double step_limit_;
};

}  // namespace warpline
