#include "warpline/recurrence/cycle_ratio.hpp"

#include <functional>
#include <random>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

EventGraph graph_of(int nodes, std::vector<GraphEdge> edges) {
    EventGraph graph;
    graph.nodes.resize(static_cast<std::size_t>(nodes));
    graph.edges = std::move(edges);
    graph.iterations = {1};
    return graph;
}

CycleRatio ratio_of(const EventGraph& graph) {
    std::vector<int> stuck;
    const auto order = order_of(graph, stuck);
    REQUIRE(order);
    return maximum_cycle_ratio(graph, *order);
}

/// Best ratio over every simple cycle, found by walking them all.
struct Best {
    std::int64_t weight = 0;
    std::int64_t distance = 1;
};
Best enumerate(const EventGraph& graph) {
    Best best;
    const int nodes = static_cast<int>(graph.nodes.size());
    std::vector<bool> used(graph.nodes.size());
    for (int start = 0; start < nodes; ++start) {
        const std::function<void(int, std::int64_t, std::int64_t)> walk =
            [&](int node, std::int64_t weight, std::int64_t distance) {
                for (const GraphEdge& edge : graph.edges) {
                    if (edge.from != node || edge.to < start) {
                        continue;
                    }
                    const std::int64_t w = weight + edge.weight;
                    const std::int64_t d = distance + edge.distance;
                    if (edge.to == start) {
                        if (w * best.distance > best.weight * d) {
                            best = {w, d};
                        }
                    } else if (!used[static_cast<std::size_t>(edge.to)]) {
                        used[static_cast<std::size_t>(edge.to)] = true;
                        walk(edge.to, w, d);
                        used[static_cast<std::size_t>(edge.to)] = false;
                    }
                }
            };
        walk(start, 0, 0);
    }
    return best;
}

}  // namespace

TEST_CASE("the ratio of a graph is that of its worst cycle") {
    const EventGraph graph = graph_of(3, {{0, 1, 10, 0, {}},
                                          {1, 0, 5, 1, {}},
                                          {1, 2, 7, 0, {}},
                                          {2, 0, 30, 3, {}},
                                          {2, 2, 14, 1, {}}});
    const CycleRatio ratio = ratio_of(graph);
    // 47 / 3 = 15.67 beats 15 / 1 and 14 / 1.
    CHECK(ratio.weight == 47);
    CHECK(ratio.distance == 3);
    CHECK(ratio.edges.size() == 3);
}

TEST_CASE("near ties are told apart exactly") {
    // 1000001 / 1000003 and 1000000 / 1000002 differ by 2e-12.
    const EventGraph graph =
        graph_of(2, {{0, 0, 1000000, 1000002, {}}, {1, 1, 1000001, 1000003, {}}});
    const CycleRatio ratio = ratio_of(graph);
    CHECK(ratio.weight == 1000001);
}

TEST_CASE("a graph without cycles, or without weight on them, has no ratio") {
    CHECK(ratio_of(graph_of(2, {{0, 1, 10, 0, {}}})).edges.empty());
    CHECK(ratio_of(graph_of(1, {{0, 0, 0, 1, {}}})).edges.empty());
    CHECK(ratio_of(graph_of(0, {})).edges.empty());
}

TEST_CASE("random graphs: equal to the best of all simple cycles") {
    std::mt19937 random(11);
    const auto below = [&random](std::uint32_t n) { return static_cast<int>(random() % n); };
    for (int trial = 0; trial < 500; ++trial) {
        const int nodes = 1 + below(6);
        std::vector<GraphEdge> edges;
        const int count = below(12);
        for (int e = 0; e < count; ++e) {
            const int from = below(static_cast<std::uint32_t>(nodes));
            const int to = below(static_cast<std::uint32_t>(nodes));
            // Edges that go back take at least one period; negative weights are arrivals that
            // count before their operation ends.
            const int distance = to > from ? below(2) : 1 + below(3);
            edges.push_back({from, to, below(50) - 5, distance, {}});
        }
        const EventGraph graph = graph_of(nodes, edges);
        const CycleRatio ratio = ratio_of(graph);
        const Best best = enumerate(graph);
        REQUIRE(ratio.weight * best.distance == best.weight * ratio.distance);
        std::int64_t weight = 0;
        std::int64_t distance = 0;
        for (std::size_t i = 0; i < ratio.edges.size(); ++i) {
            const GraphEdge& edge = graph.edges[static_cast<std::size_t>(ratio.edges[i])];
            const std::size_t after = (i + 1) % ratio.edges.size();
            const int next = ratio.edges[after];
            REQUIRE(edge.to == graph.edges[static_cast<std::size_t>(next)].from);
            weight += edge.weight;
            distance += edge.distance;
        }
        if (!ratio.edges.empty()) {
            REQUIRE(weight == ratio.weight);
            REQUIRE(distance == ratio.distance);
        }
    }
}

TEST_CASE("negative distances are moved away, cycles keep theirs") {
    EventGraph graph = graph_of(3, {{0, 1, 4, -2, {}}, {1, 2, 4, 0, {}}, {2, 0, 4, 3, {}}});
    REQUIRE(make_distances_natural(graph));
    std::int64_t sum = 0;
    for (const GraphEdge& edge : graph.edges) {
        CHECK(edge.distance >= 0);
        sum += edge.distance;
    }
    CHECK(sum == 1);
    EventGraph impossible = graph_of(2, {{0, 1, 4, -2, {}}, {1, 0, 4, 1, {}}});
    CHECK_FALSE(make_distances_natural(impossible));
}

TEST_CASE("a cycle within one period is named") {
    std::vector<int> stuck;
    const EventGraph graph =
        graph_of(4, {{0, 1, 1, 0, {}}, {1, 2, 1, 0, {}}, {2, 1, 1, 0, {}}, {2, 3, 1, 0, {}}});
    CHECK_FALSE(order_of(graph, stuck));
    CHECK(stuck == std::vector<int>{1, 2});
    stuck.clear();
    CHECK_FALSE(order_of(graph_of(2, {{1, 1, 1, 0, {}}}), stuck));
    CHECK(stuck == std::vector<int>{1});
}
