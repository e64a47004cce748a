// Slots in the order of their free times while they take tiles one by one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpline {

/// A slot and when it is free; of two that are free at the same time the lower number goes first.
struct FreeSlot {
    double time = 0.0;
    std::int64_t index = 0;
    [[nodiscard]] friend bool operator<(const FreeSlot& a, const FreeSlot& b) {
        return a.time < b.time || (a.time == b.time && a.index < b.index);
    }
    [[nodiscard]] friend bool operator>(const FreeSlot& a, const FreeSlot& b) { return b < a; }
};

/// A few queues, each in order: slots that take tiles of one duration are free again in the order
/// in which they took them.
class SlotQueues {
  public:
    static constexpr std::size_t most_durations = 4;

    /// For up to `placements` tiles of so many durations. Precondition: the slots are in order, one
    /// or more; durations <= most_durations.
    void start(const std::vector<FreeSlot>& slots, std::int64_t placements, std::size_t durations);

    [[nodiscard]] const FreeSlot& first() const { return *queues_[first_].head; }
    /// The first is free again at `time`, after a tile of that duration.
    void keep_first_until(double time, std::size_t duration) {
        Queue& queue = queues_[first_];
        const FreeSlot slot{time, queue.head->index};
        ++queue.head;
        if (queue.head == queue.end && first_ + 1 == used_) {
            --used_;
        }
        queues_[duration].push(slot);
        used_ = std::max(used_, duration + 1);
        find_first();
    }
    /// Writes all slots in order.
    void finish(std::vector<FreeSlot>& slots);

  private:
    /// From `head` on; a slot that is never free stands behind the last.
    struct Queue {
        std::vector<FreeSlot> memory;
        FreeSlot* head = nullptr;
        FreeSlot* end = nullptr;

        void clear(std::size_t most);
        void push(const FreeSlot& slot) {
            const FreeSlot never = *end;
            *end++ = slot;
            *end = never;
        }
    };

    void find_first() {
        first_ = 0;
        for (std::size_t i = 1; i < used_; ++i) {
            first_ = *queues_[i].head < *queues_[first_].head ? i : first_;
        }
    }

    std::array<Queue, most_durations + 1> queues_;  ///< by duration; then slots that took none yet
    std::size_t used_ = 1;                          ///< queues; those beyond are empty
    std::size_t first_ = 0;
};

}  // namespace warpline
