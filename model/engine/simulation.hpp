// One run of the engine: all state of the simulated clusters, and the handlers of its events.
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/agent.hpp"
#include "warpline/engine/barrier_file.hpp"
#include "warpline/engine/compiled_plan.hpp"
#include "warpline/engine/dispatch_times.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/engine/event_queue.hpp"
#include "warpline/engine/folding.hpp"
#include "warpline/engine/issue_port.hpp"
#include "warpline/engine/releases.hpp"
#include "warpline/engine/same_start.hpp"
#include "warpline/engine/smem_port.hpp"
#include "warpline/engine/steady_state.hpp"
#include "warpline/engine/tensor_unit.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace warpline {

/// What a role's program touches, so that counters it never uses do not hide a recurrence.
struct RoleUses {
    std::vector<int> handle_ring;            ///< ring of each handle, -1: never taken
    std::vector<bool> takes;                 ///< by ring
    std::vector<std::pair<int, int>> waits;  ///< (barrier, copy) waited for by count
};

class Simulation;

/// Keeps copies of a run as they come by, for other runs to go on from.
class BranchKeeper {
  public:
    /// The anchor has finished an iteration; `at_recurrence`: and the run is about to skip periods.
    virtual void offer(const Simulation& run, bool at_recurrence) = 0;

  protected:
    ~BranchKeeper() = default;
};

class Simulation final : TensorHost {
  public:
    /// The plan and the options must outlive the simulation.
    Simulation(const KernelPlan& plan, const CompiledPlan& compiled, std::vector<TileRun> tiles,
               const MemoryEnvironment& memory, const EngineOptions& options);
    /// Goes on from where `run` is, which a keeper is being offered; without the keeper.
    /// Precondition: same_start() holds for the tiles, which have as many masked steps.
    Simulation(const Simulation& run, const TileRun& tiles);
    Simulation& operator=(const Simulation&) = delete;
    Simulation(Simulation&&) = delete;
    Simulation& operator=(Simulation&&) = delete;
    ~Simulation() = default;

    /// `log` must outlive the run.
    void log_releases(ReleaseLog& log) { log_ = &log; }
    /// `keeper` must outlive the run. Precondition: equal tiles, nothing recorded.
    void keep_branches(BranchKeeper& keeper) { keeper_ = &keeper; }
    [[nodiscard]] Result<Schedule> run();
    /// run(), of a copy.
    [[nodiscard]] Result<Schedule> proceed();

    [[nodiscard]] const SameStart& same_start() const { return same_start_; }
    [[nodiscard]] const std::vector<TileRun>& tiles() const { return tiles_; }
    [[nodiscard]] std::int64_t events() const { return events_; }

  private:
    Simulation(const Simulation&) = default;  // its ports still refer to the other's units
    friend class SteadyStateFinder;
    template <typename Visitor>
    friend class StateTour;

    // set-up
    void build_agents();
    [[nodiscard]] std::vector<int> warp_slots() const;
    void choose_anchor();
    [[nodiscard]] bool has_scaling_loop(const Agent& agent) const;
    void find_uses();
    void mark_waited_barriers();
    [[nodiscard]] bool all_tiles_alike() const;
    void connect_ports();

    // programs: program_steps.cpp
    void advance(int index);
    bool step_control(Agent& agent, int index);
    void enter_loop(Agent& agent, const LoopBegin& loop);
    void leave_iteration(Agent& agent, int index, const LoopEnd& end);
    [[nodiscard]] TileClass tile_of(const Agent& agent) const;
    [[nodiscard]] std::int64_t trips_of(const Agent& agent, const LoopBegin& loop) const;
    /// Whether choices of the agent are choices of its tile, which branches must know.
    [[nodiscard]] bool notes_choices(const Agent& agent) const {
        return keeper_ != nullptr && agent.tile_run < tiles_.size();
    }
    void finish_agent(Agent& agent);
    void next_op(Agent& agent, int index, Tick ready, int cause);
    void record(const Agent& agent, ScheduleEvent::Kind kind, Tick start, Tick end, int cause);

