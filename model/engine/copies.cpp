// Copies: the TMA, the path to memory, and the SMEM port, one stage after another.
#include "warpline/engine/simulation.hpp"

#include <algorithm>
#include <cmath>

namespace warpline {

namespace {

// Stages of a copy; an event copy_step leads to the one that is set.
constexpr int data_arrives = 0;  // the first bytes from memory are at this SM
constexpr int filling = 1;       // quanta go through the SMEM port as they come in
constexpr int reading = 2;       // quanta are read from this SM's shared memory

}  // namespace

const CopyOp& Simulation::copy_of(std::int32_t flight) const {
    const InFlight& record = flights_[static_cast<std::size_t>(flight)];
    const Role& role = role_of(agents_[static_cast<std::size_t>(record.agent)]);
    const auto& op = std::get<AsyncOp>(role.program[static_cast<std::size_t>(record.op)].body);
    return std::get<CopyOp>(op.work);
}

Tick Simulation::memory_ticks(std::int64_t bytes) const {
    if (memory_.bytes_per_clk <= 0.0) {
        return 0;
    }
    return round_to_ticks(static_cast<double>(bytes) / memory_.bytes_per_clk);
}

void Simulation::start_copy(const Agent& agent, std::int32_t index, const CopyOp& op, Tick now) {
    InFlight& flight = flights_[static_cast<std::size_t>(index)];
    const auto sm = static_cast<std::size_t>(agent.cta);
    Tick begin = now;
    flight.duration = 0;
    if (op.engine == CopyEngine::tma) {
        begin = std::max(now, tma_free_[sm]);
        flight.duration = engine_time(plan_.machine, op) * agent.multiplicity;
        tma_free_[sm] = begin + flight.duration;
        tma_accounts_[sm].work(begin, flight.duration, flight.cause);
        touch(tma_free_[sm]);
    }
    flight.started = begin;
    flight.bytes = op.bytes * agent.multiplicity;
    flight.port_time = port_ticks(flight.bytes);
    const Tick longest = std::max<Tick>(1, plan_.machine.smem_quantum);
    flight.quanta = std::max<std::int64_t>(1, (flight.port_time + longest - 1) / longest);
    flight.quanta_left = flight.quanta;
    if (op.from == Space::global) {
        out_.bytes_read += flight.bytes;
        flight.stage = data_arrives;
        queue_.push(begin + (op.l2_hit ? memory_.latency : memory_.miss_latency),
                    EventKind::copy_step, index);
    } else if (op.from == Space::registers) {
        if (op.to == Space::global) {
            queue_.push(begin, EventKind::memory_write, index);
        } else {
            const bool away = op.to != Space::smem && plan_.cluster > 1;
            flight.stage = filling;
            queue_.push(begin + (away ? plan_.machine.tma.dsmem_latency : 0), EventKind::copy_step,
                        index);
        }
    } else {
        flight.stage = reading;
        queue_.push(begin, EventKind::copy_step, index);
    }
}

void Simulation::copy_step(std::int32_t index, Tick now) {
    InFlight& flight = flights_[static_cast<std::size_t>(index)];
    if (flight.stage == filling) {
        fill_quantum(index, now);
        return;
    }
    if (flight.stage == reading) {
        ask_port(agents_[static_cast<std::size_t>(flight.agent)].cta, now, flight.next_quantum(),
                 {PortRequester::Kind::copy_read, index}, flight.cause);
        return;
    }
    const CopyOp& op = copy_of(index);
    const auto sm = static_cast<std::size_t>(agents_[static_cast<std::size_t>(flight.agent)].cta);
    const Tick begin = std::max(now, memory_free_[sm]);
    flight.duration = memory_ticks(flight.bytes);
    memory_free_[sm] = begin + flight.duration;
    memory_accounts_[sm].work(begin, flight.duration, causes_.memory());
    flight.started = begin;
    flight.ended = begin + flight.duration;
    touch(flight.ended);
    if (op.to == Space::registers || !fill_uses_port(plan_.machine, op) || flight.bytes == 0) {
        queue_.push(flight.ended, EventKind::complete, index);
        return;
    }
    flight.stage = filling;
    queue_.push(begin + flight.duration / flight.quanta, EventKind::copy_step, index);
}

/// The next quantum is here: through the port of every SM it is meant for.
void Simulation::fill_quantum(std::int32_t index, Tick now) {
    InFlight& flight = flights_[static_cast<std::size_t>(index)];
    const CopyOp& op = copy_of(index);
    const int own = agents_[static_cast<std::size_t>(flight.agent)].cta;
    const Tick quantum = flight.next_quantum();
    const std::int64_t number = flight.quanta - --flight.quanta_left;
    if (flight.quanta_left > 0) {
        const Tick next = flight.started + flight.duration * (number + 1) / flight.quanta;
        queue_.push(std::max(now, next), EventKind::copy_step, index);
    }
    const At whose = op.to == Space::cluster_smem ? At::all
                     : op.to == Space::peer_smem  ? At::peer
                                                  : At::self;
    for (int sm = 0; sm < plan_.cluster; ++sm) {
        flight.quanta_pending += meant(whose, own, sm, plan_.cluster) ? 1 : 0;
    }
    const int cause = flight.cause;
    for (int sm = 0; sm < plan_.cluster; ++sm) {
        if (meant(whose, own, sm, plan_.cluster)) {
            ask_port(sm, now, quantum, {PortRequester::Kind::copy_write, index}, cause);
        }
    }
}

void Simulation::quantum_read(std::int32_t index, Tick now) {
    InFlight& flight = flights_[static_cast<std::size_t>(index)];
    const CopyOp& op = copy_of(index);
    const Agent& agent = agents_[static_cast<std::size_t>(flight.agent)];
    const Tick quantum = flight.next_quantum();
    --flight.quanta_left;
    if (op.to == Space::peer_smem) {
        ++flight.quanta_pending;
        queue_.push(now + (plan_.cluster > 1 ? plan_.machine.tma.dsmem_latency : 0),
                    EventKind::peer_write, index, quantum);
    }
    if (flight.quanta_left > 0) {
        // The engine reads no faster than its width; a busy port may make it slower.
        const std::int64_t number = flight.quanta - flight.quanta_left;
        const Tick next = flight.started + flight.duration * number / flight.quanta;
        if (next > now) {
            queue_.push(next, EventKind::copy_step, index);
        } else {
            ask_port(agent.cta, now, flight.next_quantum(), {PortRequester::Kind::copy_read, index},
                     flight.cause);
        }
    } else if (op.to == Space::global) {
        transfer(index, now);
    }
}

void Simulation::peer_write(std::int32_t index, Tick quantum, Tick now) {
    const InFlight& flight = flights_[static_cast<std::size_t>(index)];
    const int own = agents_[static_cast<std::size_t>(flight.agent)].cta;
    ask_port(peer_of(own, plan_.cluster), now, quantum, {PortRequester::Kind::copy_write, index},
             flight.cause);
}

void Simulation::quantum_written(std::int32_t index, Tick now) {
    InFlight& flight = flights_[static_cast<std::size_t>(index)];
    --flight.quanta_pending;
    if (flight.quanta_left == 0 && flight.quanta_pending == 0) {
        flight.ended = now;
        completed(index, now);
    }
}

/// Everything to be written to global memory is out of the SM's own storage. The path to L2 took
/// what a bulk copy read while it was being read, as far as it was free.
void Simulation::transfer(std::int32_t index, Tick now) {
    InFlight& flight = flights_[static_cast<std::size_t>(index)];
    const auto sm = static_cast<std::size_t>(agents_[static_cast<std::size_t>(flight.agent)].cta);
    const Tick path = memory_ticks(flight.bytes);
    const Tick ready =
        copy_of(index).from == Space::smem ? std::max(flight.started, now - path) : now;
    const Tick begin = std::max(ready, memory_free_[sm]);
    memory_free_[sm] = begin + path;
    memory_accounts_[sm].work(begin, path, flight.cause);
    flight.ended = std::max({memory_free_[sm], now, flight.started + flight.duration});
    out_.bytes_written += flight.bytes;
    queue_.push(flight.ended + plan_.machine.tma.store_latency, EventKind::complete, index);
}

}  // namespace warpline
