#include "warpline/engine/simulation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpline {

Simulation::Simulation(const KernelPlan& plan, const CompiledPlan& compiled,
                       std::vector<TileRun> tiles, const MemoryEnvironment& memory,
                       const EngineOptions& options)
    : plan_(plan),
      tiles_(std::move(tiles)),
      memory_(memory),
      options_(options),
      causes_(static_cast<int>(plan.barriers.size())),
      compiled_(compiled),
      folded_roles_(options.fold_sub_partitions ? folded_roles(plan)
                                                : std::vector<bool>(plan.roles.size(), false)),
      dispatches_(static_cast<std::size_t>(plan.cluster) *
                  static_cast<std::size_t>(plan.machine.sub_partitions)),
      barriers_(plan, plan.ctas_per_sm * plan.cluster, warp_slots()) {
    const int causes = causes_.size();
    const auto sms = static_cast<std::size_t>(plan.cluster);
    const int slices = plan.machine.sub_partitions;
    const auto slices_total = sms * static_cast<std::size_t>(slices);
    IssuePort::Settings settings;
    settings.arbitration = plan.machine.arbitration;
    settings.own_issue = !plan.machine.issue_contention;
    settings.own_pipes = !plan.machine.pipe_contention;
    for (std::size_t i = 0; i < slices_total; ++i) {
        ports_.emplace_back(static_cast<int>(i), compiled_, causes_, settings);
    }
    tmem_free_.assign(2 * slices_total, 0);
    tmem_accounts_.assign(2 * slices_total, Account(causes));
    for (std::size_t sm = 0; sm < sms; ++sm) {
        smem_.emplace_back(static_cast<int>(sm), std::max<Tick>(1, plan.machine.smem_quantum),
                           causes);
    }
    const std::size_t tensors = plan.machine.tensor_scope == UnitScope::sm ? sms : slices_total;
    for (std::size_t i = 0; i < tensors; ++i) {
        tensors_.emplace_back(static_cast<int>(i), causes, causes_.unit(Unit::smem),
                              causes_.latency(Unit::tensor));
    }
    connect_ports();
    tma_free_.assign(sms, 0);
    memory_free_.assign(sms, 0);
    tma_accounts_.assign(sms, Account(causes));
    memory_accounts_.assign(sms, Account(causes));
    folded_sm_.assign(sms, false);
    for (const TileRun& run : tiles_) {
        total_tiles_ += run.count;
    }
    out_.tile_ends.assign(static_cast<std::size_t>(std::min<std::int64_t>(total_tiles_, 4096)), 0);
    tiles_alike_ = all_tiles_alike();
    build_agents();
    choose_anchor();
    find_uses();
    mark_waited_barriers();
}

Simulation::Simulation(const Simulation& run, const TileRun& tiles) : Simulation(run) {
    tiles_ = {tiles};
    total_tiles_ = tiles.count;
    out_.tile_ends.resize(static_cast<std::size_t>(std::min<std::int64_t>(total_tiles_, 4096)), 0);
    for (Agent& agent : agents_) {
        for (LoopFrame& frame : agent.loops) {
            const Op& begin = role_of(agent).program[static_cast<std::size_t>(frame.begin)];
            frame.count = trips_of(agent, std::get<LoopBegin>(begin.body));
        }
    }
    keeper_ = nullptr;
    connect_ports();
}

void Simulation::connect_ports() {
    if (plan_.machine.tensor_scope == UnitScope::sub_partition) {
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            ports_[i].beside(tensors_[i]);
        }
    }
}

std::vector<int> Simulation::warp_slots() const {
    // A warp-scoped barrier has an instance for each warp index of the roles that use it; equal
    // warps that are folded share one.
    int most = 1;
    for (std::size_t r = 0; r < plan_.roles.size(); ++r) {
        most = std::max(most, plan_.roles[r].warps / warps_per_agent(r));
    }
    std::vector<int> slots;
    for (const Barrier& barrier : plan_.barriers) {
        slots.push_back(barrier.scope == BarrierScope::warp ? most : 1);
    }
    return slots;
}

