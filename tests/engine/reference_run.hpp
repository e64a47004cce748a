// One run of the reference simulator.
#pragma once

#include "reference_simulator.hpp"
#include "reference_units.hpp"

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace warpline::test {

struct RefAsync {
    const AsyncOp* op = nullptr;
    BarrierRef signal;
    std::int64_t use = 0;  ///< ring use index the signal means
    bool done = false;
    bool retired = false;
};

struct RefCommit {
    std::size_t operations = 0;  ///< of the class, that must have retired
    const CommitOp* op = nullptr;
    std::int64_t use = 0;
    bool fired = false;
};

struct RefInstruction {
    const InstructionKind* kind = nullptr;  ///< null: the slots of another operation
    Tick slots = 0;
    Tick lsu = 0;
    int producer = -1;  ///< instruction of the same operation whose result this one needs
    Tick issued = -1;
};

struct RefLoop {
    int begin = 0;
    std::int64_t index = 0, count = 0;
};

struct RefWarp {
    enum class State { walking, issuing, at_barrier, at_drain, at_tensor, at_smem, done };
    const Role* role = nullptr;
    int cluster = 0, cta = 0, index = 0, sub_partition = 0, order = 0;
    State state = State::walking;
    int pc = 0;
    Tick ready = 0;
    std::vector<RefLoop> loops;
    std::int64_t tile = 0;
    std::vector<std::int64_t> handles, ring_uses;
    std::map<std::pair<int, int>, std::int64_t> waits;
    std::vector<std::vector<std::shared_ptr<RefAsync>>> classes;
    std::vector<std::vector<RefCommit>> commits;
    std::vector<RefInstruction> instructions;  ///< of the current operation
    std::size_t next = 0;
    std::vector<PortRequestPtr> accesses;
    std::int64_t phase = 0;
    std::tuple<int, int, int, int, std::int64_t> instance;
    std::size_t drain_to = 0;
};

class ReferenceRun {
  public:
    ReferenceRun(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                 const MemoryEnvironment& memory, const std::vector<Tick>& role_offsets);
    ReferenceResult run();

  private:
    /// (CTA over all clusters, barrier, copy, warp or 0, stage)
    using Instance = std::tuple<int, int, int, int, std::int64_t>;
    struct Phases {
        std::int64_t arrived = 0, completed = 0;
    };
    struct Pipe {
        Tick issue_free = 0;
        std::map<Unit, Tick> unit_free;
        int last = -1;
    };

    bool pass();
    bool step_warp(RefWarp& warp);
    bool walk(RefWarp& warp);
    void prepare(RefWarp& warp);
    bool issue_one(int sub_partition);
    [[nodiscard]] bool may_issue(const RefWarp& warp, const Pipe& pipe);
    void issued(RefWarp& warp);
    void finish_operation(RefWarp& warp);
    void after_slots(RefWarp& warp, Tick start);
    void next_operation(RefWarp& warp);
    void launch(RefWarp& warp, const AsyncOp& op, Tick when);
    void start(RefWarp& warp, const std::shared_ptr<RefAsync>& async);
    void start_mma(RefWarp& warp, const std::shared_ptr<RefAsync>& async, const MmaOp& op);
    void start_copy(RefWarp& warp, const std::shared_ptr<RefAsync>& async, const CopyOp& op);
    void from_memory(const RefWarp& warp, const std::function<void()>& complete, const CopyOp& op);
    /// When the copy engine began to read, and how long it takes at its own width.
    struct Pace {
        Tick begin = 0;
        Tick duration = 0;
    };
    void to_memory(const RefWarp& warp, const std::function<void()>& complete, const CopyOp& op,
                   const Pace& pace);
    void read_quanta(const RefWarp& warp, const std::vector<Tick>& quanta, std::size_t index,
                     const Pace& pace, const std::function<void(std::size_t)>& read,
                     const std::function<void()>& all_read);
    void complete(RefWarp& warp, const std::shared_ptr<RefAsync>& async);
    void retire(RefWarp& warp, std::size_t op_class);
    void signal(const RefWarp& warp, const BarrierRef& ref, std::int64_t use, At at,
                std::int64_t count, Tick delay);
    void arrive(const Instance& instance, std::int64_t count);
    [[nodiscard]] Instance instance_of(const RefWarp& warp, const BarrierRef& ref, std::int64_t use,
                                       int cta) const;
    [[nodiscard]] std::int64_t stages(int barrier) const;
    [[nodiscard]] std::int64_t use_of(const RefWarp& warp, const BarrierRef& ref) const;
    Phases& phases(const Instance& instance);
    [[nodiscard]] TileClass tile_of(const RefWarp& warp) const;
    [[nodiscard]] std::vector<Tick> quanta_of(std::int64_t bytes) const;
    [[nodiscard]] Tick port_ticks(std::int64_t bytes) const;
    void at(Tick time, std::function<void()> action) {
        timers_.push_back({time, std::move(action)});
    }
    void touch(Tick time) { result_.makespan = std::max(result_.makespan, time); }
    ReferenceTensor& tensor_of(const RefWarp& warp);
    void admit_one(int tensor);
    [[nodiscard]] int tensor_index(const RefWarp& warp) const;

    struct Timer {
        Tick time = 0;
        std::function<void()> action;
    };
    struct Awaited {
        std::vector<PortRequestPtr> requests;
        std::function<void()> action;
    };

    const KernelPlan& plan_;
    std::vector<TileClass> tiles_;
    MemoryEnvironment memory_;
    ReferenceClock clock_;
    std::vector<RefWarp> warps_;
    std::vector<Pipe> pipes_;
    std::vector<ReferenceLine> tmem_, tma_, memory_line_;
    std::vector<ReferencePort> ports_;
    std::vector<ReferenceTensor> tensors_;
    std::vector<Tick> tensor_joined_;
    std::map<Instance, Phases> phases_;
    std::vector<Timer> timers_;
    std::vector<Awaited> awaited_;
    ReferenceResult result_;
};

}  // namespace warpline::test