    // warp instructions: issue_requests.hpp, issue_steps.cpp
    void request_batch(Agent& agent, IssuePort& port, const IssueRequest& request);
    [[nodiscard]] const BatchStep* steps_of(const Agent& agent) const;
    void depend(Agent& agent, const BatchDependence& on) const;
    [[nodiscard]] IssueRequest next_request(Agent& agent, const BatchStep& step) const;
    void dispatch(IssuePort& port);
    [[nodiscard]] DispatchTimes::Reach reach() const;
    void issue_batch(Agent& agent, IssuePort& port, const IssuePort::Warp& warp,
                     const IssueSlot& slot);
    Tick issue_in_turn(Agent& agent, IssuePort& port, IssuePort::Warp& warp, Tick at,
                       DispatchTimes::Reach& reach);
    void issue_finished(Agent& agent, int index, Tick now);
    void operation_granted(Agent& agent, int index, Tick now);

    // synchronisation: synchronise.cpp
    void arrive_granted(Agent& agent, const ArriveOp& op, Tick now);
    void commit_granted(Agent& agent, const CommitOp& op, Tick now);
    void wait_granted(Agent& agent, int index, const WaitOp& op, Tick now);
    void drain_granted(Agent& agent, int index, const DrainOp& op, Tick now);
    void signal(const Agent& agent, int instance, At at, std::int64_t count, int op, Tick now,
                Tick delay);
    [[nodiscard]] std::int64_t arrivals(const Agent& agent, int barrier, std::int64_t each) const;
    void log_flip(int instance, Tick now, const Arrival& by);
    void count_arrivals(int instance, std::int64_t count, Tick now, const Arrival& by);
    /// From a phase's completion, or the wait for a complete one, to the warp's going on.
    [[nodiscard]] Tick wait_latency(int barrier) const;
    void wake_from_barrier(int index, int barrier, Tick now, const Arrival& by);
    /// The instance in the agent's own CTA.
    [[nodiscard]] int instance_of(const Agent& agent, const BarrierRef& ref) const;
    [[nodiscard]] std::int64_t slot_of(const Agent& agent, const BarrierRef& ref) const;

    // asynchronous operations: launch.cpp, copies.cpp
    void async_granted(Agent& agent, int index, const AsyncOp& op, Tick now);
    void launch(Agent& agent, int index, const AsyncOp& op, Tick now);
    void start(std::int32_t flight, Tick now);
    void start_mma(const Agent& agent, std::int32_t flight, const MmaOp& op, Tick now);
    /// Reads and writes of tensor memory have a port each on every sub-partition.
    [[nodiscard]] static std::size_t tmem_port(int sub_partition, bool store) {
        return 2 * static_cast<std::size_t>(sub_partition) + (store ? 1 : 0);
    }
    void start_tmem(const Agent& agent, std::int32_t flight, const TmemOp& op, Tick now);
    void start_copy(const Agent& agent, std::int32_t flight, const CopyOp& op, Tick now);
    void copy_step(std::int32_t flight, Tick now);
    void fill_quantum(std::int32_t flight, Tick now);
    void transfer(std::int32_t flight, Tick now);
    void quantum_read(std::int32_t flight, Tick now);
    void quantum_written(std::int32_t flight, Tick now);
    void peer_write(std::int32_t flight, Tick quantum, Tick now);
    void completed(std::int32_t flight, Tick now);
    void retire(Agent& agent, int index, int op_class, int op, Tick now);
    [[nodiscard]] const CopyOp& copy_of(std::int32_t flight) const;
    [[nodiscard]] Tick port_ticks(std::int64_t bytes) const;
    [[nodiscard]] Tick memory_ticks(std::int64_t bytes) const;
    std::int32_t allocate_flight();
    void ask_port(int sm, Tick now, Tick time, PortRequester requester, int cause);
    void access_smem(Agent& agent, int index, std::int64_t bytes);
    void port_served(PortRequester requester, Tick now);
    void warp_access_done(int index, Tick now);

    // TensorHost
    int request_operands(int tensor, const MmaChain& chain, Tick now) override;
    void chain_started(const MmaChain& chain, Tick now) override;
    void chain_executed(const MmaChain& chain, Tick now) override;
    void pair_step(int tensor, const MmaChain& chain, Tick now, int cause) override;
    void tensor_room(int tensor, Tick now) override;

    void handle(const Event& event);

