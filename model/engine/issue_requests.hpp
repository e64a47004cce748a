// What a warp asks of its sub-partition.
#pragma once

#include "warpline/engine/simulation.hpp"

namespace warpline {

inline void Simulation::request_batch(Agent& agent, IssuePort& port, const IssueRequest& request) {
    agent.state = AgentState::runnable;
    port.add(agent.place, request, now_, queue_);
}

/// For the batch of the current issue operation that is next.
inline IssueRequest Simulation::next_request(Agent& agent) const {
    const BatchStep& step =
        compiled_.steps[static_cast<std::size_t>(agent.issue->first_step + agent.batch)];
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
