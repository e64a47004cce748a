#include "warpline/recurrence/untimed_run.hpp"

#include "warpline/recurrence/agent_state.hpp"
#include "warpline/recurrence/agents.hpp"
#include "warpline/recurrence/barrier_bank.hpp"
#include "warpline/recurrence/stuck_report.hpp"
#include "warpline/roofline/steady_shape.hpp"

#include <algorithm>
#include <utility>

namespace warpline {
namespace {

constexpr std::int64_t most_operations = 4'000'000;
/// Instructions whose times are looked up rather than found again: looking is to stay cheap.
constexpr std::size_t most_remembered = 64;

class Run {
  public:
    Run(const KernelPlan& plan, const MemoryEnvironment& memory, const TileClass& tile)
        : plan_(plan),
          tile_(tile),
          agents_(agents_of(plan)),
          addressing_(plan),
          bank_(plan, most_agents_of_a_role()) {
        for (const Role& role : plan.roles) {
            std::vector<LeastTimes>& times = times_.emplace_back();
            times.reserve(role.program.size());
            for (const Op& op : role.program) {
                times.push_back(times_of_op(op, memory));
            }
        }
        for (AgentTrace& agent : agents_) {
            constexpr std::size_t usual_rounds = 16;
            constexpr std::size_t usual_events = 4096;
            const Role& role = role_of(agent);
            const std::size_t room = std::min(usual_rounds * role.program.size(), usual_events);
            agent.events.reserve(room);
            agent.edges.reserve(room);
            UntimedAgent& state = states_.emplace_back();
            state.handles.assign(static_cast<std::size_t>(role.handles), 0);
            state.ring_next.assign(plan.rings.size(), 0);
            state.waits.assign(addressing_.wait_counters(), 0);
            state.classes.resize(role.classes.size());
            state.last_served.fill(-1);
            state.block_loop = block_loop(role.program);
        }
    }

    Result<std::vector<AgentTrace>> run() && {
        for (int agent = static_cast<int>(agents_.size()) - 1; agent >= 0; --agent) {
            ready_.push_back(agent);
        }
        while (!ready_.empty()) {
            const int agent = ready_.back();
            ready_.pop_back();
            advance(agent);
            if (operations_ > most_operations) {
                return fail(FailureKind::infeasible,
                            "the loop is too long to analyse: more than 4 million operations");
            }
        }
        std::vector<StuckAgent> stuck;
        for (std::size_t a = 0; a < agents_.size(); ++a) {
            if (!states_[a].finished) {
                stuck.push_back(describe_wait(a));
            }
        }
        if (!stuck.empty()) {
            return stuck_failure(plan_, agents_, stuck);
        }
        return std::move(agents_);
    }

  private:
    /// Copies of a role, and its unrolled statements, issue the same instructions again and again.
    [[nodiscard]] LeastTimes times_of_op(const Op& op, const MemoryEnvironment& memory) {
        const auto* const issue = std::get_if<IssueOp>(&op.body);
        if (issue == nullptr) {
            return least_times(plan_, op, memory);
        }
        const auto same_part = [](const IssuePart& one, const IssuePart& other) {
            return one.instruction == other.instruction && one.count == other.count &&
                   one.chains == other.chains;
        };
        const auto known = std::find_if(issued_.begin(), issued_.end(), [&](const auto& before) {
            return before.first->results_needed == issue->results_needed &&
                   std::equal(before.first->parts.begin(), before.first->parts.end(),
                              issue->parts.begin(), issue->parts.end(), same_part);
        });
        if (known != issued_.end()) {
            return known->second;
        }
        const LeastTimes times = least_times(plan_, op, memory);
        if (issued_.size() < most_remembered) {
            issued_.emplace_back(issue, times);
        }
        return times;
    }

    [[nodiscard]] const Role& role_of(const AgentTrace& agent) const {
        return plan_.roles[static_cast<std::size_t>(agent.role)];
    }

