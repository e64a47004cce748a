// What one execution of one operation asks of each unit.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <array>

namespace warpline {

/// Ticks of work by unit, indexed by Unit.
using UnitTicks = std::array<double, unit_count>;

/// Work of one operation executed by one warp. Units of sub-partition scope are the warp's own;
/// units of SM scope are those of its SM, of the peer's SM, or of every other SM of the cluster.
struct OpDemand {
    UnitTicks here{};
    UnitTicks peer{};
    UnitTicks others{};
};

[[nodiscard]] OpDemand op_demand(const KernelPlan& plan, const Op& op,
                                 const MemoryEnvironment& memory);

/// Ticks that `bytes` take at `bytes_per_clk`; none at an unlimited (zero or negative) rate.
[[nodiscard]] constexpr double transfer_ticks(std::int64_t bytes, double bytes_per_clk) {
    return bytes_per_clk > 0.0
               ? static_cast<double>(bytes) / bytes_per_clk * static_cast<double>(ticks_per_cycle)
               : 0.0;
}

}  // namespace warpline
