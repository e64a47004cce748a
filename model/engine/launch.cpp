// Asynchronous operations: issue, the tensor core, tensor memory, and completion in order.
#include "warpline/engine/simulation.hpp"

#include <algorithm>

namespace warpline {

void Simulation::async_granted(Agent& agent, int index, const AsyncOp& op, Tick now) {
    agent.op_start = now;
    if (std::holds_alternative<MmaOp>(op.work) && plan_.machine.tensor_queue_depth > 0) {
        const TensorUnit& tensor = tensors_[static_cast<std::size_t>(tensor_index(agent))];
        if (tensor.queued_steps() >= plan_.machine.tensor_queue_depth) {
            agent.state = AgentState::at_tensor;
            agent.blocked_on = tensor_index(agent);
            return;
        }
    }
    launch(agent, index, op, agent.ready);
    next_op(agent, index, agent.ready, causes_.issue());
}

void Simulation::tensor_room(int tensor, Tick now) {
    if (tensors_[static_cast<std::size_t>(tensor)].queued_steps() >=
        plan_.machine.tensor_queue_depth) {
        return;
    }
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        Agent& agent = agents_[i];
        if (agent.state == AgentState::at_tensor && agent.blocked_on == tensor) {
            agent.blocked_on = -1;
            agent.ready = std::max(agent.ready, now);
            agent.op_cause = causes_.unit(Unit::tensor);
            launch(agent, static_cast<int>(i), std::get<AsyncOp>(op_of(agent).body), agent.ready);
            next_op(agent, static_cast<int>(i), agent.ready, causes_.unit(Unit::tensor));
            return;
        }
    }
}

int Simulation::tensor_index(const Agent& agent) const {
    return plan_.machine.tensor_scope == UnitScope::sm ? agent.cta : agent.port;
}

std::int32_t Simulation::allocate_flight() {
    if (free_flights_.empty()) {
        flights_.emplace_back();
        return static_cast<std::int32_t>(flights_.size()) - 1;
    }
    const std::int32_t flight = free_flights_.back();
    free_flights_.pop_back();
    flights_[static_cast<std::size_t>(flight)] = InFlight{};
    return flight;
}

/// Hands the operation to its unit at `now`, when its issue slots are over.
void Simulation::launch(Agent& agent, int index, const AsyncOp& op, Tick now) {
    ClassState& state = agent.classes[static_cast<std::size_t>(op.op_class)];
    const std::int32_t index_of_flight = allocate_flight();
    InFlight& flight = flights_[static_cast<std::size_t>(index_of_flight)];
    flight.agent = index;
    flight.op = agent.pc;
    flight.op_class = op.op_class;
    flight.sequence = state.issued++;
    flight.signal = op.signals ? instance_of(agent, *op.signals) : -1;
    flight.tile = agent.tile;
    flight.iteration = agent.loops.empty() ? -1 : agent.loops.back().index;
    flight.requested = flight.started = flight.ended = now;
    flight.cause = agent.op_cause;
    state.in_flight.push_back(index_of_flight);
    if (now > now_) {
        queue_.push(now, EventKind::launch, index_of_flight);
    } else {
        start(index_of_flight, now);
    }
}

void Simulation::start(std::int32_t flight, Tick now) {
    const InFlight& record = flights_[static_cast<std::size_t>(flight)];
    Agent& agent = agents_[static_cast<std::size_t>(record.agent)];
    const auto& op =
        std::get<AsyncOp>(role_of(agent).program[static_cast<std::size_t>(record.op)].body);
    ClassState& state = agent.classes[static_cast<std::size_t>(op.op_class)];
    if (const auto* mma = std::get_if<MmaOp>(&op.work)) {
        state.server = Unit::tensor;
        start_mma(agent, flight, *mma, now);
    } else if (const auto* tmem = std::get_if<TmemOp>(&op.work)) {
        state.server = tmem->unit();
        start_tmem(agent, flight, *tmem, now);
    } else {
        state.server = Unit::memory;
        start_copy(agent, flight, std::get<CopyOp>(op.work), now);
    }
}

void Simulation::start_mma(const Agent& agent, std::int32_t flight, const MmaOp& op, Tick now) {
    out_.flops += op.flops * op.steps * agent.multiplicity * (op.pair ? 2 : 1);
    if (op.steps == 0) {
        completed(flight, now);
        return;
    }
    MmaChain chain;
    chain.in_flight = flight;
    chain.tensor = op.tensor;
    // Warps folded into this one work beside it on tensor cores of their own, or after it on the
    // SM's.
    const bool shared = plan_.machine.tensor_scope == UnitScope::sm;
    chain.fetch = port_ticks(op.smem_bytes * (shared ? 1 : agent.multiplicity));
    chain.first_operand = op.first_operand;
    chain.completion = op.completion;
    chain.pair = op.pair && plan_.cluster == 2;
    chain.streams_registers = op.streams_registers;
    chain.register_delay = op.register_delay;
    chain.steps = chain.unfetched = chain.unfinished = op.steps * (shared ? agent.multiplicity : 1);
    chain.cause = flights_[static_cast<std::size_t>(flight)].cause;
    const int tensor = tensor_index(agent);
    tensors_[static_cast<std::size_t>(tensor)].push(chain, now, queue_, *this);
}

