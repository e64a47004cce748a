#include "warpline/engine/barrier_file.hpp"

#include <algorithm>

namespace warpline {

BarrierFile::BarrierFile(const KernelPlan& plan, int ctas, std::vector<int> warp_slots)
    : warp_slots_(std::move(warp_slots)) {
    for (std::size_t b = 0; b < plan.barriers.size(); ++b) {
        const Barrier& barrier = plan.barriers[b];
        const int stages = barrier.ring >= 0
                               ? plan.rings[static_cast<std::size_t>(barrier.ring)].stages
                               : barrier.stages;
        first_.push_back(per_cta_);
        first_copy_.push_back(copies_total_);
        stages_.push_back(std::max(1, stages));
        needed_.push_back(std::max<std::int64_t>(1, barrier.arrivals));
        per_cta_ += barrier.copies * warp_slots_[b] * stages_.back();
        copies_total_ += barrier.copies;
    }
    for (int cta = 0; cta < ctas; ++cta) {
        for (std::size_t b = 0; b < plan.barriers.size(); ++b) {
            const int count = plan.barriers[b].copies * warp_slots_[b] * stages_[b];
            for (int i = 0; i < count; ++i) {
                BarrierInstance instance;
                instance.barrier = static_cast<int>(b);
                instance.slot = i % stages_[b];
                instance.completed = plan.barriers[b].initially_complete;
                instances_.push_back(instance);
            }
        }
    }
}

int BarrierFile::instance(int cta, int barrier, int copy, int warp_slot, std::int64_t slot) const {
    const auto b = static_cast<std::size_t>(barrier);
    return cta * per_cta_ + first_[b] +
           (copy * warp_slots_[b] + std::min(warp_slot, warp_slots_[b] - 1)) * stages_[b] +
           static_cast<int>(slot);
}

}  // namespace warpline
