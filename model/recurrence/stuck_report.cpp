#include "warpline/recurrence/stuck_report.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <fmt/format.h>

namespace warpline {
namespace {

bool role_arrives_on(const Role& role, const BarrierRef& ref) {
    return std::any_of(role.program.begin(), role.program.end(), [&ref](const Op& op) {
        const std::optional<BarrierRef> on = arrives_on(op.body);
        return on && on->barrier == ref.barrier && on->copy == ref.copy;
    });
}

/// Whether each agent is part of a closed circle of waits.
std::vector<bool> in_circle(const KernelPlan& plan, const std::vector<AgentTrace>& agents,
                            const std::vector<StuckAgent>& stuck) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
    Graph waits_for(stuck.size());
    std::vector<bool> result(stuck.size(), false);
    for (std::size_t from = 0; from < stuck.size(); ++from) {
        for (std::size_t to = 0; to < stuck.size(); ++to) {
            const auto role =
                static_cast<std::size_t>(agents[static_cast<std::size_t>(stuck[to].agent)].role);
            if (role_arrives_on(plan.roles[role], stuck[from].on)) {
                add_edge(from, to, waits_for);
                result[from] = result[from] || from == to;
            }
        }
    }
    std::vector<int> component(stuck.size());
    const int count = boost::strong_components(
        waits_for,
        boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, waits_for)));
    std::vector<int> size(static_cast<std::size_t>(count), 0);
    for (const int c : component) {
        ++size[static_cast<std::size_t>(c)];
    }
    for (std::size_t s = 0; s < stuck.size(); ++s) {
        result[s] = result[s] || size[static_cast<std::size_t>(component[s])] > 1;
    }
    return result;
}

std::string who_should_arrive(const KernelPlan& plan, const BarrierRef& ref) {
    std::string names;
    for (const Role& role : plan.roles) {
        if (role_arrives_on(role, ref)) {
            names += (names.empty() ? "" : ", ") + role.name;
        }
    }
    return names.empty() ? "nobody" : names;
}

Diagnostic describe(const KernelPlan& plan, const std::vector<AgentTrace>& agents,
                    const StuckAgent& stuck) {
    const AgentTrace& agent = agents[static_cast<std::size_t>(stuck.agent)];
    const Role& role = plan.roles[static_cast<std::size_t>(agent.role)];
    const std::string cta = plan.cluster > 1 ? fmt::format(" of CTA {}", agent.sm) : "";
    Diagnostic diagnostic;
    diagnostic.where = {plan.file, role.program[static_cast<std::size_t>(stuck.op)].line, 0};
    diagnostic.message = fmt::format(
        "deadlock: {}{} waits for phase {} of {} ({} of {} arrivals of phase {} are there)",
        role.name, cta, stuck.phase, barrier_text(plan, stuck.on), stuck.arrived, stuck.needed,
        stuck.current);
    diagnostic.hint = "arrivals come from " + who_should_arrive(plan, stuck.on);
    return diagnostic;
}

}  // namespace

std::string barrier_text(const KernelPlan& plan, const BarrierRef& ref) {
    const Barrier& barrier = plan.barriers[static_cast<std::size_t>(ref.barrier)];
    return barrier.copies > 1 ? fmt::format("{}[{}]", barrier.name, ref.copy) : barrier.name;
}

tl::unexpected<Failure> stuck_failure(const KernelPlan& plan, const std::vector<AgentTrace>& agents,
                                      const std::vector<StuckAgent>& stuck) {
    const std::vector<bool> circle = in_circle(plan, agents, stuck);
    Failure failure;
    failure.kind = FailureKind::deadlock;
    for (const bool first : {true, false}) {
        for (std::size_t s = 0; s < stuck.size(); ++s) {
            if (circle[s] != first) {
                continue;
            }
            const Diagnostic diagnostic = describe(plan, agents, stuck[s]);
            // Warps of a role that wait for the same thing are one line.
            const bool said = std::any_of(
                failure.diagnostics.begin(), failure.diagnostics.end(),
                [&](const Diagnostic& other) { return other.message == diagnostic.message; });
            if (!said) {
                failure.diagnostics.push_back(diagnostic);
            }
        }
    }
    return tl::unexpected<Failure>(std::move(failure));
}

}  // namespace warpline
