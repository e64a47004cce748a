// Rounds of a progression of tiles that go as rounds before them went, dealt at one stroke.
#include "warpline/device/free_slots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpline {
namespace {

constexpr std::int64_t longest_cycle = 16;  // rounds
constexpr std::int64_t least_cycles = 3;    // watched and leapt over; fewer are dealt

/// How often a value that changes evenly can change and stay positive.
class Changes {
  public:
    explicit Changes(std::int64_t most) : most_(static_cast<double>(most)) {}

    /// One less than the quotient: however it was rounded, the value is still positive.
    void keep_positive(double value, double change) {
        if (change < 0.0) {
            most_ = std::min(most_, std::floor(value / -change) - 1.0);
        }
    }
    [[nodiscard]] std::int64_t count() const {
        return static_cast<std::int64_t>(std::max(most_, 0.0));
    }

  private:
    double most_;
};

}  // namespace

/// In an even number of rounds, as each may turn the order of the slots round.
FreeSlots::Cycle FreeSlots::cycle_of(const TimedSection& section) const {
    const auto slots = static_cast<std::int64_t>(slots_.size());
    const std::int64_t tiles = section.tiles_a_repeat();
    const std::int64_t rounds = std::lcm(tiles / std::gcd(tiles, slots), std::int64_t{2});
    return {rounds, rounds * slots / tiles};
}

/// Deals a cycle of rounds and, where the slots' order is then as before it, as many further cycles
/// as go the same way. In a round every slot takes one tile, in the order of their free times, as
/// long as these lie within the shortest tile. From one cycle to the next each tile of a
/// progression changes by the same time, so that the distance of two slots changes by as much in
/// every cycle, and with it all that decides on the order. False when nothing was dealt.
bool FreeSlots::leap(TileCursor& next) {
    const TimedSection& section = next.section();
    const Cycle cycle = cycle_of(section);
    if (cycle.rounds > longest_cycle || next.repeats_ahead() < least_cycles * cycle.repeats) {
        return false;
    }
    std::vector<Round> rounds;
    while (static_cast<std::int64_t>(rounds.size()) < cycle.rounds) {
        sort();
        rounds.push_back({slots_, shortest_of_round(next).value_or(0.0)});
        if (!deal_whole_round(next)) {
            return rounds.size() > 1;
        }
    }
    const auto same_slot = [](const Slot& a, const Slot& b) { return a.index == b.index; };
    if (std::equal(slots_.begin(), slots_.end(), rounds.front().slots.begin(), same_slot)) {
        const std::vector<double> gains = gains_since(rounds.front().slots);
        const double growth = section.duration_step * static_cast<double>(cycle.repeats);
        const std::int64_t times =
            std::min(cycles_alike(rounds, gains, growth), next.repeats_ahead() / cycle.repeats);
        if (repeat_cycle(times, cycle, gains, section)) {
            next.skip_repeats(times * cycle.repeats);
        }
    }
    return true;
}

/// By slot.
std::vector<double> FreeSlots::gains_since(const Slots& before) const {
    std::vector<double> gains(slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        gains[static_cast<std::size_t>(slots_[i].index)] = slots_[i].time - before[i].time;
    }
    return gains;
}

/// Further cycles in which the slots stay in the order that they had before each round of the one
/// that was watched, and within its shortest tile. `growth`: of a tile from a cycle to the next.
std::int64_t FreeSlots::cycles_alike(const std::vector<Round>& rounds,
                                     const std::vector<double>& gains, double growth) {
    Changes changes(std::numeric_limits<std::int64_t>::max() / 2);
    const auto gain = [&](const Slot& slot) { return gains[static_cast<std::size_t>(slot.index)]; };
    for (const auto& [slots, shortest] : rounds) {
        for (std::size_t i = 1; i < slots.size(); ++i) {
            changes.keep_positive(slots[i].time - slots[i - 1].time,
                                  gain(slots[i]) - gain(slots[i - 1]));
        }
        const double spread = slots.back().time - slots.front().time;
        const double wider = gain(slots.back()) - gain(slots.front());
        changes.keep_positive(shortest - spread, growth - wider);
    }
    return changes.count();
}

/// Whether it did: not where the sums would be rounded.
bool FreeSlots::repeat_cycle(std::int64_t times, const Cycle& cycle,
                             const std::vector<double>& gains, const TimedSection& section) {
    const auto n = static_cast<double>(times);
    const auto rounds = static_cast<double>(cycle.rounds);
    const double growth =
        rounds * static_cast<double>(cycle.repeats) * section.duration_step * (n * (n + 1.0) / 2.0);
    const auto later = [&](const Slot& slot) {
        return slot.time + (n * gains[static_cast<std::size_t>(slot.index)] + growth);
    };
    if (std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
            return later(slot) - growth > exact_until_ || later(slot) > exact_until_;
        })) {
        return false;
    }
    for (Slot& slot : slots_) {
        slot.time = later(slot);
        latest_ = std::max(latest_, slot.time);
        Given& given = given_[static_cast<std::size_t>(slot.index)];
        given.tiles += times * cycle.rounds;
        given.last.blocks += times * cycle.repeats * section.block_step;
    }
    // After the last cycle two slots may be free at one time, of which the first in number is next.
    sorted_ = false;
    sort();
    return true;
}

}  // namespace warpline
