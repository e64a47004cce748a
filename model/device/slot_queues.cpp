#include "warpline/device/slot_queues.hpp"

#include <limits>

namespace warpline {

void SlotQueues::Queue::clear(std::size_t most) {
    if (memory.size() <= most) {
        memory.resize(most + 1);
    }
    head = end = memory.data();
    *end = {std::numeric_limits<double>::infinity(), 0};
}

void SlotQueues::start(const std::vector<FreeSlot>& slots, std::int64_t placements,
                       std::size_t durations) {
    for (Queue& queue : queues_) {
        queue.clear(slots.size() + static_cast<std::size_t>(placements));
    }
    for (const FreeSlot& slot : slots) {
        queues_[durations].push(slot);
    }
    used_ = durations + 1;
    find_first();
}

void SlotQueues::finish(std::vector<FreeSlot>& slots) {
    for (FreeSlot& slot : slots) {
        slot = first();
        ++queues_[first_].head;
        find_first();
    }
}

}  // namespace warpline
