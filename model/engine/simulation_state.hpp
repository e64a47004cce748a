// Every piece of a run's state, in one order: Simulation::visit().
#pragma once

#include "warpline/engine/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpline {

/// Presents operations in flight and requesters by what they are, not by where they are stored.
template <typename Visitor>
class StateTour {
  public:
    StateTour(Simulation& simulation, Visitor& visitor) : s_(simulation), v_(visitor) {}

    // The parts' visit() functions call these; the simple ones go straight through.
    void compare(std::int64_t value) { v_.compare(value); }
    void exact(std::int64_t& value) { v_.exact(value); }
    void future(Tick& time) { v_.future(time); }
    void clock(Tick& time) { v_.clock(time); }
    void counter(std::int64_t& value, std::int64_t base) { v_.counter(value, base); }
    void moved(std::int64_t& value) { v_.moved(value); }
    void books(Account& account) { v_.books(account); }
    void in_flight(std::int32_t index) {
        const InFlight& flight = s_.flights_[static_cast<std::size_t>(index)];
        const Agent& agent = s_.agents_[static_cast<std::size_t>(flight.agent)];
        v_.compare(flight.agent);
        v_.compare(flight.op_class);
        v_.compare(flight.sequence -
                   agent.classes[static_cast<std::size_t>(flight.op_class)].completed);
    }
    void requester(PortRequester::Kind kind, std::int32_t index) {
        if (kind == PortRequester::Kind::copy_read || kind == PortRequester::Kind::copy_write) {
            in_flight(index);
        } else {
            v_.compare(index);
        }
    }
    void phases(std::int64_t& completed, int barrier) {
        const int ring = s_.plan_.barriers[static_cast<std::size_t>(barrier)].ring;
        if (ring >= 0) {
            const std::int64_t lap = ring_base_[static_cast<std::size_t>(ring)] / ring_stages(ring);
            // An instance that stays behind has nobody who waits for it: the leader's CTA has its
            // own.
            compare(std::max(completed - lap, -most_laps));
        }
        v_.moved(completed);
    }

    void run() {
        find_bases();
        for (Agent& agent : s_.agents_) {
            visit(agent);
        }
        s_.barriers_.visit(*this);
        for (IssuePort& port : s_.ports_) {
            port.visit(*this);
        }
        for (SmemPort& port : s_.smem_) {
            port.visit(*this);
        }
        for (TensorUnit& tensor : s_.tensors_) {
            tensor.visit(*this);
        }
        visit_simple(s_.tmem_free_, s_.tmem_accounts_);
        visit_simple(s_.tma_free_, s_.tma_accounts_);
        visit_simple(s_.memory_free_, s_.memory_accounts_);
        visit_events();
        moved(s_.out_.flops);
        moved(s_.out_.bytes_read);
        moved(s_.out_.bytes_written);
        moved(s_.last_activity_);
    }

  private:
    static constexpr std::int64_t most_laps = 8;  ///< what is further behind no longer matters

    [[nodiscard]] std::int64_t ring_stages(int ring) const {
        return std::max(1, s_.plan_.rings[static_cast<std::size_t>(ring)].stages);
    }

    /// The lap of each ring that its first user is in, and the iteration the anchor is in.
    void find_bases() {
        ring_base_.assign(s_.plan_.rings.size(), 0);
        for (std::size_t ring = 0; ring < ring_base_.size(); ++ring) {
            for (const Agent& agent : s_.agents_) {
                if (s_.uses_[static_cast<std::size_t>(agent.role)].takes[ring]) {
                    const std::int64_t stages = ring_stages(static_cast<int>(ring));
                    ring_base_[ring] = agent.ring_uses[ring] / stages * stages;
                    break;
                }
            }
        }
        const Agent& anchor = s_.agents_[static_cast<std::size_t>(s_.anchor_)];
        for (const LoopFrame& frame : anchor.loops) {
            if (s_.traits_of(anchor, frame).scales) {
                index_base_ = frame.index;
            }
        }
    }

    void visit(Agent& agent) {
        compare(static_cast<std::int64_t>(agent.state));
        compare(agent.pc);
        compare(agent.batch);
        future(agent.ready);
        compare(agent.state == AgentState::at_drain || agent.state == AgentState::at_barrier ||
                        agent.state == AgentState::at_tensor
                    ? agent.blocked_on
                    : -1);
        if (agent.state == AgentState::at_barrier) {
            counter(agent.blocked_until,
                    s_.barriers_.at(static_cast<int>(agent.blocked_on)).completed);
        } else if (agent.state == AgentState::at_drain) {
            counter(agent.blocked_until,
                    agent.classes[static_cast<std::size_t>(agent.blocked_on)].issued);
        } else {
            moved(agent.blocked_until);
        }
        exact(agent.smem_accesses);
        visit_loops(agent);
        visit_counters(agent);
        for (ClassState& state : agent.classes) {
            visit(state);
        }
        moved(agent.op_start);
        const int issued = agent.batch;
        for (int i = 0; i < issued && i < static_cast<int>(agent.batch_issue.size()); ++i) {
            clock(agent.batch_issue[static_cast<std::size_t>(i)]);
        }
        books(agent.account);
    }