    // results: results.cpp, deadlock.cpp
    [[nodiscard]] Schedule schedule();
    [[nodiscard]] Tick end_of_work() const;
    /// visit(unit, sm, sub_partition, account), in the order of Schedule::units.
    template <typename Visit>
    void for_each_unit(Visit&& visit) const;
    void add_unit(Schedule& out, Unit unit, int sm, int sub_partition,
                  const Account& account) const;
    [[nodiscard]] Tally tally() const;
    [[nodiscard]] Failure deadlock() const;
    [[nodiscard]] Failure too_many_events() const;

    [[nodiscard]] int warps_per_agent(std::size_t role) const {
        return folded_roles_[role] ? 4 : 1;
    }
    [[nodiscard]] const Role& role_of(const Agent& agent) const {
        return plan_.roles[static_cast<std::size_t>(agent.role)];
    }
    [[nodiscard]] const Op& op_of(const Agent& agent) const {
        return role_of(agent).program[static_cast<std::size_t>(agent.pc)];
    }
    [[nodiscard]] const CompiledOp& compiled_op(const Agent& agent) const {
        return compiled_.roles[static_cast<std::size_t>(agent.role)]
            .ops[static_cast<std::size_t>(agent.pc)];
    }
    [[nodiscard]] IssuePort& port_of(const Agent& agent) {
        return ports_[static_cast<std::size_t>(agent.port)];
    }
    [[nodiscard]] int cta_index(const Agent& agent, int cta) const {
        return agent.cluster * plan_.cluster + cta;
    }
    [[nodiscard]] const LoopTraits& traits_of(const Agent& agent, const LoopFrame& frame) const {
        const CompiledRole& role = compiled_.roles[static_cast<std::size_t>(agent.role)];
        const int loop = role.ops[static_cast<std::size_t>(frame.begin)].loop;
        return compiled_.loops[static_cast<std::size_t>(loop)];
    }
    /// The innermost loop that the agent is in. Precondition: it is in one.
    [[nodiscard]] const LoopBegin& loop_of(const Agent& agent) const {
        const auto begin = static_cast<std::size_t>(agent.loops.back().begin);
        return std::get<LoopBegin>(role_of(agent).program[begin].body);
    }
    [[nodiscard]] int tensor_index(const Agent& agent) const;
    void touch(Tick time) { last_activity_ = time > last_activity_ ? time : last_activity_; }

    const KernelPlan& plan_;
    std::vector<TileRun> tiles_;
    const MemoryEnvironment memory_;
    const EngineOptions& options_;
    const CauseTable causes_;
    const CompiledPlan& compiled_;
    const std::vector<bool> folded_roles_;
    EventQueue queue_;
    DispatchTimes dispatches_;
    std::vector<Agent> agents_;
    BarrierFile barriers_;
    std::vector<IssuePort> ports_;  ///< SM by SM
    std::vector<Tick> tmem_free_;   ///< by `tmem_port`
    std::vector<Account> tmem_accounts_;
    std::vector<SmemPort> smem_;
    std::vector<TensorUnit> tensors_;
    std::vector<Tick> tma_free_, memory_free_;
    std::vector<Account> tma_accounts_, memory_accounts_;
    std::vector<InFlight> flights_;
    std::vector<std::int32_t> free_flights_;
    std::vector<bool> folded_sm_;  ///< sub-partition 0 of the SM stands for four

    Tick now_ = 0;
    Tick last_activity_ = 0;
    int anchor_ = -1;
    bool anchor_passed_ = false;     ///< the anchor finished a loop iteration in the current event
    std::vector<RoleUses> uses_;     ///< by role
    std::vector<int> barrier_ring_;  ///< ring whose handles address each barrier, or -1
    SteadyStateFinder steady_;
    bool tiles_alike_ = false;  ///< one class, and no warp asks which tile it is at
    Schedule out_;
    std::int64_t total_tiles_ = 0;
    std::int64_t unfinished_ = 0;
    std::int64_t events_ = 0;
    std::vector<std::int32_t> woken_;
    ReleaseLog* log_ = nullptr;  ///< only where releases are recorded
    BranchKeeper* keeper_ = nullptr;
    SameStart same_start_;  ///< kept up while there is a keeper
};

}  // namespace warpline
