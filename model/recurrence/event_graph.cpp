#include "warpline/recurrence/event_graph.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace warpline {
namespace {

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
    return value >= 0 ? value / by : -((by - 1 - value) / by);
}

/// One period of one agent's loop within its trace.
struct Window {
    std::int64_t begin = 0;       ///< iteration
    std::int64_t iterations = 0;  ///< 0: the agent has no loop over blocks
    int first_event = 0;
    int events = 0;
    int first_node = 0;
};

class Folder {
  public:
    Folder(const KernelPlan& plan, const std::vector<AgentTrace>& agents, std::int64_t begin,
           std::int64_t period)
        : agents_(agents) {
        int nodes = 0;
        for (const AgentTrace& agent : agents) {
            Window& window = windows_.emplace_back();
            const Program& program = plan.roles[static_cast<std::size_t>(agent.role)].program;
            const int loop = block_loop(program);
            if (loop < 0 || agent.iteration_begin.empty()) {
                continue;
            }
            const auto& body = std::get<LoopBegin>(program[static_cast<std::size_t>(loop)].body);
            window.begin = begin * body.count.blocks;
            window.iterations = period * body.count.blocks;
            settled_ = settled_ && iteration_known(agent, window.begin + 2 * window.iterations);
            if (!settled_) {
                return;
            }
            window.first_event = event_at(agent, window.begin);
            window.events = event_at(agent, window.begin + window.iterations) - window.first_event;
            window.first_node = nodes;
            nodes += window.events;
        }
    }

    std::optional<EventGraph> fold(std::int64_t period) {
        EventGraph graph;
        graph.period = period;
        for (std::size_t a = 0; a < agents_.size() && settled_; ++a) {
            graph.iterations.push_back(windows_[a].iterations);
            fold_agent(static_cast<int>(a), graph);
        }
        return settled_ ? std::optional<EventGraph>(std::move(graph)) : std::nullopt;
    }

  private:
    static bool iteration_known(const AgentTrace& agent, std::int64_t iteration) {
        return iteration >= 0 &&
               iteration < static_cast<std::int64_t>(agent.iteration_begin.size());
    }
    static int event_at(const AgentTrace& agent, std::int64_t iteration) {
        return agent.iteration_begin[static_cast<std::size_t>(iteration)];
    }

    void fold_agent(int a, EventGraph& graph) {
        const AgentTrace& agent = agents_[static_cast<std::size_t>(a)];
        const Window& window = windows_[static_cast<std::size_t>(a)];
        if (window.iterations == 0) {
            return;
        }
        const int next_period = event_at(agent, window.begin + window.iterations);
        const int after = event_at(agent, window.begin + 2 * window.iterations);
        settled_ = after - next_period == window.events;
        for (int e = 0; e < window.events && settled_; ++e) {
            const int here = window.first_event + e;
            const int there = next_period + e;
            const UntimedEvent& event = agent.events[static_cast<std::size_t>(here)];
            const UntimedEvent& again = agent.events[static_cast<std::size_t>(there)];
            graph.nodes.push_back({a, event.op, event.served, event.iteration - window.begin});
            const std::size_t first = graph.edges.size();
            settled_ = event.op == again.op && event.served == again.served &&
                       add_edges(agent, here, 0, window.first_node + e, graph.edges) &&
                       add_edges(agent, there, 1, window.first_node + e, repeated_) &&
                       same_as_repeated(graph.edges, first);
            repeated_.clear();
        }
    }

    /// Adds the incoming edges of an event that lies `periods` after the window.
    bool add_edges(const AgentTrace& agent, int event, std::int64_t periods, int node,
                   std::vector<GraphEdge>& edges) const {
        const auto e = static_cast<std::size_t>(event);
        const std::size_t begin = e == 0 ? 0 : agent.events[e - 1].edges_end;
        for (std::size_t i = begin; i < agent.events[e].edges_end; ++i) {
            const IncomingEdge& edge = agent.edges[i];
            const AgentTrace& source = agents_[static_cast<std::size_t>(edge.agent)];
            const Window& window = windows_[static_cast<std::size_t>(edge.agent)];
            const std::int64_t iteration =
                source.events[static_cast<std::size_t>(edge.event)].iteration;
            if (window.iterations == 0 || iteration == UntimedEvent::before_loop ||
                iteration == UntimedEvent::after_loop) {
                return false;
            }
            const std::int64_t source_period =
                floor_divide(iteration - window.begin, window.iterations);
            const std::int64_t first_iteration = window.begin + source_period * window.iterations;
            if (first_iteration < 0) {
                return false;
            }
            const int position = edge.event - event_at(source, first_iteration);
            if (position >= window.events) {
                return false;
            }
            edges.push_back({window.first_node + position, node, edge.weight,
                             periods - source_period, edge.why});
        }
        return true;
    }

