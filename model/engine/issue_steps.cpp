// What happens when a sub-partition lets warps issue.
#include "warpline/engine/issue_requests.hpp"
#include "warpline/engine/simulation.hpp"

#include <algorithm>

namespace warpline {

/// Issues from `port` for as long as nothing that happens elsewhere first can matter to it: what
/// concerns others waits for its turn, and the port may be ahead of now_ when this returns.
void Simulation::dispatch(IssuePort& port) {
    if (!port.due(now_, dispatches_)) {
        return;
    }
    DispatchTimes::Reach reach = this->reach();
    Tick at = now_;
    while (true) {
        IssuePort::Warp& warp = port.take();
        Agent& agent = agents_[static_cast<std::size_t>(warp.agent)];
        if (agent.issue != nullptr) {
            at = issue_in_turn(agent, port, warp, at, reach);
        } else {
            issue_batch(agent, port, warp, {at, port.next_cause()});
            warp.request.batch = nullptr;
            operation_granted(agent, warp.agent, at);
            reach = this->reach();
        }
        const Tick next = port.resume(at);
        if (next == DispatchTimes::never || anchor_passed_ || events_ >= options_.max_events) {
            port.schedule(next, dispatches_);
            return;
        }
        const bool quiet = port.quiet_next();
        if (next >= (quiet ? reach.quiet : reach.any)) {
            port.schedule(next, dispatches_);
            return;
        }
        at = next;
        ++events_;
        if (!quiet) {
            now_ = at;
        }
    }
}

/// How far the sub-partition whose dispatch it is may go on. What the queue holds, and the end of
/// time, concerns all.
inline DispatchTimes::Reach Simulation::reach() const {
    const Tick queued = std::min(queue_.next_time(), latest_time + 1);
    const DispatchTimes::Reach others = dispatches_.reach();
    return {std::min(others.any, queued), std::min(others.quiet, queued)};
}

inline void Simulation::issue_batch(Agent& agent, IssuePort& port, const IssuePort::Warp& warp,
                                    const IssueSlot& slot) {
    const IssueRequest& request = warp.request;
    const int cause = port.issue(warp, slot);
    agent.account.charge(request.ready, request.cause);
    agent.account.work(slot.time, request.batch->slots, cause);
    agent.ready = slot.time + request.batch->next;
    agent.ready_cause = causes_.issue();
    agent.op_cause = cause;
}

/// Issues batches of an issue operation, the first one at `at`, until another warp at the port may
/// come first, or `reach` ends, which it keeps true. Returns when the last of them issued.
inline Tick Simulation::issue_in_turn(Agent& agent, IssuePort& port, IssuePort::Warp& warp, Tick at,
                                      DispatchTimes::Reach& reach) {
    IssueSlot slot{at, port.next_cause()};
    const Tick rivals = port.rivals();
    const BatchStep* const steps = steps_of(agent);
    const int batches = agent.issue->batches;
    if (agent.batch == 0) {
        agent.op_start = at;
    }
    while (true) {
        issue_batch(agent, port, warp, slot);
        const Batch& batch = *warp.request.batch;
        agent.batch_issue[static_cast<std::size_t>(agent.batch)] = slot.time;
        if (batch.pacing != Unit::issue) {
            agent.ready_cause = causes_.unit(batch.pacing);
        }
        if (batch.smem_bytes > 0) {
            access_smem(agent, warp.agent, batch.smem_bytes);
            reach = this->reach();
        }
        if (++agent.batch == batches) {
            warp.request.batch = nullptr;
            issue_finished(agent, warp.agent, slot.time);
            reach = this->reach();
            return slot.time;
        }
        const Tick issued = slot.time;
        warp.request = next_request(agent, steps[agent.batch]);
        const bool quiet = warp.request.quiet > 0;
        const Tick limit = std::min(rivals, quiet ? reach.quiet : reach.any);
        if (agent.ready >= limit || events_ >= options_.max_events) {
            return issued;
        }
        slot = port.slot_for(warp);
        if (slot.time >= limit) {
            return issued;
        }
        ++events_;
        if (!quiet) {
            now_ = slot.time;
        }
    }
}

/// The last batch of an issue operation was issued at `now`.
void Simulation::issue_finished(Agent& agent, int index, Tick now) {
    const CompiledIssue& issue = *agent.issue;
    record(agent, ScheduleEvent::Kind::issue, agent.op_start, agent.ready, agent.op_cause);
    if (issue.results_needed) {
        const Tick results = now + issue.last_offset + issue.results_after;
        if (results > agent.ready) {
            agent.ready = results;
            agent.ready_cause = causes_.latency(issue.producer);
        }
        if (issue.reads_smem && agent.smem_accesses > 0) {
            agent.state = AgentState::at_smem;
            return;
        }
    }
    next_op(agent, index, agent.ready, agent.ready_cause);
}

/// The issue slots of an operation of another kind were granted at `now`.
void Simulation::operation_granted(Agent& agent, int index, Tick now) {
    const OpBody& body = op_of(agent).body;
    if (const auto* async = std::get_if<AsyncOp>(&body)) {
        async_granted(agent, index, *async, now);
    } else if (const auto* commit = std::get_if<CommitOp>(&body)) {
        commit_granted(agent, *commit, now);
        next_op(agent, index, agent.ready, causes_.issue());
    } else if (const auto* drain = std::get_if<DrainOp>(&body)) {
        drain_granted(agent, index, *drain, now);
    } else if (const auto* arrive = std::get_if<ArriveOp>(&body)) {
        arrive_granted(agent, *arrive, now);
        next_op(agent, index, agent.ready, causes_.issue());
    } else if (const auto* wait = std::get_if<WaitOp>(&body)) {
        wait_granted(agent, index, *wait, now);
    } else {
        const Tick end = std::max(agent.ready, now + std::get<TurnOp>(body).cost);
        record(agent, ScheduleEvent::Kind::wait, now, end, causes_.memory());
        next_op(agent, index, end, causes_.memory());
    }
}

}  // namespace warpline
