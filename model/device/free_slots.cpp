#include "warpline/device/free_slots.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace warpline {
namespace {

constexpr int mantissa_bits = 53;
constexpr std::int64_t steps_a_call = 1 << 12;
constexpr std::ptrdiff_t few_moves = 8;  // a slot, by one place each, for which order is mended

/// Ticks below which sums of whole multiples of what `ticks` is an odd multiple of are exact: of a
/// power of two.
[[nodiscard]] double sums_exact_until(double ticks) {
    int exponent = 0;
    const double mantissa = std::abs(std::frexp(ticks, &exponent));
    if (mantissa == 0.0) {
        return std::numeric_limits<double>::infinity();
    }
    if (!std::isfinite(mantissa)) {
        return 0.0;
    }
    const auto bits = static_cast<std::uint64_t>(std::ldexp(mantissa, mantissa_bits));
    return std::ldexp(1.0, exponent + std::countr_zero(bits));
}

[[nodiscard]] double sums_exact_until(const std::vector<TimedSection>& tiles) {
    double until = std::numeric_limits<double>::infinity();
    for (const TimedSection& section : tiles) {
        until = std::min(until, sums_exact_until(section.duration_step));
        for (const TimedRun& run : section.runs) {
            until = std::min(until, sums_exact_until(run.duration));
        }
    }
    return until;
}

}  // namespace

FreeSlots::FreeSlots(std::int64_t slots, double step_limit, Keep keep)
    : exact_until_(std::numeric_limits<double>::infinity()), step_limit_(step_limit) {
    slots_.reserve(static_cast<std::size_t>(slots));
    for (std::int64_t slot = 0; slot < slots; ++slot) {
        slots_.push_back({0.0, slot});
    }
    if (keep == Keep::ends_and_tiles) {
        given_.resize(slots_.size());
    }
}

bool FreeSlots::place(const std::vector<TimedSection>& tiles) {
    exact_until_ = std::min(exact_until_, sums_exact_until(tiles));
    TileCursor next(tiles);
    while (!next.done()) {
        if (!place_run(next) && !place_pattern(next) && !leap(next) && !deal_round(next)) {
            place_singly(next);
        }
        if (steps_ > step_limit_) {
            return false;
        }
    }
    return true;
}

std::vector<double> FreeSlots::ends() const {
    std::vector<double> ends(slots_.size());
    for (const FreeSlot& slot : slots_) {
        ends[static_cast<std::size_t>(slot.index)] = slot.time;
    }
    return ends;
}

/// As many of a long run's equal tiles as can be placed at one stroke; false when there are none.
/// In rounds that give every slot one and leave their order as it was: the free times lie within
/// one duration, or just that far apart where the slot that is free again comes after the last one
/// by its number.
bool FreeSlots::place_run(TileCursor& next) {
    const auto slots = static_cast<std::int64_t>(slots_.size());
    const std::int64_t rounds = next.left_in_run() / slots;
    if (rounds == 0) {
        return false;
    }
    const FreeSlot& first = slots_.front();
    if (!(FreeSlot{first.time + next.duration(), first.index} > slots_.back())) {
        return place_until_last(next);
    }
    for (FreeSlot& slot : slots_) {
        slot.time += next.duration() * static_cast<double>(rounds);
        note(slot.index, rounds, next);
    }
    next.take(rounds * slots);
    return true;
}

/// Equal tiles to the slots that are free before some time, until none of them is: in which order
/// is all the same.
bool FreeSlots::place_until_last(TileCursor& next) {
    const double duration = next.duration();
    const auto slots = static_cast<std::int64_t>(slots_.size());
    // No later than there are tiles for, however many slots are free as early as the first.
    const double rounds = static_cast<double>(next.left_in_run() / slots - 1);
    const double until = std::min(slots_.back().time, slots_.front().time + rounds * duration);
    if (duration <= 0.0 || until <= slots_.front().time || until + duration > exact_until_) {
        return false;
    }
    std::int64_t placed = 0;
    for (FreeSlot& slot : slots_) {
        if (slot.time >= until) {
            break;
        }
        double tiles = std::ceil((until - slot.time) / duration);
        tiles -= slot.time + (tiles - 1.0) * duration >= until ? 1.0 : 0.0;
        tiles += slot.time + tiles * duration < until ? 1.0 : 0.0;
        slot.time += tiles * duration;
        note(slot.index, static_cast<std::int64_t>(tiles), next);
        placed += static_cast<std::int64_t>(tiles);
    }
    next.take(placed);
    sort();
    return true;
}

