// The steady state of a pipeline as a graph: one period's events and what each must wait for.
#pragma once

#include "warpline/recurrence/untimed_run.hpp"
#include "warpline/roofline/steady_shape.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpline {

/// The `to` of period k + distance happens at least `weight` ticks after the `from` of period k.
struct GraphEdge {
    int from = 0;
    int to = 0;
    Tick weight = 0;
    std::int64_t distance = 0;
    Dependence why;
};

struct GraphNode {
    int agent = 0;
    int op = 0;
    bool served = false;
    std::int64_t iteration = 0;  ///< of its agent's loop, from the start of the period
};

struct EventGraph {
    std::int64_t period = 1;  ///< blocks
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;          ///< by target
    std::vector<std::int64_t> iterations;  ///< of each agent's loop in a period, 0 = none
};

/// Folds the run onto one period that begins `begin` blocks into the tile. Nothing when the period
/// after it differs: the run has not settled yet.
[[nodiscard]] std::optional<EventGraph> fold_period(const KernelPlan& plan,
                                                    const std::vector<AgentTrace>& agents,
                                                    std::int64_t begin, std::int64_t period);

/// Moves events between periods so that no edge has a negative distance; every cycle keeps its
/// distance. False when a cycle's distance is negative (it could never run).
[[nodiscard]] bool make_distances_natural(EventGraph& graph);

/// Nodes such that every edge of distance 0 goes forward. Nothing when such edges close a cycle;
/// then `stuck` is set to the nodes of one. Precondition: distances are natural.
[[nodiscard]] std::optional<std::vector<int>> order_of(const EventGraph& graph,
                                                       std::vector<int>& stuck);

}  // namespace warpline
