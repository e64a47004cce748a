// Slots that take tiles, each tile to the slot that is free first.
#pragma once

#include "warpline/device/slot_queues.hpp"
#include "warpline/device/timed_tiles.hpp"
#include "warpline/workload/tiling.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpline {

/// List scheduling; of slots that are free at the same time the lowest number goes first.
class FreeSlots {
  public:
    /// What is known of each slot at the end.
    enum class Keep : std::uint8_t { ends, ends_and_tiles };

    /// `step_limit`: placements after which place() gives up.
    FreeSlots(std::int64_t slots, double step_limit, Keep keep = Keep::ends_and_tiles);

    /// Places the tiles in their order. Runs of equal tiles, patterns and progressions cost little
    /// however many tiles they have once the slots take them as they did before. False when too
    /// many placements had to be made.
    [[nodiscard]] bool place(const std::vector<TimedSection>& tiles);

    /// When each slot is free for good.
    [[nodiscard]] std::vector<double> ends() const;

    /// What a slot has been given.
    struct Given {
        std::int64_t tiles = 0;
        TileClass last;
    };
    /// Empty unless it is kept.
    [[nodiscard]] const std::vector<Given>& given() const { return given_; }

  private:
    using Slots = std::vector<FreeSlot>;

    [[nodiscard]] bool keeps_given() const { return !given_.empty(); }
    void note(std::int64_t slot, std::int64_t tiles, const TileCursor& next) {
        if (keeps_given()) {
            Given& given = given_[static_cast<std::size_t>(slot)];
            given.tiles += tiles;
            given.last = next.tile();
        }
    }
    [[nodiscard]] bool place_run(TileCursor& next);
    [[nodiscard]] bool place_until_last(TileCursor& next);
    [[nodiscard]] bool deal_round(TileCursor& next);
    void place_singly(TileCursor& next);

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
    [[nodiscard]] std::optional<double> shortest_of_round(const TileCursor& next) const;
    [[nodiscard]] bool leap(TileCursor& next);
    [[nodiscard]] std::vector<double> gains_since(const Slots& before) const;
    [[nodiscard]] static std::int64_t cycles_alike(const std::vector<Round>& rounds,
                                                   const std::vector<double>& gains, double growth);
    [[nodiscard]] bool repeat_cycle(std::int64_t times, const Cycle& cycle,
                                    const std::vector<double>& gains, const TimedSection& section);

    /// The slots and what they had been given, at some time.
    struct Snapshot {
        Slots slots;
        std::vector<Given> given;
    };
    [[nodiscard]] bool place_pattern(TileCursor& next);
    [[nodiscard]] bool place_repeats(TileCursor& next, std::int64_t repeats);
    [[nodiscard]] bool as_in(const Snapshot& before) const;
    [[nodiscard]] std::int64_t repeat_since(const Snapshot& before, std::int64_t most);

    void sort();

    Slots slots_;  ///< in order
    std::vector<Given> given_;
    SlotQueues queues_;
    double exact_until_;  ///< ticks; sums of the durations so far are exact below
    double steps_ = 0.0;
    double step_limit_;
};

}  // namespace warpline
