#include "warpline/device/free_slots.hpp"

#include <algorithm>
#include <functional>

namespace warpline {

FreeSlots::FreeSlots(std::int64_t slots, double step_limit)
    : given_(static_cast<std::size_t>(slots)), step_limit_(step_limit) {
    heap_.reserve(static_cast<std::size_t>(slots));
    for (std::int64_t slot = 0; slot < slots; ++slot) {
        heap_.push_back({0.0, slot});
    }
}

bool FreeSlots::place(const std::vector<TimedRun>& runs) {
    const auto slots = static_cast<std::int64_t>(heap_.size());
    Place next;
    while (next.run < runs.size()) {
        const TimedRun& run = runs[next.run];
        const std::int64_t left = run.count - next.taken;
        const bool close = latest_ - heap_.front().time <= run.duration;
        if (close && left >= slots) {
            place_rounds(run, left / slots);
            next.taken += left / slots * slots;
        } else if (close && left > 0) {
            deal_round(runs, next);
        } else if (left > 0) {
            place_first(run);
            ++next.taken;
        }
        if (next.run < runs.size() && next.taken == runs[next.run].count) {
            next = {next.run + 1, 0};
        }
        if (steps_ > step_limit_) {
            return false;
        }
    }
    return true;
}

std::vector<double> FreeSlots::ends() const {
    std::vector<double> ends(heap_.size());
    for (const Slot& slot : heap_) {
        ends[static_cast<std::size_t>(slot.index)] = slot.time;
    }
    return ends;
}

void FreeSlots::give(Slot& slot, const TimedRun& run, std::int64_t count) {
    slot.time += run.duration * static_cast<double>(count);
    latest_ = std::max(latest_, slot.time);
    Given& given = given_[static_cast<std::size_t>(slot.index)];
    given.tiles += count;
    given.last = run.tile;
}

/// When the free times lie within one duration, a round of equal tiles gives every slot one and
/// leaves their order as it was.
void FreeSlots::place_rounds(const TimedRun& run, std::int64_t rounds) {
    for (Slot& slot : heap_) {
        give(slot, run, rounds);
    }
}

void FreeSlots::place_first(const TimedRun& run) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    give(heap_.back(), run, 1);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    sorted_ = false;
    steps_ += 1.0;
}

/// Gives tiles to the slots in the order of their free times, until one that has just been given a
/// tile would be free before the next.
void FreeSlots::deal_round(const std::vector<TimedRun>& runs, Place& next) {
    sort();
    auto slot = heap_.begin();
    Slot soonest = heap_.back();
    for (bool first = true; slot != heap_.end(); ++slot, first = false) {
        while (next.run < runs.size() && next.taken == runs[next.run].count) {
            next = {next.run + 1, 0};
        }
        if (next.run == runs.size() || (!first && soonest < *slot)) {
            break;
        }
        give(*slot, runs[next.run], 1);
        soonest = first ? *slot : std::min(soonest, *slot);
        ++next.taken;
        steps_ += 1.0;
    }
    // Tiles that grow shorter turn the order round.
    if (std::is_sorted(heap_.begin(), slot, std::greater<>{})) {
        std::reverse(heap_.begin(), slot);
    } else {
        std::sort(heap_.begin(), slot);
    }
    std::inplace_merge(heap_.begin(), slot, heap_.end());
}

void FreeSlots::sort() {
    if (!sorted_ && !std::is_sorted(heap_.begin(), heap_.end())) {
        std::sort(heap_.begin(), heap_.end());
    }
    sorted_ = true;
}

}  // namespace warpline
