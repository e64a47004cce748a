// Warps and their programs in the reference simulator.
#include "reference_run.hpp"

#include <algorithm>

namespace warpline::test {

namespace {

constexpr Tick clk = ticks_per_cycle;

std::size_t ix(std::int64_t value) {
    return static_cast<std::size_t>(value);
}

/// The order of a woven operation: always the instruction whose position (n + 1/2) / count is
/// least.
std::vector<RefInstruction> expand(const IssueOp& op, const KernelPlan& plan) {
    std::vector<std::int64_t> issued(op.parts.size(), 0);
    std::vector<std::vector<int>> places(op.parts.size());
    std::vector<RefInstruction> out;
    while (true) {
        int best = -1;
        for (std::size_t p = 0; p < op.parts.size(); ++p) {
            if (issued[p] == op.parts[p].count) {
                continue;
            }
            if (best < 0 || (2 * issued[p] + 1) * op.parts[ix(best)].count <
                                (2 * issued[ix(best)] + 1) * op.parts[p].count) {
                best = static_cast<int>(p);
            }
        }
        if (best < 0) {
            return out;
        }
        const IssuePart& part = op.parts[ix(best)];
        const std::int64_t n = issued[ix(best)]++;
        RefInstruction made;
        made.kind = &plan.instructions[ix(part.instruction)];
        made.slots = made.kind->issue_slots * clk;
        if (part.chains > 0 && n >= part.chains) {
            made.producer = places[ix(best)][ix(n - part.chains)];
        }
        places[ix(best)].push_back(static_cast<int>(out.size()));
        out.push_back(made);
    }
}

}  // namespace

ReferenceRun::ReferenceRun(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                           const MemoryEnvironment& memory, const std::vector<Tick>& role_offsets)
    : plan_(plan), memory_(memory) {
    for (const TileRun& run : tiles) {
        tiles_.insert(tiles_.end(), ix(run.count), run.tile);
    }
    result_.tile_ends.assign(tiles_.size(), 0);
    const int slices = plan.machine.sub_partitions;
    int cta_warps = 0;
    for (const Role& role : plan.roles) {
        cta_warps = std::max(cta_warps, role.first_warp + role.warps);
    }
    for (int cluster = 0; cluster < plan.ctas_per_sm; ++cluster) {
        for (int cta = 0; cta < plan.cluster; ++cta) {
            for (std::size_t r = 0; r < plan.roles.size(); ++r) {
                const Role& role = plan.roles[r];
                for (int i = 0; i < role.warps && !(role.leader_only && cta > 0); ++i) {
                    RefWarp warp;
                    warp.role = &role;
                    warp.cluster = cluster;
                    warp.cta = cta;
                    warp.index = i;
                    warp.sub_partition = cta * slices + (role.first_warp + i) % slices;
                    warp.order = cluster * cta_warps + role.first_warp + i;
                    warp.ready = r < role_offsets.size() ? role_offsets[r] : 0;
                    warp.handles.assign(ix(role.handles), 0);
                    warp.ring_uses.assign(plan.rings.size(), 0);
                    warp.classes.resize(role.classes.size());
                    warp.commits.resize(role.classes.size());
                    warps_.push_back(std::move(warp));
                }
            }
        }
    }
    const auto sms = ix(plan.cluster);
    pipes_.resize(sms * ix(slices));
    tmem_.resize(2 * sms * ix(slices));
    tma_.resize(sms);
    memory_line_.resize(sms);
    ports_.assign(sms, ReferencePort(plan.machine.smem_quantum));
    tensors_.resize(plan.machine.tensor_scope == UnitScope::sm ? sms : sms * ix(slices));
    tensor_joined_.assign(tensors_.size(), -1);
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
        tensors_[t].on_begin = [this, t] { admit_one(static_cast<int>(t)); };
    }
}

ReferenceResult ReferenceRun::run() {
    do {
        do {
            clock_.begin_pass();
        } while (pass());
    } while (clock_.advance());
    result_.stuck = std::any_of(warps_.begin(), warps_.end(), [](const RefWarp& warp) {
        return warp.state != RefWarp::State::done;
    });
    return result_;
}

