// The engine's future: a binary heap ordered by (time, sequence).
#pragma once

#include "warpline/units/tick.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace warpline {

enum class EventKind : std::uint8_t {
    arrive,        ///< a = barrier instance, b = arrivals
    launch,        ///< a = operation in flight: its issue slots are over
    complete,      ///< a = operation in flight
    port_run_end,  ///< a = SM, b = version: the SMEM port's current run ends
    port_ideal,    ///< a = SM, b = packed requester: a request served without contention
    tensor_due,    ///< a = tensor unit: the executing step has had its time
    tensor_start,  ///< a = tensor unit: the first operand of a chain is there
    copy_step,     ///< a = operation in flight: the next stage of a copy
    peer_write,    ///< a = operation in flight: a quantum of b ticks reaches the peer SM
    memory_write,  ///< a = operation in flight: its data may leave for global memory
};

/// What issue ports do is kept apart, in DispatchTimes.
struct Event {
    Tick time = 0;
    std::int64_t sequence = 0;
    EventKind kind = EventKind::arrive;
    std::int32_t a = 0;
    std::int64_t b = 0;
};

class EventQueue {
  public:
    /// Of the next event; the largest tick when there is none.
    [[nodiscard]] Tick next_time() const { return next_time_; }
    [[nodiscard]] std::size_t size() const { return heap_.size() + (holding_ ? 1 : 0); }

    void push(Tick time, EventKind kind, std::int32_t a, std::int64_t b = 0) {
        const Event event{time, sequence_++, kind, a, b};
        next_time_ = std::min(next_time_, time);
        if (!holding_) {
            held_ = event;
            holding_ = true;
        } else if (later(held_, event)) {
            push_heap(std::exchange(held_, event));
        } else {
            push_heap(event);
        }
    }

    Event pop() {
        const Event event = take();
        note_next_time();
        return event;
    }

    /// Visits all pending events in the order they will happen. They may be moved in time all
    /// alike: a sorted array is a heap.
    template <typename Visit>
    void for_each_in_order(Visit&& visit) {
        if (std::exchange(holding_, false)) {
            push_heap(held_);
        }
        std::sort(heap_.begin(), heap_.end(),
                  [](const Event& x, const Event& y) { return later(y, x); });
        for (Event& event : heap_) {
            visit(event);
        }
        note_next_time();
    }

  private:
    static bool later(const Event& x, const Event& y) {
        return x.time != y.time ? x.time > y.time : x.sequence > y.sequence;
    }

    Event take() {
        if (holding_ && (heap_.empty() || later(heap_.front(), held_))) {
            holding_ = false;
            return held_;
        }
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const Event event = heap_.back();
        heap_.pop_back();
        return event;
    }

    void note_next_time() {
        next_time_ = heap_.empty() ? never : heap_.front().time;
        if (holding_) {
            next_time_ = std::min(next_time_, held_.time);
        }
    }

    void push_heap(const Event& event) {
        heap_.push_back(event);
        std::push_heap(heap_.begin(), heap_.end(), later);
    }

    std::vector<Event> heap_;
    // The earliest of the events pushed last stays out of the heap: what an event causes is often
    // what happens next.
    Event held_;
    bool holding_ = false;
    static constexpr Tick never = std::numeric_limits<Tick>::max();
    Tick next_time_ = never;
    std::int64_t sequence_ = 0;
};

}  // namespace warpline