/// One tile for each slot in the order of their free times, where none is free again before the
/// last of them takes its tile; false where not.
bool FreeSlots::deal_round(TileCursor& next) {
    const auto slots = static_cast<std::int64_t>(slots_.size());
    TileCursor ahead = next;
    for (std::int64_t i = 0; i < slots;) {
        if (ahead.done()) {
            return false;
        }
        const TileCursor::Stretch tiles = ahead.stretch();
        const std::int64_t count = std::min(tiles.count, slots - i);
        const double free_again = slots_[static_cast<std::size_t>(i)].time + tiles.shortest(count);
        if (free_again <= slots_.back().time) {
            return false;
        }
        ahead.pass(count);
        i += count;
    }
    for (auto slot = slots_.begin(); slot != slots_.end();) {
        const TileCursor::Stretch tiles = next.stretch();
        const std::int64_t count = std::min(tiles.count, slots_.end() - slot);
        if (keeps_given()) {
            for (std::int64_t i = 0; i < count; ++i, next.pass(1)) {
                note(slot[i].index, 1, next);
            }
        } else {
            next.pass(count);
        }
        for (std::int64_t i = 0; i < count; ++i, ++slot) {
            slot->time += tiles.duration(i);
        }
    }
    steps_ += static_cast<double>(slots);
    sort();
    return true;
}

namespace {

/// Slots by when they are free. Those that are given back in order wait in order, others in a heap.
class WaitingSlots {
  public:
    /// Precondition: in order, one or more.
    explicit WaitingSlots(const std::vector<FreeSlot>& slots)
        : untouched_(slots), latest_(slots.back().time) {
        find_first();
    }
    [[nodiscard]] const FreeSlot& first() const { return *first_; }
    [[nodiscard]] double spread() const { return latest_ - first_->time; }
    void keep_first_until(double time) {
        const FreeSlot slot{time, first_->index};
        if (from_ == From::untouched) {
            ++untouched_head_;
        } else if (from_ == From::in_order) {
            ++in_order_head_;
        } else {
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
            heap_.pop_back();
        }
        if (in_order_head_ == in_order_.size() || in_order_.back() < slot) {
            in_order_.push_back(slot);
        } else {
            heap_.push_back(slot);
            std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
        }
        latest_ = std::max(latest_, time);
        find_first();
    }
    void write_to(std::vector<FreeSlot>& slots) const {
        const auto from = [](const std::vector<FreeSlot>& list, std::size_t head) {
            return list.begin() + static_cast<std::ptrdiff_t>(head);
        };
        auto end = std::copy(from(untouched_, untouched_head_), untouched_.end(), slots.begin());
        end = std::copy(from(in_order_, in_order_head_), in_order_.end(), end);
        std::copy(heap_.begin(), heap_.end(), end);
        std::sort(slots.begin(), slots.end());
    }

  private:
    enum class From : std::uint8_t { untouched, in_order, heap };

    void offer(const std::vector<FreeSlot>& slots, std::size_t head, From from) {
        if (head < slots.size() && (first_ == nullptr || slots[head] < *first_)) {
            first_ = &slots[head];
            from_ = from;
        }
    }
    void find_first() {
        first_ = nullptr;
        offer(untouched_, untouched_head_, From::untouched);
        offer(in_order_, in_order_head_, From::in_order);
        offer(heap_, 0, From::heap);
    }

    std::vector<FreeSlot> untouched_, in_order_, heap_;
    std::size_t untouched_head_ = 0, in_order_head_ = 0;
    double latest_;
    const FreeSlot* first_ = nullptr;
    From from_ = From::untouched;
};

}  // namespace

/// One tile for each slot or, while some slots are free again before others are at all, more of the
/// section.
void FreeSlots::place_singly(TileCursor& next) {
    const auto slots = static_cast<std::int64_t>(slots_.size());
    const TimedSection* const section = &next.section();
    WaitingSlots waiting(slots_);
    std::int64_t placed = 0;
    const auto go_on = [&] {
        return placed < slots ||
               (placed < steps_a_call && &next.section() == section &&
                next.left_in_run() < 2 * slots && waiting.spread() > next.duration());
    };
    for (; !next.done() && go_on(); ++placed) {
        note(waiting.first().index, 1, next);
        waiting.keep_first_until(waiting.first().time + next.duration());
        next.take(1);
    }
    waiting.write_to(slots_);
    steps_ += static_cast<double>(placed);
}

/// Tiles that grow longer leave the order as it was, tiles that grow shorter turn it round: nearly,
/// where some are equal or the round takes tiles of several sections.
void FreeSlots::sort() {
    if (slots_.back() < slots_.front()) {
        std::reverse(slots_.begin(), slots_.end());
    }
    std::ptrdiff_t moves = 0;
    const auto most_moves = few_moves * static_cast<std::ptrdiff_t>(slots_.size());
    for (auto next = slots_.begin() + 1; next < slots_.end(); ++next) {
        if (!(*next < next[-1])) {
            continue;
        }
        const auto place = std::upper_bound(slots_.begin(), next, *next);
        moves += next - place;
        if (moves > most_moves) {
            std::sort(slots_.begin(), slots_.end());
            return;
        }
        std::rotate(place, next, next + 1);
    }
}

}  // namespace warpline