/// One thing that can happen now, if there is any; warps issue only when nothing else can happen.
bool ReferenceRun::pass() {
    for (std::size_t i = 0; i < timers_.size(); ++i) {
        if (clock_.reached(timers_[i].time)) {
            const auto action = timers_[i].action;
            timers_.erase(timers_.begin() + static_cast<std::ptrdiff_t>(i));
            action();
            return true;
        }
    }
    for (std::size_t i = 0; i < awaited_.size(); ++i) {
        const auto& requests = awaited_[i].requests;
        if (std::all_of(requests.begin(), requests.end(),
                        [](const auto& r) { return r->served; })) {
            const auto action = awaited_[i].action;
            awaited_.erase(awaited_.begin() + static_cast<std::ptrdiff_t>(i));
            touch(clock_.now());
            action();
            return true;
        }
    }
    for (ReferencePort& port : ports_) {
        if (port.step(clock_)) {
            return true;
        }
    }
    for (ReferenceTensor& tensor : tensors_) {
        if (tensor.step(clock_)) {
            return true;
        }
    }
    for (RefWarp& warp : warps_) {
        if (step_warp(warp)) {
            return true;
        }
    }
    for (std::size_t i = 0; i < pipes_.size(); ++i) {
        if (issue_one(static_cast<int>(i))) {
            return true;
        }
    }
    return false;
}

bool ReferenceRun::step_warp(RefWarp& warp) {
    switch (warp.state) {
        case RefWarp::State::walking:
            return walk(warp);
        case RefWarp::State::at_barrier: {
            if (phases(warp.instance).completed <= warp.phase) {
                return false;
            }
            const Barrier& barrier = plan_.barriers[ix(std::get<1>(warp.instance))];
            const SyncTimings& sync = plan_.machine.sync;
            const Tick wake =
                barrier.kind == BarrierKind::named ? sync.named_barrier : sync.mbarrier_wait;
            warp.ready = std::max(warp.ready, clock_.now() + wake);
            next_operation(warp);
            return true;
        }
        case RefWarp::State::at_drain: {
            const auto& op = std::get<DrainOp>(warp.role->program[ix(warp.pc)].body);
            const auto& operations = warp.classes[ix(op.op_class)];
            if (!std::all_of(operations.begin(),
                             operations.begin() + static_cast<std::ptrdiff_t>(warp.drain_to),
                             [](const auto& async) { return async->retired; })) {
                return false;
            }
            warp.ready = std::max(warp.ready, clock_.now());
            next_operation(warp);
            return true;
        }
        case RefWarp::State::at_smem:
            if (!std::all_of(warp.accesses.begin(), warp.accesses.end(),
                             [](const auto& request) { return request->served; })) {
                return false;
            }
            warp.ready = std::max(warp.ready, clock_.now());
            warp.accesses.clear();
            next_operation(warp);
            return true;
        case RefWarp::State::issuing:
        case RefWarp::State::at_tensor:
        case RefWarp::State::done:
            return false;
    }
    return false;
}

TileClass ReferenceRun::tile_of(const RefWarp& warp) const {
    return ix(warp.tile) < tiles_.size() ? tiles_[ix(warp.tile)] : TileClass{};
}

/// Control flow until the next operation that takes time.
bool ReferenceRun::walk(RefWarp& warp) {
    const Program& program = warp.role->program;
    while (ix(warp.pc) < program.size()) {
        const OpBody& body = program[ix(warp.pc)].body;
        if (const auto* loop = std::get_if<LoopBegin>(&body)) {
            const bool over_tiles = loop->over == LoopBegin::Over::tiles;
            const std::int64_t count = over_tiles ? static_cast<std::int64_t>(tiles_.size())
                                                  : loop->count.at(tile_of(warp));
            if (count <= 0) {
                warp.pc = loop->end + 1;
                continue;
            }
            warp.loops.push_back({warp.pc, 0, count});
            ++warp.pc;
        } else if (const auto* end = std::get_if<LoopEnd>(&body)) {
            if (std::get<LoopBegin>(program[ix(end->begin)].body).over == LoopBegin::Over::tiles) {
                Tick& finished = result_.tile_ends[ix(warp.tile++)];
                finished = std::max(finished, warp.ready);
            }
            const bool again = ++warp.loops.back().index < warp.loops.back().count;
            warp.pc = again ? end->begin + 1 : warp.pc + 1;
            if (!again) {
                warp.loops.pop_back();
            }
        } else if (const auto* skip = std::get_if<SkipUnless>(&body)) {
            const RefLoop inner = warp.loops.empty() ? RefLoop{0, 0, 1} : warp.loops.back();
            const bool go = holds(skip->predicate, inner.index, inner.count, tile_of(warp));
            warp.pc = go ? warp.pc + 1 : skip->target;
        } else if (const auto* jump = std::get_if<Jump>(&body)) {
            warp.pc = jump->target;
        } else if (const auto* take = std::get_if<TakeOp>(&body)) {
            warp.handles[ix(take->handle)] = warp.ring_uses[ix(take->ring)]++;
            ++warp.pc;
        } else {
            prepare(warp);
            return true;
        }
    }
    warp.state = RefWarp::State::done;
    touch(warp.ready);
    return true;
}

