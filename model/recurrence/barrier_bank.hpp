// The barriers of a cluster during an untimed run: who completed which phase.
#pragma once

#include "warpline/recurrence/untimed_run.hpp"

#include <cstddef>
#include <vector>

namespace warpline {

/// Identifies one barrier instance of the cluster.
struct BarrierPlace {
    int sm = 0;
    BarrierRef ref;
    std::int64_t stage = 0;  ///< of the ring, 0 without
    int warp_instance = 0;   ///< of a warp-scoped barrier
};

class BarrierBank {
  public:
    /// `warp_instances`: instances of a barrier of warp scope in one CTA.
    BarrierBank(const KernelPlan& plan, int warp_instances);

    [[nodiscard]] std::size_t index(const BarrierPlace& place) const;

    [[nodiscard]] bool complete(std::size_t instance, std::int64_t phase) const {
        return instances_[instance].completed > phase;
    }
    /// The events that completed `phase`; none for a phase that was complete at the start.
    [[nodiscard]] std::vector<IncomingEdge>::const_iterator sources_begin(std::size_t instance,
                                                                          std::int64_t phase) const;
    [[nodiscard]] std::vector<IncomingEdge>::const_iterator sources_end(std::size_t instance,
                                                                        std::int64_t phase) const;
    /// The first phase that is not complete yet, its arrivals so far, and how many it needs.
    [[nodiscard]] std::int64_t current_phase(std::size_t instance) const {
        return instances_[instance].completed;
    }
    [[nodiscard]] std::int64_t arrived(std::size_t instance) const {
        return instances_[instance].arrived;
    }
    [[nodiscard]] std::int64_t needed(std::size_t instance) const {
        return instances_[instance].needed;
    }

    /// Adds `count` arrivals caused by `source`; 0 only records that the coming arrival depends on
    /// it too. True when a phase completed.
    bool arrive(std::size_t instance, const IncomingEdge& source, std::int64_t count);

    /// Remembers that `agent` waits; move_waiters() appends all to `ready` and forgets them.
    void add_waiter(std::size_t instance, int agent) {
        instances_[instance].waiters.push_back(agent);
    }
    void move_waiters(std::size_t instance, std::vector<int>& ready);

  private:
    struct Instance {
        std::int64_t needed = 1;
        std::int64_t initially = 0;
        std::int64_t completed = 0;
        std::int64_t arrived = 0;
        std::vector<IncomingEdge> sources;
        std::vector<std::size_t> phase_end;  ///< into sources, of each completed phase
        std::vector<int> waiters;
    };
    [[nodiscard]] std::size_t boundary(const Instance& instance, std::int64_t phase) const;

    struct Layout {
        std::size_t first = 0;
        std::size_t stages = 1;
        std::size_t warps = 1;
        std::size_t per_sm = 1;
    };
    std::vector<Layout> layouts_;
    std::vector<Instance> instances_;
};

}  // namespace warpline
