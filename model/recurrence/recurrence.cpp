#include "warpline/recurrence/recurrence.hpp"

#include "warpline/recurrence/cycle_ratio.hpp"
#include "warpline/recurrence/event_graph.hpp"
#include "warpline/recurrence/stuck_report.hpp"
#include "warpline/recurrence/untimed_run.hpp"
#include "warpline/roofline/roofline.hpp"
#include "warpline/roofline/steady_shape.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace warpline {
namespace {

struct SteadyRun {
    std::vector<AgentTrace> agents;
    EventGraph graph;
};

std::string operation_text(const KernelPlan& plan, const Op& op) {
    if (!op.label.empty()) {
        return op.label;
    }
    if (const auto* wait = std::get_if<WaitOp>(&op.body)) {
        return "wait " + barrier_text(plan, wait->on);
    }
    if (const auto* arrive = std::get_if<ArriveOp>(&op.body)) {
        return "arrive " + barrier_text(plan, arrive->on);
    }
    if (const auto* commit = std::get_if<CommitOp>(&op.body)) {
        return commit->on ? "commit on " + barrier_text(plan, *commit->on) : "commit";
    }
    const auto* turn = std::get_if<TurnOp>(&op.body);
    return turn == nullptr ? "drain" : turn->passes ? "pass turn" : "turn";
}

std::string node_text(const KernelPlan& plan, const std::vector<AgentTrace>& agents,
                      const GraphNode& node) {
    const AgentTrace& agent = agents[static_cast<std::size_t>(node.agent)];
    const Role& role = plan.roles[static_cast<std::size_t>(agent.role)];
    const std::string where =
        agent.sm > 0 ? fmt::format("{}@CTA{}", role.name, agent.sm) : role.name;
    return fmt::format("{} {}", where,
                       operation_text(plan, role.program[static_cast<std::size_t>(node.op)]));
}

std::string reason_text(const KernelPlan& plan, const Dependence& why) {
    const auto unit = [&why] { return unit_name(static_cast<Unit>(why.index)); };
    switch (why.kind) {
        case Dependence::Kind::program:
            return "issue";
        case Dependence::Kind::barrier:
            return plan.barriers[static_cast<std::size_t>(why.index)].name + " completes";
        case Dependence::Kind::drain:
            return fmt::format("{} results", unit());
        case Dependence::Kind::service:
            return fmt::format("{}", unit());
        case Dependence::Kind::order:
            return fmt::format("{}, in order", unit());
    }
    return {};
}

std::int64_t most_stages(const KernelPlan& plan) {
    std::int64_t most = 1;
    for (const Barrier& barrier : plan.barriers) {
        most = std::max<std::int64_t>(most, barrier.stages);
    }
    return most;
}

Result<SteadyRun> find_steady_state(const KernelPlan& plan, const MemoryEnvironment& memory) {
    const SteadyShape shape = steady_shape(plan);
    // A ring reaches back by at most its stages; more warm-up is tried when that is not enough.
    std::int64_t warm_up = most_stages(plan) + 2;
    constexpr int attempts = 4;
    for (int attempt = 0; attempt < attempts; ++attempt, warm_up *= 4) {
        const std::int64_t begin = shape.head + warm_up;
        const std::int64_t blocks = begin + 2 * shape.period + 2 * shape.tail + 2;
        Result<std::vector<AgentTrace>> agents = run_untimed(plan, memory, blocks);
        if (!agents) {
            return tl::unexpected<Failure>(std::move(agents.error()));
        }
        std::optional<EventGraph> graph = fold_period(plan, *agents, begin, shape.period);
        if (graph) {
            return SteadyRun{std::move(*agents), std::move(*graph)};
        }
    }
    return fail(FailureKind::infeasible,
                fmt::format("the loop of '{}' does not settle: its steps depend on each other "
                            "differently from one period of {} blocks to the next",
                            plan.kernel, shape.period));
}

std::vector<CycleStep> steps_of(const KernelPlan& plan, const SteadyRun& run,
                                const CycleRatio& ratio) {
    std::vector<CycleStep> steps;
    std::int64_t periods = 0;
    std::int64_t first_iteration = 0;
    for (const int index : ratio.edges) {
        const GraphEdge& edge = run.graph.edges[static_cast<std::size_t>(index)];
        const GraphNode& node = run.graph.nodes[static_cast<std::size_t>(edge.from)];
        const auto agent = static_cast<std::size_t>(node.agent);
        CycleStep step;
        step.role = run.agents[agent].role;
        step.op = node.op;
        step.iteration = node.iteration + periods * run.graph.iterations[agent];
        if (steps.empty()) {
            first_iteration = step.iteration;
        }
        step.iteration -= first_iteration;
        step.weight = edge.weight;
        step.label = node_text(plan, run.agents, node);
        step.reason = reason_text(plan, edge.why);
        steps.push_back(std::move(step));
        periods += edge.distance;
    }
    return steps;
}

/// Unrolled predicates that do not matter to a cycle leave it repeating itself: keep it once.
std::vector<CycleStep> without_repetition(std::vector<CycleStep> steps) {
    const auto same = [](const CycleStep& one, const CycleStep& other) {
        return one.role == other.role && one.op == other.op && one.weight == other.weight &&
               one.label == other.label && one.reason == other.reason;
    };
    for (std::size_t length = 1; length < steps.size(); ++length) {
        if (steps.size() % length == 0 &&
            std::equal(steps.begin() + static_cast<std::ptrdiff_t>(length), steps.end(),
                       steps.begin(), same)) {
            steps.resize(length);
        }
    }
    return steps;
}

tl::unexpected<Failure> circular(const KernelPlan& plan, const SteadyRun& run,
                                 const std::vector<int>& stuck) {
    std::string names;
    for (const int node : stuck) {
        names += (names.empty() ? "" : ", ") +
                 node_text(plan, run.agents, run.graph.nodes[static_cast<std::size_t>(node)]);
    }
    return fail(FailureKind::deadlock,
                fmt::format("these steps of one block wait for each other: {}", names), {},
                {plan.file, 0, 0});
}

bool has_several_block_loops(const Role& role) {
    return block_loop(role.program) == -2;
}

}  // namespace

