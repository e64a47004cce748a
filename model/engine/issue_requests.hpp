// What a warp asks of its sub-partition.
#pragma once

#include "warpline/engine/simulation.hpp"

namespace warpline {

inline void Simulation::request_batch(Agent& agent, IssuePort& port, const IssueRequest& request) {
    agent.state = AgentState::runnable;
    port.add(agent.place, request, now_, queue_);
}

/// The steps of the agent's issue operation.
inline const BatchStep* Simulation::steps_of(const Agent& agent) const {
    return compiled_.steps.data() + agent.issue->first_step;
}

/// For the batch that is next, of step `step`.
inline IssueRequest Simulation::next_request(Agent& agent, const BatchStep& step) const {
    const Batch& batch = compiled_.batches[static_cast<std::size_t>(step.batch)];
    const auto depend = [&](const BatchDependence& on) {
        const auto producer = static_cast<std::size_t>(agent.batch - on.back);
        const Tick earliest = agent.batch_issue[producer] + on.gap;
        if (earliest > agent.ready) {
            agent.ready = earliest;
            agent.ready_cause = causes_.latency(on.producer);
        }
    };
    if (step.dependence.back > 0) {
        depend(step.dependence);
    }
    for (int i = 0; i < batch.more_dependences; ++i) {
        depend(compiled_.dependences[static_cast<std::size_t>(batch.first_more_dependence + i)]);
    }
    return {&batch, agent.ready, agent.ready_cause};
}

}  // namespace warpline
