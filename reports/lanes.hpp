// Which row of a chart an event belongs to, and what the row is called.
#pragma once

#include "warpline/engine/schedule.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <string>

namespace warpline {

/// An instance of a unit.
struct UnitKey {
    Unit unit = Unit::issue;
    int sm = 0;
    int sub_partition = -1;  ///< -1: of SM scope

    friend bool operator<(const UnitKey& a, const UnitKey& b);
};

/// The instance that serves the warps of `usage`.
[[nodiscard]] UnitKey unit_key(const KernelPlan& plan, const RoleUsage& usage, Unit unit);

/// "tensor", "xu p2": without the SM.
[[nodiscard]] std::string unit_row_name(const UnitKey& key);

/// "softmax[0]", "softmax[0] w2" where the role's warps are not all alike: without the SM.
[[nodiscard]] std::string warp_row_name(const KernelPlan& plan, const RoleUsage& usage);

}  // namespace warpline