    [[nodiscard]] int most_agents_of_a_role() const {
        int most = 1;
        for (const AgentTrace& agent : agents_) {
            most = std::max(most, agent.warp / agent.multiplicity + 1);
        }
        return most;
    }

    // --- control flow

    void advance(int agent) {
        UntimedAgent& state = states_[static_cast<std::size_t>(agent)];
        const Program& program = role_of(agents_[static_cast<std::size_t>(agent)]).program;
        const int size = static_cast<int>(program.size());
        while (state.pc < size) {
            if (++operations_ > most_operations) {
                return;
            }
            const OpBody& body = program[static_cast<std::size_t>(state.pc)].body;
            if (const auto* loop = std::get_if<LoopBegin>(&body)) {
                enter(agent, state, *loop);
            } else if (const auto* end = std::get_if<LoopEnd>(&body)) {
                repeat(agent, state, *end);
            } else if (const auto* skip = std::get_if<SkipUnless>(&body)) {
                const bool inside = !state.loops.empty();
                const bool here = holds(skip->predicate, inside ? state.loops.back().index : 0,
                                        inside ? state.loops.back().trips : 1, tile_);
                state.pc = here ? state.pc + 1 : skip->target;
            } else if (const auto* jump = std::get_if<Jump>(&body)) {
                state.pc = jump->target;
            } else if (const auto* take = std::get_if<TakeOp>(&body)) {
                state.handles[static_cast<std::size_t>(take->handle)] =
                    state.ring_next[static_cast<std::size_t>(take->ring)]++;
                ++state.pc;
            } else if (!execute(agent, state, body)) {
                return;
            } else {
                ++state.pc;
            }
        }
        state.finished = true;
    }

    void enter(int agent, UntimedAgent& state, const LoopBegin& loop) {
        const std::int64_t trips = loop.over == LoopBegin::Over::tiles ? 1 : loop.count.at(tile_);
        if (trips <= 0) {
            state.pc = loop.end + 1;
            return;
        }
        state.loops.push_back({state.pc, 0, trips});
        if (state.pc == state.block_loop) {
            begin_iteration(agent, state, 0);
        }
        ++state.pc;
    }

    void repeat(int agent, UntimedAgent& state, const LoopEnd& end) {
        OpenLoop& loop = state.loops.back();
        const bool over_blocks = loop.begin == state.block_loop;
        if (++loop.index < loop.trips) {
            if (over_blocks) {
                begin_iteration(agent, state, loop.index);
            }
            state.pc = end.begin + 1;
            return;
        }
        state.loops.pop_back();
        if (over_blocks) {
            begin_iteration(agent, state, UntimedEvent::after_loop);
        }
        ++state.pc;
    }

    void begin_iteration(int agent, UntimedAgent& state, std::int64_t iteration) {
        AgentTrace& trace = agents_[static_cast<std::size_t>(agent)];
        trace.iteration_begin.push_back(static_cast<int>(trace.events.size()));
        state.iteration = iteration;
    }

    // --- events

    /// The next event in program order, `extra` ticks after the operation before has let go.
    int begin_event(int agent, UntimedAgent& state, Tick extra = 0) {
        AgentTrace& trace = agents_[static_cast<std::size_t>(agent)];
        if (state.previous >= 0) {
            trace.edges.push_back({agent, state.previous, state.previous_duration + extra, {}});
        }
        const int event = static_cast<int>(trace.events.size());
        trace.events.push_back({state.pc, false, state.iteration, trace.edges.size()});
        state.previous = event;
        state.previous_duration = 0;
        return event;
    }

    void depend(AgentTrace& trace, const IncomingEdge& edge) {
        trace.edges.push_back(edge);
        trace.events.back().edges_end = trace.edges.size();
    }

