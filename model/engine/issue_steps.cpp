// What happens when a sub-partition lets warps issue.
#include "warpline/engine/issue_requests.hpp"
#include "warpline/engine/simulation.hpp"

#include <algorithm>

namespace warpline {

/// Issues from `port` for as long as nothing else happens before it can issue again: what comes
/// next anyway need not pass through the queue.
void Simulation::dispatch(IssuePort& port) {
    if (!port.due(now_, queue_)) {
        return;
    }
    while (true) {
        const IssueTurn turn = port.take();
        Agent& agent = agents_[static_cast<std::size_t>(turn.agent)];
        if (agent.issue != nullptr) {
            issue_in_turn(agent, port, turn);
        } else {
            issue_batch(agent, port, turn, turn.request, {now_, turn.cause});
            operation_granted(agent, turn.agent, now_);
        }
        const Tick next = port.resume(now_);
        if (next == IssuePort::no_dispatch) {
            return;
        }
        if (next >= next_from_queue() || anchor_passed_ || events_ >= options_.max_events) {
            port.schedule(next, queue_);
            return;
        }
        now_ = next;
        ++events_;
    }
}

/// From this instant on, what happens next must come out of the queue: its events, and the end of
/// time.
inline Tick Simulation::next_from_queue() const {
    return std::min(queue_.next_time(), latest_time + 1);
}

inline void Simulation::issue_batch(Agent& agent, IssuePort& port, const IssueTurn& turn,
                                    const IssueRequest& request, const IssueSlot& slot) {
    const int cause = port.issue(turn.place, request, slot);
    agent.account.charge(request.ready, request.cause);
    agent.account.work(slot.time, request.batch->slots, cause);
    agent.ready = slot.time + request.batch->next;
    agent.ready_cause = causes_.issue();
    agent.op_cause = cause;
}

/// Issues batches of an issue operation, the first one now, until another warp at the port may come
/// first.
inline void Simulation::issue_in_turn(Agent& agent, IssuePort& port, const IssueTurn& turn) {
    IssueRequest request = turn.request;
    IssueSlot slot{now_, turn.cause};
    const BatchStep* const steps = steps_of(agent);
    const int batches = agent.issue->batches;
    Tick limit = std::min(turn.rivals, next_from_queue());
    if (agent.batch == 0) {
        agent.op_start = now_;
    }
    while (true) {
        issue_batch(agent, port, turn, request, slot);
        const Batch& batch = *request.batch;
        agent.batch_issue[static_cast<std::size_t>(agent.batch)] = now_;
        if (batch.pacing != Unit::issue) {
            agent.ready_cause = causes_.unit(batch.pacing);
        }
        if (batch.smem_bytes > 0) {
            access_smem(agent, turn.agent, batch.smem_bytes);
            limit = std::min(limit, next_from_queue());
        }
        if (++agent.batch == batches) {
            issue_finished(agent, turn.agent, now_);
            return;
        }
        request = next_request(agent, steps[agent.batch]);
        slot = port.slot_for(turn.place, request);
        if (slot.time >= limit || events_ >= options_.max_events) {
            request_batch(agent, port, request);
            return;
        }
        now_ = slot.time;
        ++events_;
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
