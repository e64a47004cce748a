// What to say when nothing can happen any more and work is left, or when it does not end.
#include "warpline/engine/simulation.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace warpline {

namespace {

/// Roles whose programs can arrive on `barrier`, for the report.
std::string possible_arrivers(const KernelPlan& plan, int barrier) {
    std::string names;
    for (const Role& role : plan.roles) {
        const bool arrives =
            std::any_of(role.program.begin(), role.program.end(), [barrier](const Op& op) {
                const std::optional<BarrierRef> on = arrives_on(op.body);
                return on && on->barrier == barrier;
            });
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

Failure Simulation::too_many_events() const {
    Failure failure;
    failure.kind = FailureKind::infeasible;
    Diagnostic& diagnostic = failure.diagnostics.emplace_back();
    diagnostic.where.file = plan_.file;
    diagnostic.message = fmt::format("the schedule of {} needs more than {} events", plan_.kernel,
                                     options_.max_events);
    diagnostic.hint = "ask for fewer or shorter tiles, or for a larger --granularity";
    if (anchor_ < 0 || !options_.fold_steady_state) {
        return failure;
    }
    const Agent& anchor = agents_[static_cast<std::size_t>(anchor_)];
    for (const LoopFrame& frame : anchor.loops) {
        if (traits_of(anchor, frame).scales && !steady_.skipped_periods()) {
            diagnostic.where.line =
                role_of(anchor).program[static_cast<std::size_t>(frame.begin)].line;
            diagnostic.message += fmt::format(
                ": this loop of role '{}' did not repeat itself in {} of its {} iterations",
                role_of(anchor).name, frame.index, frame.count);
            diagnostic.hint +=
                "; a loop repeats sooner when its chances and 'every's have short periods in "
                "common";
            break;
        }
    }
    return failure;
}

}  // namespace warpline
