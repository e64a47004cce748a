#include "warpline/device/free_slots.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace warpline {
namespace {

constexpr double most_steps = 4503599627370496.0;  // 2^52: sums of fewer steps are exact

/// Ticks below which sums of whole multiples of what `ticks` is a multiple of are exact.
[[nodiscard]] double sums_exact_until(double ticks) {
    for (const double steps_per_tick : {1.0, TripCurve::steps_per_tick}) {
        const double steps = ticks * steps_per_tick;
        if (std::nearbyint(steps) == steps) {
            return most_steps / steps_per_tick;
        }
    }
    return 0.0;
}

[[nodiscard]] double sums_exact_until(const std::vector<TimedSection>& tiles) {
    double until = most_steps;
    for (const TimedSection& section : tiles) {
        until = std::min(until, sums_exact_until(section.duration_step));
        for (const TimedRun& run : section.runs) {
            until = std::min(until, sums_exact_until(run.duration));
        }
    }
    return until;
}

}  // namespace

FreeSlots::FreeSlots(std::int64_t slots, double step_limit)
    : given_(static_cast<std::size_t>(slots)), exact_until_(most_steps), step_limit_(step_limit) {
    slots_.reserve(static_cast<std::size_t>(slots));
    for (std::int64_t slot = 0; slot < slots; ++slot) {
        slots_.push_back({0.0, slot});
    }
}

bool FreeSlots::place(const std::vector<TimedSection>& tiles) {
    const auto slots = static_cast<std::int64_t>(slots_.size());
    exact_until_ = std::min(exact_until_, sums_exact_until(tiles));
    TileCursor next(tiles);
    while (!next.done()) {
        if (latest_ - slots_.front().time > next.duration()) {
            place_first(next);
        } else if (next.left_in_run() >= slots && round_keeps_order(next.duration())) {
            place_rounds(next);
        } else if (!leap(next) && !deal_whole_round(next)) {
            deal_round(next);
        }
        if (steps_ > step_limit_) {
            return false;
        }
    }
    return true;
}

std::vector<double> FreeSlots::ends() const {
    std::vector<double> ends(slots_.size());
    for (const Slot& slot : slots_) {
        ends[static_cast<std::size_t>(slot.index)] = slot.time;
    }
    return ends;
}

void FreeSlots::give(Slot& slot, const TileCursor& next, std::int64_t count) {
    slot.time += next.duration() * static_cast<double>(count);
    latest_ = std::max(latest_, slot.time);
    Given& given = given_[static_cast<std::size_t>(slot.index)];
    given.tiles += count;
    given.last = next.tile();
}

/// Whether a round of equal tiles gives every slot one and leaves their order as it was: the free
/// times lie within one duration. Where they lie just that far apart, the slot that is free again
/// must come after the last one by its number.
bool FreeSlots::round_keeps_order(double duration) {
    if (latest_ - slots_.front().time < duration) {
        return true;
    }
    sort();
    return Slot{slots_.front().time + duration, slots_.front().index} > slots_.back();
}

void FreeSlots::place_rounds(TileCursor& next) {
    const auto slots = static_cast<std::int64_t>(slots_.size());
    const std::int64_t rounds = next.left_in_run() / slots;
    for (Slot& slot : slots_) {
        give(slot, next, rounds);
    }
    next.take(rounds * slots);
}

void FreeSlots::place_first(TileCursor& next) {
    std::pop_heap(slots_.begin(), slots_.end(), std::greater<>{});
    give(slots_.back(), next, 1);
    std::push_heap(slots_.begin(), slots_.end(), std::greater<>{});
    next.take(1);
    sorted_ = false;
    steps_ += 1.0;
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

/// One tile for each slot in the order of their free times, where these lie within the shortest of
/// the tiles; false where not, or where rounding might make two times equal.
bool FreeSlots::deal_whole_round(TileCursor& next) {
    sort();
    const std::optional<double> shortest = shortest_of_round(next);
    if (latest_ > exact_until_ || !shortest ||
        slots_.back().time - slots_.front().time >= *shortest) {
        return false;
    }
    for (Slot& slot : slots_) {
        give(slot, next, 1);
        next.take(1);
    }
    steps_ += static_cast<double>(slots_.size());
    sorted_ = false;
    sort();
    return true;
}

/// Gives tiles to the slots in the order of their free times, until one that has just been given a
/// tile would be free before the next.
void FreeSlots::deal_round(TileCursor& next) {
    sort();
    auto slot = slots_.begin();
    Slot soonest = slots_.back();
    for (bool first = true; slot != slots_.end() && !next.done(); ++slot, first = false) {
        if (!first && soonest < *slot) {
            break;
        }
        give(*slot, next, 1);
        soonest = first ? *slot : std::min(soonest, *slot);
        next.take(1);
        steps_ += 1.0;
    }
    sort(slots_.begin(), slot);
    std::inplace_merge(slots_.begin(), slot, slots_.end());
}

void FreeSlots::sort() {
    if (!sorted_) {
        sort(slots_.begin(), slots_.end());
    }
    sorted_ = true;
}

/// Tiles that grow longer leave the order as it was, tiles that grow shorter turn it round.
void FreeSlots::sort(Slots::iterator begin, Slots::iterator end) {
    if (std::is_sorted(begin, end)) {
        return;
    }
    if (std::is_sorted(begin, end, std::greater<>{})) {
        std::reverse(begin, end);
    } else {
        std::sort(begin, end);
    }
}

}  // namespace warpline
