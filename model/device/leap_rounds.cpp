// Tiles that go to the slots as tiles before them went, dealt at one stroke: rounds of a
// progression, and a pattern's repetitions.
#include "warpline/device/free_slots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpline {
namespace {

constexpr std::int64_t longest_cycle = 16;     // rounds
constexpr std::int64_t least_cycles = 3;       // watched and leapt over; fewer are dealt
constexpr std::int64_t most_queued = 1 << 17;  // tiles of a pattern that are dealt one by one

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

/// The least that the next tiles, one for each slot, keep their slots; nothing where they are not
/// all of one progression. They may begin inside one repetition and end inside another.
std::optional<double> FreeSlots::shortest_of_round(const TileCursor& next) const {
    const std::int64_t repeats =
        static_cast<std::int64_t>(slots_.size()) / next.section().tiles_a_repeat() + 1;
    if (next.repeats_ahead() < repeats) {
        return std::nullopt;
    }
    const double growth = static_cast<double>(repeats) * next.section().duration_step;
    return next.shortest() + std::min(0.0, growth);
}

/// Deals a cycle of rounds and, where the slots' order is then as before it, as many further cycles
/// as go the same way. In a round every slot takes one tile, in the order of their free times, as
/// long as these lie within the shortest tile. From one cycle to the next each tile of a
/// progression changes by the same time, so that the distance of two slots changes by as much in
/// every cycle, and with it all that decides on the order. False when nothing was dealt.
bool FreeSlots::leap(TileCursor& next) {
    if (next.repeats_ahead() < least_cycles) {
        return false;
    }
    const TimedSection& section = next.section();
    const Cycle cycle = cycle_of(section);
    if (cycle.rounds > longest_cycle || next.repeats_ahead() < least_cycles * cycle.repeats) {
        return false;
    }
    std::vector<Round> rounds;
    while (static_cast<std::int64_t>(rounds.size()) < cycle.rounds) {
        const double shortest = shortest_of_round(next).value_or(0.0);
        if (slots_.back().time - slots_.front().time >= shortest) {
            return !rounds.empty();
        }
        rounds.push_back({slots_, shortest});
        if (!deal_round(next)) {
            return rounds.size() > 1;
        }
    }
    const auto same_slot = [](const FreeSlot& a, const FreeSlot& b) { return a.index == b.index; };
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
    const auto gain = [&](const FreeSlot& slot) {
        return gains[static_cast<std::size_t>(slot.index)];
    };
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
    const auto later = [&](const FreeSlot& slot) {
        return slot.time + (n * gains[static_cast<std::size_t>(slot.index)] + growth);
    };
    if (std::any_of(slots_.begin(), slots_.end(), [&](const FreeSlot& slot) {
            return later(slot) - growth > exact_until_ || later(slot) > exact_until_;
        })) {
        return false;
    }
    for (FreeSlot& slot : slots_) {
        slot.time = later(slot);
    }
    for (Given& given : given_) {
        given.tiles += times * cycle.rounds;
        given.last.blocks += times * cycle.repeats * section.block_step;
    }
    // After the last cycle two slots may be free at one time, of which the first in number is next.
    sort();
    return true;
}

/// Repetitions of equal tiles, until the slots are in the order and as far apart as they were some
/// repetitions before: from there on it all comes again. False where there are too few.
bool FreeSlots::place_pattern(TileCursor& next) {
    const TimedSection& section = next.section();
    // So many that each slot takes a whole number of tiles.
    const auto repeats = static_cast<std::int64_t>(slots_.size());
    if (section.duration_step != 0.0 || section.block_step != 0 ||
        next.repeats_ahead() < least_cycles * repeats) {
        return false;
    }
    // The snapshot is renewed after one, two, four ... of these, so that it comes to lie where all
    // is periodic, and as far back as a period is long.
    Snapshot before{slots_, given_};
    std::int64_t since = 0;
    for (std::int64_t renew = 1; next.repeats_ahead() >= repeats && steps_ <= step_limit_;) {
        if (!place_repeats(next, repeats)) {
            return since > 0;
        }
        ++since;
        if (as_in(before)) {
            const std::int64_t period = since * repeats;
            next.skip_repeats(repeat_since(before, next.repeats_ahead() / period) * period);
            return true;
        }
        if (since == renew) {
            before = {slots_, given_};
            renew *= 2;
            since = 0;
        }
    }
    return true;
}

/// The tiles of whole repetitions, one by one, with a queue for each duration; false where there
/// are too many, or where rounding might change the order of slots in a queue.
bool FreeSlots::place_repeats(TileCursor& next, std::int64_t repeats) {
    struct Run {
        TileCursor at;
        std::int64_t count;
        double duration;
        std::size_t queue;
    };
    std::vector<Run> pattern;
    std::vector<double> durations;
    const std::int64_t tiles = next.section().tiles_a_repeat();
    TileCursor ahead = next;
    for (std::int64_t left = tiles; left > 0;) {
        const std::int64_t count = std::min(left, ahead.left_in_run());
        const auto known = std::find(durations.begin(), durations.end(), ahead.duration());
        pattern.push_back(
            {ahead, count, ahead.duration(), static_cast<std::size_t>(known - durations.begin())});
        if (known == durations.end()) {
            durations.push_back(ahead.duration());
        }
        ahead.take(count);
        left -= count;
    }
    const double longest = *std::max_element(durations.begin(), durations.end());
    // Compared as a quotient: runs of a group may hold a billion tiles.
    if (tiles > most_queued / repeats) {
        return false;
    }
    const std::int64_t all = repeats * tiles;
    if (durations.size() > SlotQueues::most_durations ||
        slots_.back().time + static_cast<double>(all) * longest > exact_until_) {
        return false;
    }
    queues_.start(slots_, all, durations.size());
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
        for (const Run& run : pattern) {
            for (std::int64_t i = 0; i < run.count; ++i) {
                const FreeSlot slot = queues_.first();
                note(slot.index, 1, run.at);
                queues_.keep_first_until(slot.time + run.duration, run.queue);
            }
        }
    }
    queues_.finish(slots_);
    next.skip_repeats(repeats);
    steps_ += static_cast<double>(all);
    return true;
}

/// Whether the slots are in the same order and as far apart.
bool FreeSlots::as_in(const Snapshot& before) const {
    const double later = slots_.front().time - before.slots.front().time;
    return std::equal(slots_.begin(), slots_.end(), before.slots.begin(),
                      [later](const FreeSlot& now, const FreeSlot& then) {
                          return now.index == then.index && now.time - then.time == later;
                      });
}

/// What has been done since, `most` times more or as often as sums are exact; returns how often.
std::int64_t FreeSlots::repeat_since(const Snapshot& before, std::int64_t most) {
    const double later = slots_.front().time - before.slots.front().time;
    const double room = std::floor((exact_until_ - slots_.back().time) / later) - 1.0;
    const auto times = room > 0.0
                           ? static_cast<std::int64_t>(std::min(room, static_cast<double>(most)))
                           : std::int64_t{0};
    for (FreeSlot& slot : slots_) {
        slot.time += static_cast<double>(times) * later;
    }
    for (std::size_t i = 0; i < given_.size(); ++i) {
        given_[i].tiles += times * (given_[i].tiles - before.given[i].tiles);
    }
    return times;
}

}  // namespace warpline