    /// Whether an event and its repetition depend on the same. Roles that run without time may
    /// arrive at a barrier in another order each period, which means nothing.
    bool same_as_repeated(std::vector<GraphEdge>& edges, std::size_t first) {
        const auto before = [](const GraphEdge& one, const GraphEdge& other) {
            return std::tie(one.from, one.distance, one.weight) <
                   std::tie(other.from, other.distance, other.weight);
        };
        std::sort(edges.begin() + static_cast<std::ptrdiff_t>(first), edges.end(), before);
        std::sort(repeated_.begin(), repeated_.end(), before);
        return std::equal(edges.begin() + static_cast<std::ptrdiff_t>(first), edges.end(),
                          repeated_.begin(), repeated_.end(),
                          [](const GraphEdge& one, const GraphEdge& other) {
                              return one.from == other.from && one.weight == other.weight &&
                                     one.distance == other.distance;
                          });
    }

    const std::vector<AgentTrace>& agents_;
    std::vector<Window> windows_;
    std::vector<GraphEdge> repeated_;
    bool settled_ = true;
};

}  // namespace

std::optional<EventGraph> fold_period(const KernelPlan& plan, const std::vector<AgentTrace>& agents,
                                      std::int64_t begin, std::int64_t period) {
    return Folder(plan, agents, begin, period).fold(period);
}

bool make_distances_natural(EventGraph& graph) {
    // Shortest distances from a source joined to every node: moving each node by its own makes
    // every edge's distance natural.
    std::vector<std::int64_t> moved(graph.nodes.size(), 0);
    bool changed = true;
    for (std::size_t sweep = 0; changed; ++sweep) {
        if (sweep > graph.nodes.size()) {
            return false;
        }
        changed = false;
        for (const GraphEdge& edge : graph.edges) {
            const std::int64_t at_most = moved[static_cast<std::size_t>(edge.from)] + edge.distance;
            std::int64_t& target = moved[static_cast<std::size_t>(edge.to)];
            if (at_most < target) {
                target = at_most;
                changed = true;
            }
        }
    }
    for (GraphEdge& edge : graph.edges) {
        edge.distance +=
            moved[static_cast<std::size_t>(edge.from)] - moved[static_cast<std::size_t>(edge.to)];
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        GraphNode& node = graph.nodes[n];
        node.iteration += moved[n] * graph.iterations[static_cast<std::size_t>(node.agent)];
    }
    return true;
}

namespace {

/// Edges of distance 0, by where they begin.
class AtOnce {
  public:
    explicit AtOnce(const EventGraph& graph) : begin_(graph.nodes.size() + 1, 0) {
        for (const GraphEdge& edge : graph.edges) {
            begin_[static_cast<std::size_t>(edge.from) + 1] += edge.distance == 0 ? 1 : 0;
        }
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        targets_.resize(begin_.back());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (const GraphEdge& edge : graph.edges) {
            if (edge.distance == 0) {
                targets_[next[static_cast<std::size_t>(edge.from)]++] = edge.to;
            }
        }
    }

    /// Every node before those that its edges lead to; nothing when some close a cycle.
    [[nodiscard]] std::optional<std::vector<int>> order() const {
        enum class State : std::uint8_t { unseen, open, done };
        const std::size_t nodes = begin_.size() - 1;
        std::vector<State> state(nodes, State::unseen);
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        std::vector<std::size_t> path;
        std::vector<int> order(nodes);
        auto place = order.rbegin();  // a node is done when all behind it are
        for (std::size_t start = 0; start < nodes; ++start) {
            if (state[start] != State::unseen) {
                continue;
            }
            path.push_back(start);
            state[start] = State::open;
            while (!path.empty()) {
                const std::size_t node = path.back();
                if (next[node] == begin_[node + 1]) {
                    state[node] = State::done;
                    *place++ = static_cast<int>(node);
                    path.pop_back();
                    continue;
                }
                const auto target = static_cast<std::size_t>(targets_[next[node]++]);
                if (state[target] == State::open) {
                    return std::nullopt;
                }
                if (state[target] == State::unseen) {
                    state[target] = State::open;
                    path.push_back(target);
                }
            }
        }
        return order;
    }

  private:
    std::vector<std::size_t> begin_;  ///< into targets_, by node
    std::vector<int> targets_;
};

/// Nodes that wait for each other. Precondition: edges of distance 0 close a cycle.
std::vector<int> nodes_of_a_cycle(const EventGraph& graph) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
    Graph at_once(graph.nodes.size());
    for (const GraphEdge& edge : graph.edges) {
        if (edge.distance == 0 && edge.from == edge.to) {
            return {edge.from};
        }
        if (edge.distance == 0) {
            add_edge(static_cast<std::size_t>(edge.from), static_cast<std::size_t>(edge.to),
                     at_once);
        }
    }
    std::vector<int> component(graph.nodes.size());
    boost::strong_components(at_once, boost::make_iterator_property_map(
                                          component.begin(), get(boost::vertex_index, at_once)));
    std::vector<int> together;
    for (std::size_t n = 0; n < component.size() && together.size() < 2; ++n) {
        together.clear();
        for (std::size_t m = n; m < component.size(); ++m) {
            if (component[m] == component[n]) {
                together.push_back(static_cast<int>(m));
            }
        }
    }
    return together;
}

}  // namespace

std::optional<std::vector<int>> order_of(const EventGraph& graph, std::vector<int>& stuck) {
    std::optional<std::vector<int>> order = AtOnce(graph).order();
    if (!order) {
        stuck = nodes_of_a_cycle(graph);
    }
    return order;
}

}  // namespace warpline
