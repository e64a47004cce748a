// The agents of a cluster: its warps, four equal ones as one.
#pragma once

#include "warpline/recurrence/untimed_run.hpp"

#include <vector>

namespace warpline {

/// Agents with empty traces: SM by SM, roles in the order of the plan. Warps 4i .. 4i + 3 of a role
/// become one agent when the role's first warp and number of warps are multiples of the
/// sub-partitions; none do when a barrier of warp scope is used by a role that cannot be folded.
[[nodiscard]] std::vector<AgentTrace> agents_of(const KernelPlan& plan);

}  // namespace warpline
