// Where one agent stands during an untimed run.
#pragma once

#include "warpline/hardware/unit.hpp"
#include "warpline/recurrence/untimed_run.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpline {

/// Asynchronous operations of one class of one agent; indices are events.
struct UntimedClass {
    std::vector<int> operations;
    std::vector<std::size_t> groups;  ///< end of each closed group, into operations
    std::size_t drained = 0;          ///< operations already waited for
};

struct OpenLoop {
    int begin = 0;
    std::int64_t index = 0;
    std::int64_t trips = 0;
};

struct UntimedAgent {
    int pc = 0;
    std::vector<OpenLoop> loops;
    std::vector<std::int64_t> handles;
    std::vector<std::int64_t> ring_next;
    std::vector<std::int64_t> waits;  ///< made so far, by barrier copy
    std::vector<UntimedClass> classes;
    std::array<int, unit_count> last_served{};  ///< event, -1 = none, by unit
    int previous = -1;                          ///< event of the last operation in program order
    Tick previous_duration = 0;
    std::int64_t iteration = UntimedEvent::before_loop;
    int block_loop = -1;
    bool finished = false;
};

/// Which phase of which stage an agent means by a barrier reference: that of the ring slot it
/// holds, or of its next wait.
class BarrierAddressing {
  public:
    explicit BarrierAddressing(const KernelPlan& plan);

    [[nodiscard]] std::size_t wait_counters() const { return counters_; }
    [[nodiscard]] std::size_t wait_counter(const BarrierRef& ref) const {
        return first_counter_[static_cast<std::size_t>(ref.barrier)] +
               static_cast<std::size_t>(ref.copy);
    }
    [[nodiscard]] std::int64_t awaited_phase(const UntimedAgent& state,
                                             const BarrierRef& ref) const;
    [[nodiscard]] std::int64_t stage(const UntimedAgent& state, const BarrierRef& ref) const;

  private:
    std::vector<std::int64_t> stages_;        ///< by barrier
    std::vector<std::size_t> first_counter_;  ///< by barrier: counters of its copies begin here
    std::size_t counters_ = 0;
};

}  // namespace warpline