void Simulation::build_agents() {
    const int slices = plan_.machine.sub_partitions;
    int warps_per_cta = 0;
    for (const Role& role : plan_.roles) {
        warps_per_cta = std::max(warps_per_cta, role.first_warp + role.warps);
    }
    for (int cluster = 0; cluster < plan_.ctas_per_sm; ++cluster) {
        for (int cta = 0; cta < plan_.cluster; ++cta) {
            for (std::size_t r = 0; r < plan_.roles.size(); ++r) {
                const Role& role = plan_.roles[r];
                if (role.leader_only && cta != 0) {
                    continue;
                }
                const int step = warps_per_agent(r);
                for (int warp = 0; warp < role.warps; warp += step) {
                    Agent agent;
                    agent.role = static_cast<int>(r);
                    agent.cluster = cluster;
                    agent.cta = cta;
                    agent.warp = warp;
                    agent.warp_slot = warp / step;
                    agent.multiplicity = step;
                    agent.port = cta * slices + (role.first_warp + warp) % slices;
                    agent.place = ports_[static_cast<std::size_t>(agent.port)].add_warp(
                        static_cast<std::int32_t>(agents_.size()),
                        cluster * warps_per_cta + role.first_warp + warp);
                    agent.handles.assign(static_cast<std::size_t>(role.handles), 0);
                    agent.ring_uses.assign(plan_.rings.size(), 0);
                    agent.waits.assign(static_cast<std::size_t>(barriers_.wait_counters()), 0);
                    agent.classes.resize(role.classes.size());
                    agent.account = Account(causes_.size());
                    if (r < options_.role_offsets.size()) {
                        agent.ready = options_.role_offsets[r];
                    }
                    if (step > 1) {
                        folded_sm_[static_cast<std::size_t>(cta)] = true;
                    }
                    agents_.push_back(std::move(agent));
                }
            }
        }
    }
    unfinished_ = static_cast<std::int64_t>(agents_.size());
}

void Simulation::choose_anchor() {
    // Any warp with a scaling loop would do; one that many warps stand beside is rarely far ahead
    // of the others.
    int most = 0;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        const Agent& agent = agents_[i];
        const int warps = role_of(agent).warps;
        if (agent.state != AgentState::finished && has_scaling_loop(agent) && warps > most) {
            most = warps;
            anchor_ = static_cast<int>(i);
        }
    }
}

bool Simulation::has_scaling_loop(const Agent& agent) const {
    const std::vector<CompiledOp>& ops = compiled_.roles[static_cast<std::size_t>(agent.role)].ops;
    return std::any_of(ops.begin(), ops.end(), [this](const CompiledOp& op) {
        return op.loop >= 0 && compiled_.loops[static_cast<std::size_t>(op.loop)].scales;
    });
}

void Simulation::find_uses() {
    for (const Barrier& barrier : plan_.barriers) {
        barrier_ring_.push_back(barrier.ring);
    }
    for (const Role& role : plan_.roles) {
        RoleUses uses;
        uses.handle_ring.assign(static_cast<std::size_t>(role.handles), -1);
        uses.takes.assign(plan_.rings.size(), false);
        for (const Op& op : role.program) {
            if (const auto* take = std::get_if<TakeOp>(&op.body)) {
                uses.handle_ring[static_cast<std::size_t>(take->handle)] = take->ring;
                uses.takes[static_cast<std::size_t>(take->ring)] = true;
            }
        }
        for (const Op& op : role.program) {
            const auto* wait = std::get_if<WaitOp>(&op.body);
            if (wait == nullptr) {
                continue;
            }
            if (wait->on.handle >= 0) {
                barrier_ring_[static_cast<std::size_t>(wait->on.barrier)] =
                    uses.handle_ring[static_cast<std::size_t>(wait->on.handle)];
                continue;
            }
            const std::pair<int, int> key{wait->on.barrier, wait->on.copy};
            if (std::find(uses.waits.begin(), uses.waits.end(), key) == uses.waits.end()) {
                uses.waits.push_back(key);
            }
        }
        uses_.push_back(std::move(uses));
    }
}

void Simulation::mark_waited_barriers() {
    for (const Agent& agent : agents_) {
        for (const Op& op : role_of(agent).program) {
            const auto* wait = std::get_if<WaitOp>(&op.body);
            if (wait == nullptr) {
                continue;
            }
            const int stages = wait->on.handle >= 0 ? barriers_.stages(wait->on.barrier) : 1;
            for (int slot = 0; slot < stages; ++slot) {
                barriers_.mark_waited(barriers_.instance(cta_index(agent, agent.cta),
                                                         wait->on.barrier, wait->on.copy,
                                                         agent.warp_slot, slot));
            }
        }
    }
}