int Simulation::request_operands(int tensor, const MmaChain& chain, Tick now) {
    const int slices =
        plan_.machine.tensor_scope == UnitScope::sm ? 1 : plan_.machine.sub_partitions;
    const int sm = tensor / slices;
    const PortRequester requester{PortRequester::Kind::mma_fetch, tensor};
    ask_port(sm, now, chain.fetch, requester, chain.cause);
    if (!chain.pair) {
        return 1;
    }
    ask_port(1 - sm, now, chain.fetch, requester, chain.cause);
    return 2;
}

void Simulation::chain_started(const MmaChain& chain, Tick now) {
    flights_[static_cast<std::size_t>(chain.in_flight)].started = now;
}

void Simulation::chain_executed(const MmaChain& chain, Tick now) {
    flights_[static_cast<std::size_t>(chain.in_flight)].ended = now;
    queue_.push(now + chain.completion, EventKind::complete, chain.in_flight);
    touch(now);
}

void Simulation::pair_step(int tensor, const MmaChain& chain, Tick now, int cause) {
    tensors_[static_cast<std::size_t>(1 - tensor)].book_pair_step(now, chain.tensor, cause);
}

void Simulation::start_tmem(const Agent& agent, std::int32_t index, const TmemOp& op, Tick now) {
    const std::size_t port = tmem_port(agent.port, op.store);
    InFlight& flight = flights_[static_cast<std::size_t>(index)];
    flight.started = std::max(now, tmem_free_[port]);
    flight.ended = flight.started + op.port;
    tmem_free_[port] = flight.ended;
    tmem_accounts_[port].work(flight.started, op.port, flight.cause);
    queue_.push(flight.ended + op.latency, EventKind::complete, index);
}

void Simulation::completed(std::int32_t index, Tick now) {
    InFlight& flight = flights_[static_cast<std::size_t>(index)];
    flight.done = true;
    touch(now);
    const int agent_index = flight.agent;
    Agent& agent = agents_[static_cast<std::size_t>(agent_index)];
    if (options_.record_events) {
        ScheduleEvent event;
        event.kind = ScheduleEvent::Kind::async;
        event.usage = agent_index;
        event.op = flight.op;
        event.unit = agent.classes[static_cast<std::size_t>(flight.op_class)].server;
        event.tile = flight.tile;
        event.iteration = flight.iteration;
        event.start = flight.started;
        event.end = flight.ended;
        event.requested = flight.requested;
        event.completed = now;
        event.cause = causes_.cause(flight.cause);
        out_.events.push_back(event);
    }
    retire(agent, agent_index, flight.op_class, flight.op, now);
}

Tick Simulation::port_ticks(std::int64_t bytes) const {
    return round_to_ticks(static_cast<double>(bytes) / plan_.machine.smem_bytes_per_clk);
}

void Simulation::ask_port(int sm, Tick now, Tick time, PortRequester requester, int cause) {
    if (!plan_.machine.smem_contention) {
        queue_.push(now + time, EventKind::port_ideal, requester.index,
                    static_cast<std::int64_t>(requester.kind));
        return;
    }
    smem_[static_cast<std::size_t>(sm)].request(now, time, requester, cause, queue_);
}

/// What a warp instruction that issues now reads or writes.
void Simulation::access_smem(Agent& agent, int index, std::int64_t bytes) {
    ++agent.smem_accesses;
    ask_port(agent.cta, now_, port_ticks(bytes * agent.multiplicity),
             {PortRequester::Kind::warp_access, index}, agent.op_cause);
}

void Simulation::port_served(PortRequester requester, Tick now) {
    touch(now);
    switch (requester.kind) {
        case PortRequester::Kind::mma_fetch:
            tensors_[static_cast<std::size_t>(requester.index)].fetch_done(now, queue_, *this);
            break;
        case PortRequester::Kind::warp_access:
            warp_access_done(requester.index, now);
            break;
        case PortRequester::Kind::copy_read:
            quantum_read(requester.index, now);
            break;
        case PortRequester::Kind::copy_write:
            quantum_written(requester.index, now);
            break;
    }
}

}  // namespace warpline
