// The cheap answer: how long each unit is needed, and which one is needed longest.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// Demand on one unit: ticks that its busiest instance (sub-partition or SM) must work.
struct UnitDemand {
    Unit unit = Unit::issue;
    double ticks = 0.0;
};

struct Roofline {
    std::vector<UnitDemand> demand;  ///< every unit of the machine, in the order of the enumeration
    Unit bound = Unit::tensor;       ///< the unit needed longest
    double ticks = 0.0;              ///< its demand: a lower bound on any schedule
};

/// Demand of a whole tile sequence on one SM, with all resident CTAs. Memory demand is bytes over
/// memory.bytes_per_clk.
[[nodiscard]] Roofline roofline(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                                const MemoryEnvironment& memory);

/// Demand of one steady (unmasked, inner) loop step: the difference between a tile of blocks +
/// period and one of blocks, per step, chances at their mean.
[[nodiscard]] Roofline steady_roofline(const KernelPlan& plan, const MemoryEnvironment& memory);

}  // namespace warpline
