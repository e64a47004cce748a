#include "warpline/recurrence/barrier_bank.hpp"

#include <algorithm>

namespace warpline {

BarrierBank::BarrierBank(const KernelPlan& plan, int warp_instances) {
    layouts_.reserve(plan.barriers.size());
    for (const Barrier& barrier : plan.barriers) {
        Layout layout;
        layout.first = instances_.size();
        layout.stages = static_cast<std::size_t>(barrier.stages);
        layout.warps = barrier.scope == BarrierScope::warp
                           ? static_cast<std::size_t>(warp_instances)
                           : std::size_t{1};
        layout.per_sm = static_cast<std::size_t>(barrier.copies) * layout.stages * layout.warps;
        Instance instance;
        instance.needed = std::max<std::int64_t>(1, barrier.arrivals);
        instance.initially = barrier.initially_complete;
        instance.completed = barrier.initially_complete;
        instances_.insert(instances_.end(), layout.per_sm * static_cast<std::size_t>(plan.cluster),
                          instance);
        layouts_.push_back(layout);
    }
}

std::size_t BarrierBank::index(const BarrierPlace& place) const {
    const Layout& layout = layouts_[static_cast<std::size_t>(place.ref.barrier)];
    const auto slot = static_cast<std::size_t>(place.ref.copy) * layout.stages +
                      static_cast<std::size_t>(place.stage);
    return layout.first + static_cast<std::size_t>(place.sm) * layout.per_sm + slot * layout.warps +
           (layout.warps > 1 ? static_cast<std::size_t>(place.warp_instance) : 0);
}

std::size_t BarrierBank::boundary(const Instance& instance, std::int64_t phase) const {
    const std::int64_t since_start = phase - instance.initially;
    return since_start < 0 ? 0 : instance.phase_end[static_cast<std::size_t>(since_start)];
}

std::vector<IncomingEdge>::const_iterator BarrierBank::sources_begin(std::size_t instance,
                                                                     std::int64_t phase) const {
    const Instance& at = instances_[instance];
    return at.sources.begin() + static_cast<std::ptrdiff_t>(boundary(at, phase - 1));
}

std::vector<IncomingEdge>::const_iterator BarrierBank::sources_end(std::size_t instance,
                                                                   std::int64_t phase) const {
    const Instance& at = instances_[instance];
    return at.sources.begin() + static_cast<std::ptrdiff_t>(boundary(at, phase));
}

bool BarrierBank::arrive(std::size_t instance, const IncomingEdge& source, std::int64_t count) {
    constexpr std::size_t usual_phases = 16;
    Instance& at = instances_[instance];
    if (at.sources.empty()) {
        at.sources.reserve(usual_phases);
        at.phase_end.reserve(usual_phases);
    }
    at.sources.push_back(source);
    at.arrived += count;
    bool completed = false;
    while (at.arrived >= at.needed) {
        at.arrived -= at.needed;
        ++at.completed;
        at.phase_end.push_back(at.sources.size());
        if (at.arrived > 0) {
            at.sources.push_back(source);  // what is left over belongs to the next phase
        }
        completed = true;
    }
    return completed;
}

void BarrierBank::move_waiters(std::size_t instance, std::vector<int>& ready) {
    std::vector<int>& waiters = instances_[instance].waiters;
    ready.insert(ready.end(), waiters.begin(), waiters.end());
    waiters.clear();
}

}  // namespace warpline