void ReferenceRun::prepare(RefWarp& warp) {
    warp.state = RefWarp::State::issuing;
    warp.next = 0;
    const OpBody& body = warp.role->program[ix(warp.pc)].body;
    if (const auto* issue = std::get_if<IssueOp>(&body)) {
        warp.instructions = expand(*issue, plan_);
        if (warp.instructions.empty()) {
            next_operation(warp);
        }
        return;
    }
    RefInstruction single;
    std::int64_t slots = 1;
    if (const auto* async = std::get_if<AsyncOp>(&body)) {
        if (const auto* mma = std::get_if<MmaOp>(&async->work)) {
            slots = mma->steps * mma->issue_slots;
        } else if (const auto* tmem = std::get_if<TmemOp>(&async->work)) {
            slots = tmem->instructions;
        } else {
            const auto& copy = std::get<CopyOp>(async->work);
            slots = copy.instructions;
            if (copy.engine == CopyEngine::lsu) {
                single.lsu = copy.instructions * plan_.machine.lsu_global_interval;
            }
        }
    }
    single.slots = slots * clk;
    warp.instructions = {single};
}

void ReferenceRun::next_operation(RefWarp& warp) {
    ++warp.pc;
    warp.state = RefWarp::State::walking;
}

bool ReferenceRun::may_issue(const RefWarp& warp, const Pipe& pipe) {
    if (warp.state != RefWarp::State::issuing) {
        return false;
    }
    const RefInstruction& instruction = warp.instructions[warp.next];
    bool may = clock_.reached(warp.ready);
    may = clock_.reached(pipe.issue_free) && may;
    const auto unit_free = [&](Unit unit) {
        const auto found = pipe.unit_free.find(unit);
        return found == pipe.unit_free.end() || clock_.reached(found->second);
    };
    if (instruction.kind != nullptr) {
        may = unit_free(instruction.kind->unit) && may;
    }
    if (instruction.lsu > 0) {
        may = unit_free(Unit::lsu) && may;
    }
    if (instruction.producer >= 0) {
        const RefInstruction& producer = warp.instructions[ix(instruction.producer)];
        may = clock_.reached(producer.issued + producer.kind->latency) && may;
    }
    return may;
}

bool ReferenceRun::issue_one(int sub_partition) {
    Pipe& pipe = pipes_[ix(sub_partition)];
    RefWarp* chosen = nullptr;
    const auto better = [&](const RefWarp& x, const RefWarp& y) {
        switch (plan_.machine.arbitration) {
            case Arbitration::greedy_then_oldest:
                if (x.order == pipe.last || y.order == pipe.last) {
                    return x.order == pipe.last;
                }
                return x.order < y.order;
            case Arbitration::round_robin:
                if ((x.order > pipe.last) != (y.order > pipe.last)) {
                    return x.order > pipe.last;
                }
                return x.order < y.order;
            case Arbitration::oldest_request: {
                const auto since = [](const RefWarp& w) {
                    const RefInstruction& i = w.instructions[w.next];
                    const Tick result = i.producer < 0
                                            ? 0
                                            : w.instructions[ix(i.producer)].issued +
                                                  w.instructions[ix(i.producer)].kind->latency;
                    return std::max(w.ready, result);
                };
                return since(x) != since(y) ? since(x) < since(y) : x.order < y.order;
            }
        }
        return false;
    };
    for (RefWarp& warp : warps_) {
        if (warp.sub_partition == sub_partition && may_issue(warp, pipe) &&
            (chosen == nullptr || better(warp, *chosen))) {
            chosen = &warp;
        }
    }
    if (chosen == nullptr) {
        return false;
    }
    const Tick now = clock_.now();
    RefInstruction& instruction = chosen->instructions[chosen->next];
    pipe.issue_free = now + instruction.slots;
    pipe.last = chosen->order;
    if (instruction.kind != nullptr) {
        pipe.unit_free[instruction.kind->unit] = now + instruction.kind->interval;
        touch(now + instruction.kind->interval);
    }
    if (instruction.lsu > 0) {
        pipe.unit_free[Unit::lsu] = now + instruction.lsu;
        touch(now + instruction.lsu);
    }
    instruction.issued = now;
    chosen->ready = now + instruction.slots;
    touch(chosen->ready);
    issued(*chosen);
    return true;
}

void ReferenceRun::issued(RefWarp& warp) {
    RefInstruction& instruction = warp.instructions[warp.next++];
    if (instruction.kind != nullptr && instruction.kind->smem_bytes > 0) {
        warp.accesses.push_back(ports_[ix(warp.cta)].ask(
            clock_.now(), port_ticks(instruction.kind->smem_bytes), result_.tied));
        awaited_.push_back({{warp.accesses.back()}, [] {}});
    }
    if (warp.next == warp.instructions.size()) {
        finish_operation(warp);
    }
}

}  // namespace warpline::test