    /// False when the agent has to wait.
    bool execute(int agent, UntimedAgent& state, const OpBody& body) {
        const auto role = static_cast<std::size_t>(agents_[static_cast<std::size_t>(agent)].role);
        const LeastTimes& times = times_[role][static_cast<std::size_t>(state.pc)];
        if (const auto* wait = std::get_if<WaitOp>(&body)) {
            return execute_wait(agent, state, *wait, times);
        }
        const int event = begin_event(agent, state, times.before);
        state.previous_duration = times.duration;
        if (const auto* async = std::get_if<AsyncOp>(&body)) {
            execute_async(agent, state, *async, times, event);
        } else if (const auto* commit = std::get_if<CommitOp>(&body)) {
            execute_commit(agent, state, *commit, event);
        } else if (const auto* drain = std::get_if<DrainOp>(&body)) {
            execute_drain(agent, state, *drain);
        } else if (const auto* arrive = std::get_if<ArriveOp>(&body)) {
            const Barrier& barrier = plan_.barriers[static_cast<std::size_t>(arrive->on.barrier)];
            const Tick latency =
                barrier.kind == BarrierKind::named ? 0 : plan_.machine.sync.mbarrier_arrive;
            signal(agent, state, arrive->on, arrive->at, {agent, event, latency, {}},
                   arrive->count);
        }
        return true;
    }

    bool execute_wait(int agent, UntimedAgent& state, const WaitOp& wait, const LeastTimes& times) {
        const std::int64_t phase = addressing_.awaited_phase(state, wait.on);
        const AgentTrace& self = agents_[static_cast<std::size_t>(agent)];
        const std::size_t instance = bank_.index(place(self, state, wait.on, self.sm));
        if (!bank_.complete(instance, phase)) {
            bank_.add_waiter(instance, agent);
            return false;
        }
        if (wait.on.handle < 0) {
            ++state.waits[addressing_.wait_counter(wait.on)];
        }
        begin_event(agent, state, times.before);
        AgentTrace& trace = agents_[static_cast<std::size_t>(agent)];
        for (auto source = bank_.sources_begin(instance, phase);
             source != bank_.sources_end(instance, phase); ++source) {
            depend(trace, {source->agent,
                           source->event,
                           source->weight + times.wake,
                           {Dependence::Kind::barrier, wait.on.barrier}});
        }
        return true;
    }

    void execute_async(int agent, UntimedAgent& state, const AsyncOp& async,
                       const LeastTimes& times, int issued) {
        AgentTrace& trace = agents_[static_cast<std::size_t>(agent)];
        const int unit = static_cast<int>(times.unit);
        trace.edges.push_back({agent, issued, times.service, {Dependence::Kind::service, unit}});
        const int served = static_cast<int>(trace.events.size());
        trace.events.push_back({state.pc, true, state.iteration, trace.edges.size()});
        if (times.occupancy > 0) {
            int& last = state.last_served[static_cast<std::size_t>(unit)];
            if (last >= 0) {
                // Operands of an MMA's first step may be fetched during the step before it.
                const LeastTimes& before = times_of(trace, last);
                const Tick step = std::max(times.occupancy, times.operands - before.step);
                depend(trace, {agent, last, step, {Dependence::Kind::order, unit}});
            }
            last = served;
        }
        state.classes[static_cast<std::size_t>(async.op_class)].operations.push_back(served);
        if (async.signals) {
            signal(agent, state, *async.signals, async.at, {agent, served, times.after, {}}, 1);
        }
    }

    void execute_commit(int agent, UntimedAgent& state, const CommitOp& commit, int event) {
        UntimedClass& of_class = state.classes[static_cast<std::size_t>(commit.op_class)];
        const std::size_t group_begin = of_class.groups.empty() ? 0 : of_class.groups.back();
        of_class.groups.push_back(of_class.operations.size());
        if (!commit.on) {
            return;
        }
        // One arrival, after every operation of the group and the commit itself.
        const AgentTrace& trace = agents_[static_cast<std::size_t>(agent)];
        for (std::size_t i = group_begin; i < of_class.operations.size(); ++i) {
            const int served = of_class.operations[i];
            signal(agent, state, *commit.on, commit.at,
                   {agent, served, times_of(trace, served).after, {}}, 0);
        }
        signal(agent, state, *commit.on, commit.at, {agent, event, 0, {}}, 1);
    }

