// What a role does to barriers and rings on one tile, counted without time.
#pragma once

#include "warpline/pipeline/declarations.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpline {

/// What one warp of a role does to each barrier copy on one tile. Indexed by instance (a barrier
/// copy, stages together).
struct TileCounts {
    struct Arrivals {
        std::int64_t self = 0, peer = 0, leader = 0, all = 0;
    };
    std::vector<Arrivals> arrivals;
    std::vector<std::int64_t> waits;
    std::vector<std::int64_t> takes;  // by ring
    bool complete = true;             // false: the program is too long to follow
};

/// Where barrier copies sit in one flat list.
class BarrierInstances {
  public:
    explicit BarrierInstances(const Declarations& declarations) {
        for (const DeclaredBarrier& declared : declarations.barriers) {
            first_.push_back(count_);
            count_ += static_cast<std::size_t>(declared.barrier.copies);
        }
    }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t of(const BarrierRef& ref) const {
        return first_[static_cast<std::size_t>(ref.barrier)] + static_cast<std::size_t>(ref.copy);
    }
    [[nodiscard]] std::size_t of(std::size_t barrier, int copy) const {
        return first_[barrier] + static_cast<std::size_t>(copy);
    }

  private:
    std::vector<std::size_t> first_;
    std::size_t count_ = 0;
};

/// Follows the role's loop over tiles for one tile of the class, in the middle of many.
[[nodiscard]] TileCounts count_tile(const Role& role, const BarrierInstances& instances,
                                    std::size_t rings, const TileClass& tile);

}  // namespace warpline
