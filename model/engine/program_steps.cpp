// How a warp walks its program: control flow costs nothing, everything else asks its sub-partition
// for slots (issue_steps.cpp).
#include "warpline/engine/issue_requests.hpp"
#include "warpline/engine/simulation.hpp"

#include <algorithm>

namespace warpline {

void Simulation::advance(int index) {
    Agent& agent = agents_[static_cast<std::size_t>(index)];
    const auto size = static_cast<int>(role_of(agent).program.size());
    while (agent.pc < size) {
        if (step_control(agent, index)) {
            continue;
        }
        const CompiledOp& op = compiled_op(agent);
        if (op.issue >= 0) {
            const CompiledIssue& issue = compiled_.issues[static_cast<std::size_t>(op.issue)];
            if (issue.batches == 0) {
                ++agent.pc;
                continue;
            }
            agent.issue = &issue;
            agent.batch = 0;
            if (agent.batch_issue.size() < static_cast<std::size_t>(issue.batches)) {
                agent.batch_issue.resize(static_cast<std::size_t>(issue.batches), 0);
            }
            request_batch(agent, port_of(agent), next_request(agent, *steps_of(agent)));
        } else {
            agent.issue = nullptr;
            const Batch& batch = compiled_.batches[static_cast<std::size_t>(op.single)];
            request_batch(agent, port_of(agent), {&batch, agent.ready, agent.ready_cause});
        }
        return;
    }
    finish_agent(agent);
}

/// Executes the operation at pc if it is control flow; returns whether it was.
bool Simulation::step_control(Agent& agent, int index) {
    const OpBody& body = op_of(agent).body;
    if (const auto* loop = std::get_if<LoopBegin>(&body)) {
        enter_loop(agent, *loop);
    } else if (const auto* end = std::get_if<LoopEnd>(&body)) {
        leave_iteration(agent, index, *end);
    } else if (const auto* skip = std::get_if<SkipUnless>(&body)) {
        const bool inside = !agent.loops.empty();
        const std::int64_t i = inside ? agent.loops.back().index : 0;
        const std::int64_t n = inside ? agent.loops.back().count : 1;
        if (notes_choices(agent)) {
            same_start_.asked(skip->predicate, inside ? &loop_of(agent) : nullptr, i, n,
                              tile_of(agent));
        }
        agent.pc = holds(skip->predicate, i, n, tile_of(agent)) ? agent.pc + 1 : skip->target;
    } else if (const auto* jump = std::get_if<Jump>(&body)) {
        agent.pc = jump->target;
    } else if (const auto* take = std::get_if<TakeOp>(&body)) {
        agent.handles[static_cast<std::size_t>(take->handle)] =
            agent.ring_uses[static_cast<std::size_t>(take->ring)]++;
        ++agent.pc;
    } else {
        return false;
    }
    return true;
}

TileClass Simulation::tile_of(const Agent& agent) const {
    return agent.tile_run < tiles_.size() ? tiles_[agent.tile_run].tile : TileClass{};
}

std::int64_t Simulation::trips_of(const Agent& agent, const LoopBegin& loop) const {
    return loop.over == LoopBegin::Over::tiles
               ? total_tiles_
               : std::max<std::int64_t>(0, loop.count.at(tile_of(agent)));
}

void Simulation::enter_loop(Agent& agent, const LoopBegin& loop) {
    const bool tiles = loop.over == LoopBegin::Over::tiles;
    const std::int64_t count = trips_of(agent, loop);
    if (notes_choices(agent)) {
        same_start_.goes_on(loop, 0, tile_of(agent), count > 0);
    }
    if (tiles) {
        agent.tile_run = 0;
        agent.tile_in_run = agent.tile = 0;
        while (agent.tile_run < tiles_.size() && tiles_[agent.tile_run].count <= 0) {
            ++agent.tile_run;
        }
    }
    if (count == 0) {
        agent.pc = loop.end + 1;
        return;
    }
    agent.loops.push_back({agent.pc, 0, count});
    ++agent.pc;
}

void Simulation::leave_iteration(Agent& agent, int index, const LoopEnd& end) {
    LoopFrame& frame = agent.loops.back();
    const Op& begin = role_of(agent).program[static_cast<std::size_t>(end.begin)];
    const auto& loop = std::get<LoopBegin>(begin.body);
    if (notes_choices(agent)) {
        same_start_.goes_on(loop, frame.index + 1, tile_of(agent), frame.index + 1 < frame.count);
    }
    if (loop.over == LoopBegin::Over::tiles) {
        if (agent.tile < static_cast<std::int64_t>(out_.tile_ends.size())) {
            Tick& at = out_.tile_ends[static_cast<std::size_t>(agent.tile)];
            at = std::max(at, agent.ready);
        }
        ++agent.tile;
        if (++agent.tile_in_run == tiles_[agent.tile_run].count) {
            agent.tile_in_run = 0;
            do {
                ++agent.tile_run;
            } while (agent.tile_run < tiles_.size() && tiles_[agent.tile_run].count <= 0);
        }
    } else if (index == anchor_ && compiled_
                                       .loops[static_cast<std::size_t>(
                                           compiled_.roles[static_cast<std::size_t>(agent.role)]
                                               .ops[static_cast<std::size_t>(end.begin)]
                                               .loop)]
                                       .scales) {
        anchor_passed_ = true;
    }
    if (++frame.index < frame.count) {
        agent.pc = end.begin + 1;
    } else {
        agent.loops.pop_back();
        ++agent.pc;
    }
}

void Simulation::finish_agent(Agent& agent) {
    agent.state = AgentState::finished;
    agent.account.charge(agent.ready, agent.ready_cause);
    touch(agent.account.until);
    --unfinished_;
    if (unfinished_ == 0 || anchor_ < 0) {
        return;
    }
    // CTAs of one SM may go on at different paces: who is left finds a steady state of its own.
    const bool others = std::any_of(agents_.begin(), agents_.end(), [&](const Agent& other) {
        return other.cluster == agent.cluster && other.state != AgentState::finished;
    });
    if (!others) {
        choose_anchor();
        steady_.restart();
    }
}

void Simulation::warp_access_done(int index, Tick now) {
    Agent& agent = agents_[static_cast<std::size_t>(index)];
    --agent.smem_accesses;
    if (agent.state == AgentState::at_smem && agent.smem_accesses == 0) {
        const bool late = now > agent.ready;
        next_op(agent, index, std::max(now, agent.ready),
                late ? causes_.unit(Unit::smem) : agent.ready_cause);
    }
}

void Simulation::next_op(Agent& agent, int index, Tick ready, int cause) {
    agent.ready = ready;
    agent.ready_cause = cause;
    ++agent.pc;
    advance(index);
}

void Simulation::record(const Agent& agent, ScheduleEvent::Kind kind, Tick start, Tick end,
                        int cause) {
    if (!options_.record_events) {
        return;
    }
    ScheduleEvent event;
    event.kind = kind;
    event.usage = static_cast<int>(&agent - agents_.data());
    event.op = agent.pc;
    event.tile = agent.tile;
    event.iteration = agent.loops.empty() ? -1 : agent.loops.back().index;
    event.start = event.requested = start;
    event.end = event.completed = end;
    event.cause = causes_.cause(cause);
    out_.events.push_back(event);
}

}  // namespace warpline
