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
    void instant(Tick& time) { v_.instant(time); }
    void clock(Tick& time) { v_.clock(time); }
    void stamp(Tick& time) { v_.stamp(time); }
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
    void run() {
        find_bases();
        for (Agent& agent : s_.agents_) {
            visit(agent);
        }
        visit_barriers();
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
        s_.dispatches_.visit(*this);
        moved(s_.out_.flops);
        moved(s_.out_.bytes_read);
        moved(s_.out_.bytes_written);
        stamp(s_.last_activity_);
        if constexpr (Visitor::moves) {
            if (s_.log_ != nullptr) {
                s_.log_->move(v_.shift(), s_.barriers_.size(), [this](int instance) {
                    return s_.barriers_.turned(instance, uses_ahead(instance));
                });
            }
            s_.barriers_.turn([this](int instance) { return uses_ahead(instance); });
        }
    }

  private:
    /// How far each ring of each cluster has got, by its first user. Stages of a ring are alike:
    /// they are presented in the order of their next use.
    void find_bases() {
        const std::size_t rings = s_.plan_.rings.size();
        base_.assign(rings * static_cast<std::size_t>(s_.plan_.ctas_per_sm), 0);
        std::vector<bool> known(base_.size(), false);
        for (const Agent& agent : s_.agents_) {
            for (std::size_t ring = 0; ring < rings; ++ring) {
                const std::size_t i = static_cast<std::size_t>(agent.cluster) * rings + ring;
                if (!known[i] && s_.uses_[static_cast<std::size_t>(agent.role)].takes[ring]) {
                    known[i] = true;
                    base_[i] = agent.ring_uses[ring];
                }
            }
        }
        ahead_.clear();
        for (std::size_t i = 0; i < base_.size(); ++i) {
            ahead_.push_back(v_.uses_ahead(i, base_[i]));
        }
    }

    /// Index into base_ of the ring that `instance` belongs to, or -1.
    [[nodiscard]] int ring_of(int instance) const {
        const int barrier = s_.barriers_.at(instance).barrier;
        const int ring = s_.barrier_ring_[static_cast<std::size_t>(barrier)];
        const int cluster = s_.barriers_.cta_of(instance) / s_.plan_.cluster;
        return ring < 0 ? -1 : cluster * static_cast<int>(s_.plan_.rings.size()) + ring;
    }
    [[nodiscard]] std::int64_t uses_ahead(int instance) const {
        const int ring = ring_of(instance);
        return ring < 0 ? 0 : ahead_[static_cast<std::size_t>(ring)];
    }
    [[nodiscard]] std::int64_t base_of(int instance) const {
        const int ring = ring_of(instance);
        return ring < 0 ? 0 : base_[static_cast<std::size_t>(ring)];
    }
    template <typename Integer>
    void visit_instance(Integer& instance) {
        const int index = static_cast<int>(instance);
        if (index < 0) {
            compare(index);
            return;
        }
        compare(s_.barriers_.turned(index, -base_of(index)));
        instance = static_cast<Integer>(s_.barriers_.turned(index, uses_ahead(index)));
    }
    /// A phase of `instance`, completed or waited for.
    void visit_phase(std::int64_t& phase, int instance) {
        const std::int64_t base = base_of(instance);
        const BarrierInstance& state = s_.barriers_.at(instance);
        const std::int64_t stages = s_.barriers_.stages(state.barrier);
        const std::int64_t use = base + ((state.slot - base) % stages + stages) % stages;
        v_.phase(phase, use / stages, (use + uses_ahead(instance)) / stages);
    }

    void visit_barriers() {
        for (int i = 0; i < s_.barriers_.size(); ++i) {
            const int index = s_.barriers_.turned(i, base_of(i));
            BarrierInstance& instance = s_.barriers_.at(index);
            if (!instance.waited) {
                continue;  // its phases may move at a pace of their own, or never
            }
            const bool of_ring = ring_of(index) >= 0;
            exact(instance.arrived);
            compare(static_cast<std::int64_t>(instance.waiters.size()));
            for (BarrierWaiter& waiter : instance.waiters) {
                compare(waiter.agent);
                if (of_ring) {
                    visit_phase(waiter.phase, index);
                } else {
                    counter(waiter.phase, instance.completed);
                }
            }
            if (of_ring) {
                visit_phase(instance.completed, index);
            } else {
                moved(instance.completed);
            }
        }
    }

    void visit(Agent& agent) {
        compare(static_cast<std::int64_t>(agent.state));
        compare(agent.pc);
        compare(agent.batch);
        instant(agent.ready);
        compare(agent.ready_cause);
        // Its op_cause decides nothing: it is set anew before anything reads it.
        visit_blockage(agent);
        exact(agent.smem_accesses);
        visit_loops(agent);
        visit_counters(agent);
        for (ClassState& state : agent.classes) {
            visit(state);
        }
        stamp(agent.op_start);
        // Of an operation that is over, nobody asks when its batches issued.
        const bool under_way = agent.issue != nullptr && agent.batch < agent.issue->batches;
        for (int i = 0; under_way && i < agent.batch; ++i) {
            clock(agent.batch_issue[static_cast<std::size_t>(i)]);
        }
        books(agent.account);
    }

    void visit_blockage(Agent& agent) {
        if (agent.state == AgentState::at_barrier) {
            const int instance = static_cast<int>(agent.blocked_on);
            if (ring_of(instance) >= 0) {
                visit_phase(agent.blocked_until, instance);
            } else {
                counter(agent.blocked_until, s_.barriers_.at(instance).completed);
            }
            visit_instance(agent.blocked_on);
        } else if (agent.state == AgentState::at_drain) {
            compare(agent.blocked_on);
            counter(agent.blocked_until,
                    agent.classes[static_cast<std::size_t>(agent.blocked_on)].issued);
        } else {
            compare(agent.state == AgentState::at_tensor ? agent.blocked_on : -1);
        }
    }

    void visit_loops(Agent& agent) {
        const std::int64_t anchor_tile = s_.agents_[static_cast<std::size_t>(s_.anchor_)].tile;
        compare(static_cast<std::int64_t>(agent.loops.size()));
        for (LoopFrame& frame : agent.loops) {
            compare(frame.begin);
            const LoopTraits& traits = s_.traits_of(agent, frame);
            if (traits.scales) {
                v_.loop_index(frame.index, traits.period);
            } else {
                compare(frame.index - (traits.over_tiles ? anchor_tile : 0));
                compare(traits.over_tiles ? 0 : frame.count);  // of tiles there are as many always
            }
        }
        compare(agent.tile - anchor_tile);
    }

    void visit_counters(Agent& agent) {
        const RoleUses& uses = s_.uses_[static_cast<std::size_t>(agent.role)];
        const std::size_t rings = uses.takes.size();
        const std::size_t first = static_cast<std::size_t>(agent.cluster) * rings;
        for (std::size_t ring = 0; ring < rings; ++ring) {
            if (uses.takes[ring]) {
                counter(agent.ring_uses[ring], base_[first + ring]);
            }
        }
        for (std::size_t h = 0; h < agent.handles.size(); ++h) {
            if (uses.handle_ring[h] < 0) {
                continue;
            }
            // A slot taken long ago and kept decides nothing inside the loop.
            const auto ring = static_cast<std::size_t>(uses.handle_ring[h]);
            const std::int64_t age = agent.handles[h] - base_[first + ring];
            compare(std::max<std::int64_t>(age, -8 * s_.plan_.rings[ring].stages));
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
            compare(static_cast<std::int64_t>(commit.at));
            visit_instance(commit.instance);
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
        visit_instance(flight.signal);
        compare(flight.cause);
        compare(flight.stage);
        exact(flight.quanta_left);
        exact(flight.quanta_pending);
        if (flight.stage == 1) {
            clock(flight.started);
        } else {
            stamp(flight.started);
        }
        moved(flight.sequence);
        stamp(flight.requested);
        stamp(flight.ended);
        moved(flight.iteration);
    }

    void visit_simple(std::vector<Tick>& free, std::vector<Account>& accounts) {
        for (Tick& time : free) {
            instant(time);
        }
        for (Account& account : accounts) {
            books(account);
        }
    }

    void visit_events() {
        compare(static_cast<std::int64_t>(s_.queue_.size()));
        s_.queue_.for_each_in_order([this](Event& event) { visit(event); });
    }

    void visit(Event& event) {
        instant(event.time);
        compare(static_cast<std::int64_t>(event.kind));
        switch (event.kind) {
            case EventKind::launch:
            case EventKind::complete:
            case EventKind::copy_step:
            case EventKind::peer_write:
            case EventKind::memory_write:
                in_flight(event.a);
                compare(event.b);
                break;
            case EventKind::port_ideal:
                compare(event.b);
                requester(static_cast<PortRequester::Kind>(event.b), event.a);
                break;
            case EventKind::port_run_end:
                compare(event.a);
                compare(event.b == s_.smem_[static_cast<std::size_t>(event.a)].version() ? 1 : 0);
                break;
            case EventKind::arrive:
                visit_instance(event.a);
                compare(event.b);
                break;
            case EventKind::tensor_due:
            case EventKind::tensor_start:
                compare(event.a);
                compare(event.b);
                break;
        }
    }

    Simulation& s_;
    Visitor& v_;
    std::vector<std::int64_t> base_;   ///< uses of each ring, cluster by cluster
    std::vector<std::int64_t> ahead_;  ///< uses that a mover adds to it
};

}  // namespace warpline
