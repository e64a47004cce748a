// What a warp asks of its sub-partition.
#pragma once

#include "warpline/engine/simulation.hpp"

namespace warpline {

inline void Simulation::request_batch(Agent& agent, IssuePort& port, const IssueRequest& request) {
    agent.state = AgentState::runnable;
    port.add(agent.place, request, now_, dispatches_);
}

/// The steps of the agent's issue operation.
inline const BatchStep* Simulation::steps_of(const Agent& agent) const {
    return compiled_.steps.data() + agent.issue->first_step;
}

/// The agent's next batch may issue no earlier than an earlier one's results are there.
inline void Simulation::depend(Agent& agent, const BatchDependence& on) const {
    const auto producer = static_cast<std::size_t>(agent.batch - on.back);
    const Tick earliest = agent.batch_issue[producer] + on.gap;
    if (earliest > agent.ready) {
        agent.ready = earliest;
        agent.ready_cause = causes_.latency(on.producer);
    }
}

/// For the batch that is next, of step `step`.
inline IssueRequest Simulation::next_request(Agent& agent, const BatchStep& step) const {
    const Batch& batch = compiled_.batches[static_cast<std::size_t>(step.batch)];
    if (step.dependence.back > 0) {
        depend(agent, step.dependence);
        for (int i = 0; i < batch.more_dependences; ++i) {
            const auto index = static_cast<std::size_t>(batch.first_more_dependence + i);
            depend(agent, compiled_.dependences[index]);
        }
    }
    return {&batch, agent.ready, agent.ready_cause, step.quiet};
}

}  // namespace warpline