bool Simulation::all_tiles_alike() const {
    const auto other = [this](const TileRun& run) {
        const TileClass& first = tiles_.front().tile;
        return !(run.tile == first);
    };
    const auto asks = [](const LoopTraits& loop) { return loop.over_tiles && !loop.uniform(); };
    return std::none_of(tiles_.begin(), tiles_.end(), other) &&
           std::none_of(compiled_.loops.begin(), compiled_.loops.end(), asks);
}

Result<Schedule> Simulation::run() {
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        advance(static_cast<int>(i));
    }
    anchor_passed_ = false;
    return proceed();
}

Result<Schedule> Simulation::proceed() {
    while (true) {
        if (anchor_passed_ && options_.fold_steady_state) {
            if (keeper_ != nullptr) {
                keeper_->offer(*this, false);
            }
            steady_.observe(*this, now_);
        }
        const Tick event = queue_.next_time();
        const DispatchTimes::Next turn = dispatches_.next();
        const Tick next = std::min(event, turn.time);
        if (next == DispatchTimes::never) {
            break;
        }
        if (++events_ > options_.max_events) {
            return tl::unexpected<Failure>(too_many_events());
        }
        if (next > latest_time || steady_.overflow()) {
            return fail(
                FailureKind::infeasible,
                fmt::format("the schedule of {} lasts longer than 2^62 ticks", plan_.kernel),
                "check the specification for absurdly slow units");
        }
        now_ = next;
        anchor_passed_ = false;
        if (event <= turn.time) {
            handle(queue_.pop());
        } else {
            dispatch(ports_[static_cast<std::size_t>(turn.port)]);
        }
    }
    if (unfinished_ > 0) {
        return tl::unexpected<Failure>(deadlock());
    }
    return schedule();
}

void Simulation::handle(const Event& event) {
    switch (event.kind) {
        case EventKind::arrive:
            count_arrivals(event.a, event.b, event.time,
                           log_ == nullptr ? Arrival{} : log_->landed(event.a, event.time));
            break;
        case EventKind::launch:
            start(event.a, event.time);
            break;
        case EventKind::complete:
            completed(event.a, event.time);
            break;
        case EventKind::port_run_end: {
            const auto outcome =
                smem_[static_cast<std::size_t>(event.a)].run_ended(event.time, event.b, queue_);
            if (outcome.through) {
                port_served(outcome.requester, event.time);
            }
            break;
        }
        case EventKind::port_ideal:
            port_served({static_cast<PortRequester::Kind>(event.b), event.a}, event.time);
            break;
        case EventKind::tensor_due:
            tensors_[static_cast<std::size_t>(event.a)].step_due(event.time, queue_, *this);
            break;
        case EventKind::tensor_start:
            tensors_[static_cast<std::size_t>(event.a)].start_due(event.time, queue_, *this);
            break;
        case EventKind::copy_step:
            copy_step(event.a, event.time);
            break;
        case EventKind::peer_write:
            peer_write(event.a, event.b, event.time);
            break;
        case EventKind::memory_write:
            transfer(event.a, event.time);
            break;
    }
}

Result<Schedule> simulate(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                          const MemoryEnvironment& memory, const EngineOptions& options) {
    return Engine(plan, options).run(tiles, memory);
}

Engine::Engine(const KernelPlan& plan, EngineOptions options)
    : plan_(options.ideal.empty()
                ? std::shared_ptr<const KernelPlan>(std::shared_ptr<const KernelPlan>(), &plan)
                : std::make_shared<const KernelPlan>(without(plan, options.ideal))),
      options_(std::move(options)),
      compiled_(std::make_shared<const CompiledPlan>(compile(*plan_, options_))) {}

Result<Schedule> Engine::run(const std::vector<TileRun>& tiles,
                             const MemoryEnvironment& memory) const {
    const MemoryEnvironment seen = without(memory, options_.ideal);
    return Simulation(*plan_, *compiled_, tiles, seen, options_).run();
}

}  // namespace warpline
