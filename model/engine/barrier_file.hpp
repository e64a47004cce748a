// All barrier instances of the simulated clusters: arrivals counted, phases completed, waiters
// kept.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace warpline {

struct BarrierWaiter {
    std::int32_t agent = 0;
    std::int64_t phase = 0;
};

struct BarrierInstance {
    int barrier = 0;
    int slot = 0;                ///< stage
    std::int64_t arrived = 0;    ///< in the current phase
    std::int64_t completed = 0;  ///< phases
    bool waited = false;         ///< see mark_waited()
    std::vector<BarrierWaiter> waiters;
};

/// Numbers instances: CTA by CTA, barrier by barrier, copy by copy, warp by warp, stage by stage.
class BarrierFile {
  public:
    /// `warp_slots` of each barrier: instances of warp scope, 1 for others.
    BarrierFile(const KernelPlan& plan, int ctas, std::vector<int> warp_slots);

    [[nodiscard]] int instance(int cta, int barrier, int copy, int warp_slot,
                               std::int64_t slot) const;
    [[nodiscard]] BarrierInstance& at(int instance) {
        return instances_[static_cast<std::size_t>(instance)];
    }
    [[nodiscard]] const BarrierInstance& at(int instance) const {
        return instances_[static_cast<std::size_t>(instance)];
    }
    /// Stages of a barrier: 1, or those of its ring.
    [[nodiscard]] int stages(int barrier) const {
        return stages_[static_cast<std::size_t>(barrier)];
    }
    /// Instances of one CTA.
    [[nodiscard]] int per_cta() const { return per_cta_; }
    /// Number of (barrier, copy) pairs, and the number of one: indices of a warp's wait counters.
    [[nodiscard]] int wait_counters() const { return copies_total_; }
    [[nodiscard]] int wait_counter(int barrier, int copy) const {
        return first_copy_[static_cast<std::size_t>(barrier)] + copy;
    }

    /// Counts `count` arrivals; calls wake(waiter) for each waiter whose phase is complete now, in
    /// order of waiting.
    template <typename Wake>
    void arrive(int index, std::int64_t count, Wake&& wake) {
        BarrierInstance& instance = at(index);
        const std::int64_t need = needed_[static_cast<std::size_t>(instance.barrier)];
        instance.arrived += count;
        if (instance.arrived < need) {
            return;
        }
        instance.completed += instance.arrived / need;
        instance.arrived %= need;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < instance.waiters.size(); ++i) {
            if (instance.waiters[i].phase < instance.completed) {
                wake(instance.waiters[i]);
            } else {
                instance.waiters[kept++] = instance.waiters[i];
            }
        }
        instance.waiters.resize(kept);
    }

    /// Some warp of this run can wait for the instance. The others decide nothing.
    void mark_waited(int instance) { at(instance).waited = true; }
    [[nodiscard]] int size() const { return static_cast<int>(instances_.size()); }
    [[nodiscard]] int cta_of(int instance) const { return instance / per_cta_; }
    /// The instance `uses` ring uses after this one, among the stages of the same barrier.
    [[nodiscard]] int turned(int instance, std::int64_t uses) const {
        const BarrierInstance& from = at(instance);
        const auto stages =
            static_cast<std::int64_t>(stages_[static_cast<std::size_t>(from.barrier)]);
        const std::int64_t slot = ((from.slot + uses) % stages + stages) % stages;
        return instance - from.slot + static_cast<int>(slot);
    }
    /// Gives every instance the contents of the one `uses(instance)` ring uses before it.
    template <typename Uses>
    void turn(Uses&& uses) {
        std::vector<BarrierInstance> moved(instances_.size());
        for (int i = 0; i < size(); ++i) {
            const int to = turned(i, uses(i));
            const int slot = at(to).slot;
            moved[static_cast<std::size_t>(to)] = std::move(at(i));
            moved[static_cast<std::size_t>(to)].slot = slot;
        }
        instances_ = std::move(moved);
    }

  private:
    std::vector<BarrierInstance> instances_;
    std::vector<int> first_;  ///< instance of (CTA 0, barrier)
    std::vector<int> first_copy_;
    std::vector<int> warp_slots_;
    std::vector<int> stages_;
    std::vector<std::int64_t> needed_;
    int per_cta_ = 0;
    int copies_total_ = 0;
};

}  // namespace warpline
