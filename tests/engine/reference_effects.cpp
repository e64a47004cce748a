// What operations of the reference simulator do once they have issued.
#include "reference_run.hpp"

#include <algorithm>

namespace warpline::test {

namespace {

std::size_t ix(std::int64_t value) {
    return static_cast<std::size_t>(value);
}

}  // namespace

void ReferenceRun::finish_operation(RefWarp& warp) {
    const Tick now = clock_.now();
    const OpBody& body = warp.role->program[ix(warp.pc)].body;
    if (const auto* issue = std::get_if<IssueOp>(&body)) {
        if (issue->results_needed) {
            Tick latency = 0;
            bool reads = false;
            for (const IssuePart& part : issue->parts) {
                const InstructionKind& kind = plan_.instructions[ix(part.instruction)];
                latency += part.count > 0 ? kind.latency : 0;
                reads = reads || (part.count > 0 && kind.smem_bytes > 0);
            }
            warp.ready = std::max(warp.ready, now + latency);
            if (reads) {
                warp.state = RefWarp::State::at_smem;
                return;
            }
        }
        next_operation(warp);
    } else if (const auto* async = std::get_if<AsyncOp>(&body)) {
        const bool full = std::holds_alternative<MmaOp>(async->work) &&
                          tensor_of(warp).waiting() >= plan_.machine.tensor_queue_depth;
        if (full) {
            warp.state = RefWarp::State::at_tensor;
            return;
        }
        launch(warp, *async, warp.ready);
        next_operation(warp);
    } else if (const auto* commit = std::get_if<CommitOp>(&body)) {
        const auto c = ix(commit->op_class);
        const std::int64_t use = commit->on ? use_of(warp, *commit->on) : 0;
        warp.commits[c].push_back({warp.classes[c].size(), commit, use, false});
        retire(warp, c);
        next_operation(warp);
    } else if (const auto* drain = std::get_if<DrainOp>(&body)) {
        const auto c = ix(drain->op_class);
        warp.drain_to = drain->leave == 0 ? warp.classes[c].size() : 0;
        std::int64_t open = 0;
        for (auto group = warp.commits[c].rbegin(); group != warp.commits[c].rend(); ++group) {
            if (!group->fired && drain->leave > 0 && ++open > drain->leave) {
                warp.drain_to = group->operations;
                break;
            }
        }
        warp.state = RefWarp::State::at_drain;
    } else if (const auto* arrival = std::get_if<ArriveOp>(&body)) {
        const bool named = plan_.barriers[ix(arrival->on.barrier)].kind == BarrierKind::named;
        signal(warp, arrival->on, use_of(warp, arrival->on), arrival->at, arrival->count,
               named ? 0 : plan_.machine.sync.mbarrier_arrive);
        next_operation(warp);
    } else if (const auto* wait = std::get_if<WaitOp>(&body)) {
        const std::int64_t use = use_of(warp, wait->on);
        warp.instance = instance_of(warp, wait->on, use, warp.cta);
        warp.phase = wait->on.handle >= 0 ? use / stages(wait->on.barrier)
                                          : warp.waits[{wait->on.barrier, wait->on.copy}]++;
        warp.state = RefWarp::State::at_barrier;
    } else {
        warp.ready = std::max(warp.ready, now + std::get<TurnOp>(body).cost);
        next_operation(warp);
    }
}

void ReferenceRun::launch(RefWarp& warp, const AsyncOp& op, Tick when) {
    auto async = std::make_shared<RefAsync>();
    async->op = &op;
    if (op.signals) {
        async->signal = *op.signals;
        async->use = use_of(warp, *op.signals);
    }
    warp.classes[ix(op.op_class)].push_back(async);
    at(when, [this, &warp, async] { start(warp, async); });
}

void ReferenceRun::start(RefWarp& warp, const std::shared_ptr<RefAsync>& async) {
    if (const auto* mma = std::get_if<MmaOp>(&async->op->work)) {
        start_mma(warp, async, *mma);
    } else if (const auto* tmem = std::get_if<TmemOp>(&async->op->work)) {
        const Tick begin = tmem_[2 * ix(warp.sub_partition) + (tmem->store ? 1 : 0)].join(
            clock_.now(), tmem->port, result_.tied);
        at(begin + tmem->port + tmem->latency, [this, &warp, async] { complete(warp, async); });
    } else {
        start_copy(warp, async, std::get<CopyOp>(async->op->work));
    }
}

int ReferenceRun::tensor_index(const RefWarp& warp) const {
    return plan_.machine.tensor_scope == UnitScope::sm ? warp.cta : warp.sub_partition;
}

ReferenceTensor& ReferenceRun::tensor_of(const RefWarp& warp) {
    return tensors_[ix(tensor_index(warp))];
}

void ReferenceRun::admit_one(int tensor) {
    if (tensors_[ix(tensor)].waiting() >= plan_.machine.tensor_queue_depth) {
        return;
    }
    for (RefWarp& warp : warps_) {
        if (warp.state == RefWarp::State::at_tensor && tensor_index(warp) == tensor) {
            warp.ready = std::max(warp.ready, clock_.now());
            launch(warp, std::get<AsyncOp>(warp.role->program[ix(warp.pc)].body), warp.ready);
            next_operation(warp);
            return;
        }
    }
}

void ReferenceRun::start_mma(RefWarp& warp, const std::shared_ptr<RefAsync>& async,
                             const MmaOp& op) {
    Tick& joined = tensor_joined_[ix(tensor_index(warp))];
    result_.tied = result_.tied || joined == clock_.now();
    joined = clock_.now();
    const int cta = warp.cta;
    for (std::int64_t j = 0; j < op.steps; ++j) {
        MmaStep step;
        step.tensor = op.tensor;
        step.first_operand = j == 0 ? op.first_operand : 0;
        step.fetch = [this, cta, &op] {
            std::vector<PortRequestPtr> requests;
            for (int sm = 0; sm < plan_.cluster; ++sm) {
                if (op.smem_bytes > 0 && (sm == cta || op.pair)) {
                    requests.push_back(
                        ports_[ix(sm)].ask(clock_.now(), port_ticks(op.smem_bytes), result_.tied));
                }
            }
            return requests;
        };
        const bool last = j == op.steps - 1;
        step.ended = [this, &warp, async, &op, last] {
            touch(clock_.now());
            if (last) {
                at(clock_.now() + op.completion, [this, &warp, async] { complete(warp, async); });
            }
        };
        tensor_of(warp).push(std::move(step));
    }
}

Tick ReferenceRun::port_ticks(std::int64_t bytes) const {
    return round_to_ticks(static_cast<double>(bytes) / plan_.machine.smem_bytes_per_clk);
}

/// A copy's way through an SMEM port, cut into as few equal quanta as the longest allows.
std::vector<Tick> ReferenceRun::quanta_of(std::int64_t bytes) const {
    const Tick whole = port_ticks(bytes);
    const Tick longest = plan_.machine.smem_quantum;
    const Tick count = std::max<Tick>(1, (whole + longest - 1) / longest);
    std::vector<Tick> quanta;
    for (Tick k = 0; k < count; ++k) {
        quanta.push_back(whole * (k + 1) / count - whole * k / count);
    }
    return quanta;
}

void ReferenceRun::start_copy(RefWarp& warp, const std::shared_ptr<RefAsync>& async,
                              const CopyOp& op) {
    Tick begin = clock_.now();
    Tick occupied = 0;
    if (op.engine == CopyEngine::tma) {
        occupied = engine_time(plan_.machine, op);
        begin = tma_[ix(warp.cta)].join(clock_.now(), occupied, result_.tied);
        touch(begin + occupied);
    }
    const Tick paced = occupied;
    const auto done = [this, &warp, async] { complete(warp, async); };
    if (op.from == Space::global) {
        const Tick latency = op.l2_hit ? memory_.latency : memory_.miss_latency;
        at(begin + latency, [this, &warp, done, &op] { from_memory(warp, done, op); });
    } else if (op.from == Space::registers) {
        at(begin, [this, &warp, done, &op] { to_memory(warp, done, op, {clock_.now(), 0}); });
    } else if (op.to == Space::global) {
        at(begin, [this, &warp, done, &op, begin, paced] {
            read_quanta(
                warp, quanta_of(op.bytes), 0, {begin, paced}, [](std::size_t) {},
                [this, &warp, done, &op, begin, paced] {
                    to_memory(warp, done, op, {begin, paced});
                });
        });
    } else {
        // To the peer: every quantum travels when it has been read, and is written there.
        const auto left = std::make_shared<std::size_t>(quanta_of(op.bytes).size());
        const int peer = plan_.cluster == 2 ? 1 - warp.cta : warp.cta;
        const auto quanta = quanta_of(op.bytes);
        at(begin, [this, &warp, done, quanta, left, peer, begin, paced] {
            const auto travel = [this, done, quanta, left, peer](std::size_t k) {
                at(clock_.now() + plan_.machine.tma.dsmem_latency,
                   [this, done, quanta, left, peer, k] {
                       const auto request =
                           ports_[ix(peer)].ask(clock_.now(), quanta[k], result_.tied);
                       awaited_.push_back({{request}, [left, done] {
                                               if (--*left == 0) {
                                                   done();
                                               }
                                           }});
                   });
            };
            read_quanta(warp, quanta, 0, {begin, paced}, travel, [] {});
        });
    }
}

void ReferenceRun::from_memory(const RefWarp& warp, const std::function<void()>& done,
                               const CopyOp& op) {
    const Tick duration = round_to_ticks(static_cast<double>(op.bytes) / memory_.bytes_per_clk);
    const Tick begin = memory_line_[ix(warp.cta)].join(clock_.now(), duration, result_.tied);
    touch(begin + duration);
    if (op.to == Space::registers || op.bytes == 0 ||
        (op.engine == CopyEngine::tma && !plan_.machine.tma.fill_shares_port)) {
        at(begin + duration, done);
        return;
    }
    const auto quanta = quanta_of(op.bytes);
    const auto count = static_cast<Tick>(quanta.size());
    const auto left = std::make_shared<std::size_t>(quanta.size());
    const int cta = warp.cta;
    for (Tick k = 0; k < count; ++k) {
        at(begin + duration * (k + 1) / count, [this, quanta, left, done, cta, k, &op] {
            std::vector<PortRequestPtr> requests;
            for (int sm = 0; sm < plan_.cluster; ++sm) {
                if (sm == cta || op.to == Space::cluster_smem) {
                    requests.push_back(
                        ports_[ix(sm)].ask(clock_.now(), quanta[ix(k)], result_.tied));
                }
            }
            awaited_.push_back({requests, [left, done] {
                                    if (--*left == 0) {
                                        done();
                                    }
                                }});
        });
    }
}

/// The path to memory took what is read now while the engine read it, as far as it was free then.
void ReferenceRun::to_memory(const RefWarp& warp, const std::function<void()>& done,
                             const CopyOp& op, const Pace& pace) {
    const Tick duration = round_to_ticks(static_cast<double>(op.bytes) / memory_.bytes_per_clk);
    const Tick now = clock_.now();
    const Tick early = op.from == Space::smem ? std::min(duration, now - pace.begin) : 0;
    const Tick begin = memory_line_[ix(warp.cta)].join(now, duration, result_.tied, early);
    at(std::max({begin + duration, now, pace.begin + pace.duration}) +
           plan_.machine.tma.store_latency,
       done);
}

void ReferenceRun::read_quanta(const RefWarp& warp, const std::vector<Tick>& quanta,
                               std::size_t index, const Pace& pace,
                               const std::function<void(std::size_t)>& read,
                               const std::function<void()>& all_read) {
    const auto request = ports_[ix(warp.cta)].ask(clock_.now(), quanta[index], result_.tied);
    awaited_.push_back({{request}, [this, &warp, quanta, index, pace, read, all_read] {
                            read(index);
                            if (index + 1 == quanta.size()) {
                                all_read();
                                return;
                            }
                            const auto count = static_cast<Tick>(quanta.size());
                            const Tick next =
                                pace.begin + pace.duration * static_cast<Tick>(index + 1) / count;
                            const auto go_on = [this, &warp, quanta, index, pace, read, all_read] {
                                read_quanta(warp, quanta, index + 1, pace, read, all_read);
                            };
                            if (next > clock_.now()) {
                                at(next, go_on);
                            } else {
                                go_on();
                            }
                        }});
}

void ReferenceRun::complete(RefWarp& warp, const std::shared_ptr<RefAsync>& async) {
    async->done = true;
    touch(clock_.now());
    retire(warp, ix(async->op->op_class));
}

/// Operations of a class complete in order; then groups close.
void ReferenceRun::retire(RefWarp& warp, std::size_t op_class) {
    std::size_t retired = 0;
    for (const auto& async : warp.classes[op_class]) {
        if (!async->done) {
            break;
        }
        ++retired;
        if (!async->retired) {
            async->retired = true;
            if (async->op->signals) {
                signal(warp, async->signal, async->use, async->op->at, 1, 0);
            }
        }
    }
    for (RefCommit& commit : warp.commits[op_class]) {
        if (!commit.fired && commit.operations <= retired) {
            commit.fired = true;
            if (commit.op->on) {
                signal(warp, *commit.op->on, commit.use, commit.op->at, 1, 0);
            }
        }
    }
}

std::int64_t ReferenceRun::stages(int barrier) const {
    const Barrier& found = plan_.barriers[ix(barrier)];
    return found.ring < 0 ? found.stages : plan_.rings[ix(found.ring)].stages;
}

std::int64_t ReferenceRun::use_of(const RefWarp& warp, const BarrierRef& ref) const {
    return ref.handle < 0 ? 0 : warp.handles[ix(ref.handle)];
}

ReferenceRun::Instance ReferenceRun::instance_of(const RefWarp& warp, const BarrierRef& ref,
                                                 std::int64_t use, int cta) const {
    const bool own = plan_.barriers[ix(ref.barrier)].scope == BarrierScope::warp;
    return {warp.cluster * plan_.cluster + cta, ref.barrier, ref.copy, own ? warp.index : 0,
            use % stages(ref.barrier)};
}

ReferenceRun::Phases& ReferenceRun::phases(const Instance& instance) {
    const auto found = phases_.find(instance);
    if (found != phases_.end()) {
        return found->second;
    }
    const Barrier& barrier = plan_.barriers[ix(std::get<1>(instance))];
    return phases_[instance] = {0, barrier.initially_complete};
}

void ReferenceRun::signal(const RefWarp& warp, const BarrierRef& ref, std::int64_t use, At where,
                          std::int64_t count, Tick delay) {
    for (int cta = 0; cta < plan_.cluster; ++cta) {
        const bool meant = where == At::all || (where == At::self && cta == warp.cta) ||
                           (where == At::leader && cta == 0) ||
                           (where == At::peer && (plan_.cluster == 1 || cta != warp.cta));
        if (!meant) {
            continue;
        }
        const Tick travel = cta == warp.cta ? 0 : plan_.machine.sync.remote_arrive;
        const Instance instance = instance_of(warp, ref, use, cta);
        at(clock_.now() + delay + travel, [this, instance, count] { arrive(instance, count); });
    }
}

void ReferenceRun::arrive(const Instance& instance, std::int64_t count) {
    Phases& found = phases(instance);
    touch(clock_.now());
    found.arrived += count;
    const std::int64_t need = plan_.barriers[ix(std::get<1>(instance))].arrivals;
    while (found.arrived >= need) {
        found.arrived -= need;
        ++found.completed;
    }
}

}  // namespace warpline::test