    void execute_drain(int agent, UntimedAgent& state, const DrainOp& drain) {
        UntimedClass& of_class = state.classes[static_cast<std::size_t>(drain.op_class)];
        std::size_t until = of_class.operations.size();
        if (drain.leave > 0) {
            const auto closed = static_cast<std::int64_t>(of_class.groups.size());
            if (closed <= drain.leave) {
                return;
            }
            until = of_class.groups[static_cast<std::size_t>(closed - drain.leave - 1)];
        }
        AgentTrace& trace = agents_[static_cast<std::size_t>(agent)];
        for (; of_class.drained < until; ++of_class.drained) {
            const int served = of_class.operations[of_class.drained];
            const LeastTimes& times = times_of(trace, served);
            depend(trace, {agent,
                           served,
                           times.after,
                           {Dependence::Kind::drain, static_cast<int>(times.unit)}});
        }
    }

    [[nodiscard]] const LeastTimes& times_of(const AgentTrace& trace, int event) const {
        const int op = trace.events[static_cast<std::size_t>(event)].op;
        return times_[static_cast<std::size_t>(trace.role)][static_cast<std::size_t>(op)];
    }

    // --- barriers

    [[nodiscard]] BarrierPlace place(const AgentTrace& agent, const UntimedAgent& state,
                                     const BarrierRef& ref, int sm) const {
        return {sm, ref, addressing_.stage(state, ref), agent.warp / agent.multiplicity};
    }

    void signal(int agent, const UntimedAgent& state, const BarrierRef& ref, At at,
                const IncomingEdge& source, std::int64_t count) {
        const AgentTrace& self = agents_[static_cast<std::size_t>(agent)];
        const Barrier& barrier = plan_.barriers[static_cast<std::size_t>(ref.barrier)];
        // Each of the warps that an agent stands for has its own instance of a warp's barrier.
        const std::int64_t warps = barrier.scope == BarrierScope::warp ? 1 : self.multiplicity;
        for (int sm = 0; sm < plan_.cluster; ++sm) {
            if (!meant(at, self.sm, sm, plan_.cluster)) {
                continue;
            }
            IncomingEdge edge = source;
            if (sm != self.sm) {
                edge.weight += plan_.machine.sync.remote_arrive;
            }
            const std::size_t instance = bank_.index(place(self, state, ref, sm));
            if (bank_.arrive(instance, edge, count * warps)) {
                bank_.move_waiters(instance, ready_);
            }
        }
    }

    [[nodiscard]] StuckAgent describe_wait(std::size_t agent) const {
        const UntimedAgent& state = states_[agent];
        const AgentTrace& self = agents_[agent];
        const auto& wait =
            std::get<WaitOp>(role_of(self).program[static_cast<std::size_t>(state.pc)].body);
        const std::size_t instance = bank_.index(place(self, state, wait.on, self.sm));
        return {static_cast<int>(agent),
                state.pc,
                wait.on,
                addressing_.awaited_phase(state, wait.on),
                bank_.current_phase(instance),
                bank_.arrived(instance),
                bank_.needed(instance)};
    }

    const KernelPlan& plan_;
    TileClass tile_;
    std::vector<AgentTrace> agents_;
    BarrierAddressing addressing_;
    BarrierBank bank_;
    std::vector<UntimedAgent> states_;
    std::vector<std::vector<LeastTimes>> times_;                 ///< by role and operation
    std::vector<std::pair<const IssueOp*, LeastTimes>> issued_;  ///< the first that differ
    std::vector<int> ready_;
    std::int64_t operations_ = 0;
};

}  // namespace

Result<std::vector<AgentTrace>> run_untimed(const KernelPlan& plan, const MemoryEnvironment& memory,
                                            std::int64_t blocks) {
    const TileClass tile{blocks, std::min<std::int64_t>(blocks, 1), 0};
    return Run(plan, memory, tile).run();
}

}  // namespace warpline
