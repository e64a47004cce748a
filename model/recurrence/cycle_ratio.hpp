// The maximum cycle ratio of a weighted graph, exact in integers.
#pragma once

#include "warpline/recurrence/event_graph.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// weight / distance is the largest of any cycle; `edges` are those of one such cycle in order,
/// empty when no cycle has a positive weight.
struct CycleRatio {
    std::int64_t weight = 0;
    std::int64_t distance = 1;
    std::vector<int> edges;  ///< indices into EventGraph::edges
};

/// `order` as order_of() returns it: every cycle has a positive distance. The ratio is raised from
/// cycle to cycle until longest paths at that ratio exist, which proves that no cycle exceeds it.
/// No rounding anywhere.
[[nodiscard]] CycleRatio maximum_cycle_ratio(const EventGraph& graph,
                                             const std::vector<int>& order);

}  // namespace warpline
