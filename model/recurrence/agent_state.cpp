#include "warpline/recurrence/agent_state.hpp"

namespace warpline {

BarrierAddressing::BarrierAddressing(const KernelPlan& plan) {
    stages_.reserve(plan.barriers.size());
    first_counter_.reserve(plan.barriers.size());
    for (const Barrier& barrier : plan.barriers) {
        stages_.push_back(barrier.stages);
        first_counter_.push_back(counters_);
        counters_ += static_cast<std::size_t>(barrier.copies);
    }
}

std::int64_t BarrierAddressing::awaited_phase(const UntimedAgent& state,
                                              const BarrierRef& ref) const {
    if (ref.handle < 0) {
        return state.waits[wait_counter(ref)];
    }
    return state.handles[static_cast<std::size_t>(ref.handle)] /
           stages_[static_cast<std::size_t>(ref.barrier)];
}

std::int64_t BarrierAddressing::stage(const UntimedAgent& state, const BarrierRef& ref) const {
    if (ref.handle < 0) {
        return 0;
    }
    return state.handles[static_cast<std::size_t>(ref.handle)] %
           stages_[static_cast<std::size_t>(ref.barrier)];
}

}  // namespace warpline