Result<RecurrenceBound> recurrence_bound(const KernelPlan& plan, const MemoryEnvironment& memory) {
    const auto several =
        std::find_if(plan.roles.begin(), plan.roles.end(), has_several_block_loops);
    if (several != plan.roles.end()) {
        return fail(FailureKind::infeasible,
                    fmt::format("role '{}' has more than one loop over blocks, so there is no "
                                "single steady step",
                                several->name));
    }
    Result<SteadyRun> run = find_steady_state(plan, memory);
    if (!run) {
        return tl::unexpected<Failure>(std::move(run.error()));
    }
    std::vector<int> stuck;
    if (!make_distances_natural(run->graph)) {
        return fail(FailureKind::deadlock, "steps of one block wait for later ones", {},
                    {plan.file, 0, 0});
    }
    const std::optional<std::vector<int>> order = order_of(run->graph, stuck);
    if (!order) {
        return circular(plan, *run, stuck);
    }
    const CycleRatio ratio = maximum_cycle_ratio(run->graph, *order);
    const Roofline steady = steady_roofline(plan, memory);
    RecurrenceBound bound;
    bound.cycle_ticks_per_block =
        static_cast<double>(ratio.weight) / static_cast<double>(ratio.distance * run->graph.period);
    bound.unit = steady.bound;
    bound.unit_bound = steady.ticks > bound.cycle_ticks_per_block;
    bound.ticks_per_block = std::max(steady.ticks, bound.cycle_ticks_per_block);
    if (!bound.unit_bound) {
        bound.critical_cycle = without_repetition(steps_of(plan, *run, ratio));
    }
    return bound;
}

}  // namespace warpline