    void visit_loops(Agent& agent) {
        compare(static_cast<std::int64_t>(agent.loops.size()));
        for (LoopFrame& frame : agent.loops) {
            compare(frame.begin);
            const LoopTraits& traits = s_.traits_of(agent, frame);
            if (traits.scales) {
                v_.loop_index(frame.index, index_base_, traits.period);
            } else {
                exact(frame.index);
                exact(frame.count);
            }
        }
        compare(agent.tile);
    }

    void visit_counters(Agent& agent) {
        const RoleUses& uses = s_.uses_[static_cast<std::size_t>(agent.role)];
        for (std::size_t ring = 0; ring < uses.takes.size(); ++ring) {
            if (uses.takes[ring]) {
                counter(agent.ring_uses[ring], ring_base_[ring]);
            }
        }
        for (std::size_t h = 0; h < agent.handles.size(); ++h) {
            const int ring = uses.handle_ring[h];
            if (ring < 0) {
                continue;
            }
            // A slot taken long ago and kept decides nothing inside the loop.
            const std::int64_t base = ring_base_[static_cast<std::size_t>(ring)];
            const std::int64_t age = agent.handles[h] - base;
            compare(std::max(age, -most_laps * ring_stages(ring)));
            moved(agent.handles[h]);
        }
        for (const auto& [barrier, copy] : uses.waits) {
            const int instance = s_.barriers_.instance(s_.cta_index(agent, agent.cta), barrier,
                                                       copy, agent.warp_slot, 0);
            const auto index = static_cast<std::size_t>(s_.barriers_.wait_counter(barrier, copy));
            counter(agent.waits[index], s_.barriers_.at(instance).completed);
        }
    }

    void visit(ClassState& state) {
        const std::int64_t issued = state.issued;
        compare(issued - state.completed);
        compare(static_cast<std::int64_t>(state.in_flight.size()));
        compare(static_cast<std::int64_t>(state.groups.size()));
        compare(static_cast<std::int64_t>(state.commits.size()));
        for (std::int64_t& end : state.groups) {
            counter(end, issued);
        }
        for (PendingCommit& commit : state.commits) {
            counter(commit.sequence, issued);
            compare(commit.instance);
        }
        for (const std::int32_t index : state.in_flight) {
            visit(s_.flights_[static_cast<std::size_t>(index)]);
        }
        moved(state.issued);
        moved(state.completed);
    }

    void visit(InFlight& flight) {
        compare(flight.op);
        compare(flight.done ? 1 : 0);
        compare(flight.signal);
        compare(flight.stage);
        exact(flight.quanta_left);
        exact(flight.quanta_pending);
        if (flight.stage == 1) {
            clock(flight.started);
        } else {
            moved(flight.started);
        }
        moved(flight.sequence);
        moved(flight.requested);
        moved(flight.ended);
        moved(flight.iteration);
    }

    void visit_simple(std::vector<Tick>& free, std::vector<Account>& accounts) {
        for (Tick& time : free) {
            future(time);
        }
        for (Account& account : accounts) {
            books(account);
        }
    }

    void visit_events() {
        compare(static_cast<std::int64_t>(s_.queue_.size()));
        for (Event& event : s_.queue_.sorted()) {
            future(event.time);
            compare(static_cast<std::int64_t>(event.kind));
            const auto a = static_cast<std::size_t>(event.a);
            switch (event.kind) {
                case EventKind::launch:
                case EventKind::complete:
                case EventKind::copy_step:
                case EventKind::peer_write:
                case EventKind::memory_write:
                    in_flight(event.a);
                    break;
                case EventKind::port_ideal:
                    compare(event.b);
                    requester(static_cast<PortRequester::Kind>(event.b), event.a);
                    break;
                case EventKind::port_run_end:
                    compare(event.a);
                    compare(event.b == s_.smem_[a].version() ? 1 : 0);
                    break;
                case EventKind::dispatch:
                    compare(event.a);
                    compare(event.b == s_.ports_[a].version() ? 1 : 0);
                    break;
                case EventKind::arrive:
                case EventKind::tensor_due:
                case EventKind::tensor_start:
                    compare(event.a);
                    compare(event.b);
                    break;
            }
        }
    }

    Simulation& s_;
    Visitor& v_;
    std::vector<std::int64_t> ring_base_;
    std::int64_t index_base_ = 0;
};

}  // namespace warpline
