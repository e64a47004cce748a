#include "warpline/recurrence/cycle_ratio.hpp"

#include <algorithm>
#include <numeric>

namespace warpline {
namespace {

/// Longest paths under edge lengths weight - ratio * distance, kept as sums of weights and
/// distances so that they stay exact.
class LongestPaths {
  public:
    LongestPaths(const EventGraph& graph, const std::vector<int>& order)
        : graph_(graph),
          order_(order),
          weight_(order.size()),
          distance_(order.size()),
          last_edge_(order.size()),
          incoming_begin_(order.size() + 1, 0),
          incoming_(graph.edges.size()) {
        for (const GraphEdge& edge : graph.edges) {
            ++incoming_begin_[static_cast<std::size_t>(edge.to) + 1];
        }
        std::partial_sum(incoming_begin_.begin(), incoming_begin_.end(), incoming_begin_.begin());
        std::vector<int> next(incoming_begin_.begin(), incoming_begin_.end() - 1);
        for (std::size_t e = 0; e < graph.edges.size(); ++e) {
            incoming_[static_cast<std::size_t>(
                next[static_cast<std::size_t>(graph.edges[e].to)]++)] = static_cast<int>(e);
        }
    }

    /// A cycle of a larger ratio, or one without edges when there is none.
    CycleRatio improve(const CycleRatio& ratio) {
        std::fill(weight_.begin(), weight_.end(), 0);
        std::fill(distance_.begin(), distance_.end(), 0);
        std::fill(last_edge_.begin(), last_edge_.end(), -1);
        while (sweep(ratio)) {
            CycleRatio better = best_closed(ratio);
            if (!better.edges.empty()) {
                return better;
            }
        }
        return {};
    }

  private:
    [[nodiscard]] const GraphEdge& edge(int index) const {
        return graph_.edges[static_cast<std::size_t>(index)];
    }

    bool sweep(const CycleRatio& ratio) {
        bool changed = false;
        for (const int node : order_) {
            const auto n = static_cast<std::size_t>(node);
            for (int i = incoming_begin_[n]; i < incoming_begin_[n + 1]; ++i) {
                const int index = incoming_[static_cast<std::size_t>(i)];
                const GraphEdge& in = edge(index);
                const auto from = static_cast<std::size_t>(in.from);
                const std::int64_t weight = weight_[from] + in.weight;
                const std::int64_t distance = distance_[from] + in.distance;
                if ((weight - weight_[n]) * ratio.distance >
                    (distance - distance_[n]) * ratio.weight) {
                    weight_[n] = weight;
                    distance_[n] = distance;
                    last_edge_[n] = index;
                    changed = true;
                }
            }
        }
        return changed;
    }

    /// The best of the cycles that the last edges of the paths close. Each beats `ratio`.
    CycleRatio best_closed(const CycleRatio& ratio) {
        CycleRatio best;
        visited_.assign(order_.size(), -1);
        for (const int start : order_) {
            int node = start;
            while (node >= 0 && visited_[static_cast<std::size_t>(node)] < 0) {
                visited_[static_cast<std::size_t>(node)] = start;
                const int last = last_edge_[static_cast<std::size_t>(node)];
                node = last < 0 ? -1 : edge(last).from;
            }
            if (node < 0 || visited_[static_cast<std::size_t>(node)] != start) {
                continue;
            }
            CycleRatio cycle = cycle_through(node);
            const CycleRatio& rival = best.edges.empty() ? ratio : best;
            if (cycle.weight * rival.distance > rival.weight * cycle.distance) {
                best = std::move(cycle);
            }
        }
        return best;
    }

    [[nodiscard]] CycleRatio cycle_through(int node) const {
        CycleRatio cycle;
        cycle.distance = 0;
        int at = node;
        do {
            const int last = last_edge_[static_cast<std::size_t>(at)];
            cycle.edges.push_back(last);
            cycle.weight += edge(last).weight;
            cycle.distance += edge(last).distance;
            at = edge(last).from;
        } while (at != node);
        std::reverse(cycle.edges.begin(), cycle.edges.end());
        return cycle;
    }

    const EventGraph& graph_;
    const std::vector<int>& order_;
    std::vector<std::int64_t> weight_, distance_;
    std::vector<int> last_edge_;       ///< of the longest path to each node, -1 = the path is empty
    std::vector<int> incoming_begin_;  ///< into incoming_, by node
    std::vector<int> incoming_;        ///< edges by target
    std::vector<int> visited_;
};

}  // namespace

CycleRatio maximum_cycle_ratio(const EventGraph& graph, const std::vector<int>& order) {
    LongestPaths paths(graph, order);
    CycleRatio best;
    for (CycleRatio better = paths.improve(best); !better.edges.empty();
         better = paths.improve(best)) {
        best = std::move(better);
    }
    return best;
}

}  // namespace warpline
