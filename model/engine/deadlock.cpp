// What to say when nothing can happen any more and work is left.
#include "warpline/engine/simulation.hpp"

#include <map>

#include <fmt/format.h>

namespace warpline {

namespace {

/// Roles whose programs can arrive on `barrier`, for the report.
std::string possible_arrivers(const KernelPlan& plan, int barrier) {
    std::string names;
    for (const Role& role : plan.roles) {
        bool arrives = false;
        for (const Op& op : role.program) {
            if (const auto* arrive = std::get_if<ArriveOp>(&op.body)) {
                arrives = arrives || arrive->on.barrier == barrier;
            } else if (const auto* commit = std::get_if<CommitOp>(&op.body)) {
                arrives = arrives || (commit->on && commit->on->barrier == barrier);
            } else if (const auto* async = std::get_if<AsyncOp>(&op.body)) {
                arrives = arrives || (async->signals && async->signals->barrier == barrier);
            }
        }
        if (arrives) {
            names += (names.empty() ? "" : ", ") + role.name;
        }
    }
    return names.empty() ? "nobody" : names;
}

}  // namespace

Failure Simulation::deadlock() const {
    Failure failure;
    failure.kind = FailureKind::deadlock;
    std::map<std::string, bool> said;
    for (const Agent& agent : agents_) {
        if (agent.state == AgentState::finished) {
            continue;
        }
        const Role& role = role_of(agent);
        const std::string who =
            plan_.cluster > 1 ? fmt::format("{} of CTA {}", role.name, agent.cta) : role.name;
        Diagnostic diagnostic;
        diagnostic.where = {plan_.file, op_of(agent).line, 0};
        if (agent.state == AgentState::at_barrier) {
            const BarrierInstance& instance = barriers_.at(static_cast<int>(agent.blocked_on));
            const Barrier& barrier = plan_.barriers[static_cast<std::size_t>(instance.barrier)];
            diagnostic.message = fmt::format(
                "deadlock: {} waits for phase {} of {} ({} of {} arrivals of phase {} are there)",
                who, agent.blocked_until, barrier.name, instance.arrived, barrier.arrivals,
                instance.completed);
            diagnostic.hint = "arrivals come from " + possible_arrivers(plan_, instance.barrier);
        } else if (agent.state == AgentState::at_drain) {
            diagnostic.message =
                fmt::format("deadlock: {} waits for its own operations of class {}", who,
                            role.classes[static_cast<std::size_t>(agent.blocked_on)]);
        } else {
            diagnostic.message = fmt::format("deadlock: {} cannot go on", who);
        }
        if (!said[diagnostic.message]) {
            said[diagnostic.message] = true;
            failure.diagnostics.push_back(std::move(diagnostic));
        }
    }
    return failure;
}

}  // namespace warpline
