// Barriers, commits and drains.
#include "warpline/engine/simulation.hpp"

#include <algorithm>

namespace warpline {

std::int64_t Simulation::slot_of(const Agent& agent, const BarrierRef& ref) const {
    if (ref.handle < 0) {
        return 0;
    }
    return agent.handles[static_cast<std::size_t>(ref.handle)] % barriers_.stages(ref.barrier);
}

int Simulation::instance_of(const Agent& agent, const BarrierRef& ref) const {
    return barriers_.instance(cta_index(agent, agent.cta), ref.barrier, ref.copy, agent.warp_slot,
                              slot_of(agent, ref));
}

void Simulation::arrive_granted(Agent& agent, const ArriveOp& op, Tick now) {
    const Barrier& barrier = plan_.barriers[static_cast<std::size_t>(op.on.barrier)];
    const Tick delay = barrier.kind == BarrierKind::named ? 0 : plan_.machine.sync.mbarrier_arrive;
    signal(agent, instance_of(agent, op.on), op.at, op.count, agent.pc, now, delay);
}

std::int64_t Simulation::arrivals(const Agent& agent, int barrier, std::int64_t each) const {
    // Each of the warps an agent stands for has its own instance of a warp-scoped barrier; the
    // shared instance then means one of them.
    const bool own = plan_.barriers[static_cast<std::size_t>(barrier)].scope == BarrierScope::warp;
    return own ? each : each * agent.multiplicity;
}

void Simulation::commit_granted(Agent& agent, const CommitOp& op, Tick now) {
    ClassState& state = agent.classes[static_cast<std::size_t>(op.op_class)];
    const bool complete = state.completed == state.issued;
    if (!complete) {
        state.groups.push_back(state.issued);
    }
    if (!op.on) {
        return;
    }
    const int instance = instance_of(agent, *op.on);
    if (complete) {
        signal(agent, instance, op.at, 1, agent.pc, now, 0);
    } else {
        state.commits.push_back({state.issued, instance, op.at});
    }
}

void Simulation::wait_granted(Agent& agent, int index, const WaitOp& op, Tick now) {
    const int instance = instance_of(agent, op.on);
    std::int64_t phase = 0;
    if (op.on.handle >= 0) {
        phase =
            agent.handles[static_cast<std::size_t>(op.on.handle)] / barriers_.stages(op.on.barrier);
    } else {
        phase = agent.waits[static_cast<std::size_t>(
            barriers_.wait_counter(op.on.barrier, op.on.copy))]++;
    }
    agent.op_start = now;
    if (barriers_.at(instance).completed > phase) {
        // It costs the warp its latency, but is not why units are idle: the warp came late to it.
        const int barrier = causes_.barrier(op.on.barrier);
        const Tick ready = std::max(agent.ready, now + wait_latency(op.on.barrier));
        record(agent, ScheduleEvent::Kind::wait, now, ready, barrier);
        agent.account.charge(ready, barrier);
        next_op(agent, index, ready, causes_.issue());
        return;
    }
    agent.blocked_on = instance;
    agent.blocked_until = phase;
    agent.state = AgentState::at_barrier;
    barriers_.at(instance).waiters.push_back({index, phase});
}

Tick Simulation::wait_latency(int barrier) const {
    const bool named = plan_.barriers[static_cast<std::size_t>(barrier)].kind == BarrierKind::named;
    return named ? plan_.machine.sync.named_barrier : plan_.machine.sync.mbarrier_wait;
}

void Simulation::wake_from_barrier(int index, int barrier, Tick now, const Arrival& by) {
    Agent& agent = agents_[static_cast<std::size_t>(index)];
    agent.blocked_on = -1;
    const Tick ready = std::max(agent.ready, now + wait_latency(barrier));
    record(agent, ScheduleEvent::Kind::wait, agent.op_start, ready, causes_.barrier(barrier));
    if (log_ != nullptr && by.usage >= 0) {
        log_->released({index, agent.pc, ready, by.usage, by.op, by.at});
    }
    next_op(agent, index, ready, causes_.barrier(barrier));
}

void Simulation::drain_granted(Agent& agent, int index, const DrainOp& op, Tick now) {
    ClassState& state = agent.classes[static_cast<std::size_t>(op.op_class)];
    std::int64_t target = state.issued;
    if (op.leave > 0) {
        const auto groups = static_cast<std::int64_t>(state.groups.size());
        target =
            groups > op.leave ? state.groups[static_cast<std::size_t>(groups - 1 - op.leave)] : 0;
    }
    if (state.completed >= target) {
        next_op(agent, index, agent.ready, causes_.issue());
        return;
    }
    agent.op_start = now;
    agent.state = AgentState::at_drain;
    agent.blocked_on = op.op_class;
    agent.blocked_until = target;
}

/// Every warp the agent stands for contributes `each` arrivals.
void Simulation::signal(const Agent& agent, int instance, At at, std::int64_t each, int op,
                        Tick now, Tick delay) {
    const Arrival by{static_cast<int>(&agent - agents_.data()), op, now};
    const std::int64_t count = arrivals(agent, barriers_.at(instance).barrier, each);
    for (int cta = 0; cta < plan_.cluster; ++cta) {
        if (!meant(at, agent.cta, cta, plan_.cluster)) {
            continue;
        }
        const Tick when = now + delay + (cta == agent.cta ? 0 : plan_.machine.sync.remote_arrive);
        const int target = instance + (cta - agent.cta) * barriers_.per_cta();
        if (when == now) {
            count_arrivals(target, count, now, by);
        } else {
            queue_.push(when, EventKind::arrive, target, count);
            if (log_ != nullptr) {
                log_->sent(target, when, by);
            }
        }
    }
}

void Simulation::log_flip(int instance, Tick now, const Arrival& by) {
    StageFlip flip;
    flip.barrier = barriers_.at(instance).barrier;
    flip.cta = barriers_.cta_of(instance);
    flip.at = now;
    flip.by = by;
    const int first = instance - barriers_.at(instance).slot;
    const int copies = plan_.barriers[static_cast<std::size_t>(flip.barrier)].copies;
    while (flip.copy + 1 < copies &&
           barriers_.instance(flip.cta, flip.barrier, flip.copy + 1, 0, 0) <= first) {
        ++flip.copy;
    }
    log_->flipped(instance, first, flip);
}

void Simulation::count_arrivals(int instance, std::int64_t count, Tick now, const Arrival& by) {
    const int barrier = barriers_.at(instance).barrier;
    const std::int64_t completed = barriers_.at(instance).completed;
    woken_.clear();
    barriers_.arrive(instance, count,
                     [&](const BarrierWaiter& waiter) { woken_.push_back(waiter.agent); });
    if (log_ != nullptr && plan_.barriers[static_cast<std::size_t>(barrier)].ring >= 0 &&
        barriers_.at(instance).completed > completed) {
        log_flip(instance, now, by);
    }
    // Waking may arrive elsewhere at once and wake others: keep this list apart meanwhile.
    std::vector<std::int32_t> woken = std::move(woken_);
    touch(now);
    for (const std::int32_t index : woken) {
        wake_from_barrier(index, barrier, now, by);
    }
    woken_ = std::move(woken);
}

void Simulation::retire(Agent& agent, int index, int op_class, int completed, Tick now) {
    ClassState& state = agent.classes[static_cast<std::size_t>(op_class)];
    while (!state.in_flight.empty() &&
           flights_[static_cast<std::size_t>(state.in_flight.front())].done) {
        const std::int32_t flight = state.in_flight.front();
        state.in_flight.pop_front();
        ++state.completed;
        const int instance = flights_[static_cast<std::size_t>(flight)].signal;
        const int op = flights_[static_cast<std::size_t>(flight)].op;
        flights_[static_cast<std::size_t>(flight)].agent = -1;
        free_flights_.push_back(flight);
        if (instance >= 0) {
            const auto& body = role_of(agent).program[static_cast<std::size_t>(op)].body;
            const auto& async = std::get<AsyncOp>(body);
            signal(agent, instance, async.at, 1, completed, now, 0);
        }
    }
    while (!state.groups.empty() && state.groups.front() <= state.completed) {
        state.groups.pop_front();
    }
    while (!state.commits.empty() && state.commits.front().sequence <= state.completed) {
        const PendingCommit commit = state.commits.front();
        state.commits.pop_front();
        signal(agent, commit.instance, commit.at, 1, completed, now, 0);
    }
    if (agent.state == AgentState::at_drain && agent.blocked_on == op_class &&
        state.completed >= agent.blocked_until) {
        agent.blocked_on = -1;
        const Tick ready = std::max(agent.ready, now);
        record(agent, ScheduleEvent::Kind::wait, agent.op_start, ready,
               causes_.drain(state.server));
        next_op(agent, index, ready, causes_.drain(state.server));
    }
}

}  // namespace warpline
