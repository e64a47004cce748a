// Small plans written by hand, for tests of the bounds.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <string>
#include <utility>

namespace warpline::test {

inline constexpr Tick cycles(std::int64_t count) {
    return ticks_from_cycles(count);
}

/// A machine with simple numbers: arrivals count after 10 cycles, waiters resume after 5, remote
/// arrivals take 100 more.
inline KernelPlan small_plan() {
    KernelPlan plan;
    plan.kernel = "test";
    plan.machine.sync.mbarrier_arrive = cycles(10);
    plan.machine.sync.mbarrier_wait = cycles(5);
    plan.machine.sync.remote_arrive = cycles(100);
    plan.machine.sync.named_barrier = cycles(20);
    plan.machine.tma.issue_interval = cycles(2);
    plan.machine.tma.store_latency = cycles(50);
    plan.machine.tma.dsmem_latency = cycles(200);
    plan.instructions = {
        {"fma", Unit::fma, cycles(2), cycles(4), 0, 1},
        {"ex2", Unit::xu, cycles(8), cycles(20), 0, 1},
        {"lds", Unit::lsu, cycles(2), cycles(30), 512, 1},
    };
    return plan;
}
inline constexpr int fma = 0;
inline constexpr int ex2 = 1;
inline constexpr int lds = 2;

inline MemoryEnvironment small_memory() {
    return {cycles(300), cycles(700), 64.0};
}

/// Adds operations to a program and closes loops and branches.
class ProgramBuilder {
  public:
    ProgramBuilder& op(OpBody body, std::string label = "op") {
        program_.push_back({std::move(body), std::move(label), 0});
        return *this;
    }
    ProgramBuilder& issue(int instruction, std::int64_t count, std::int64_t chains = 0,
                          bool results_needed = true) {
        return op(IssueOp{{{instruction, count, chains}}, results_needed}, "issue");
    }
    ProgramBuilder& mma(std::int64_t steps, Tick tensor, std::int64_t smem_bytes = 0,
                        Tick completion = 0) {
        MmaOp work;
        work.steps = steps;
        work.tensor = tensor;
        work.smem_bytes = smem_bytes;
        work.completion = completion;
        return op(AsyncOp{work, 0, {}, At::self}, "mma");
    }
    ProgramBuilder& commit(int barrier, At at = At::self) {
        return op(CommitOp{0, BarrierRef{barrier, 0, -1}, at}, "commit");
    }
    ProgramBuilder& drain(std::int64_t leave = 0) { return op(DrainOp{0, leave}, "drain"); }
    ProgramBuilder& wait(int barrier, int handle = -1) {
        return op(WaitOp{{barrier, 0, handle}}, "");
    }
    ProgramBuilder& arrive(int barrier, std::int64_t count, int handle = -1, At at = At::self) {
        return op(ArriveOp{{barrier, 0, handle}, count, at}, "");
    }
    ProgramBuilder& take(int ring, int handle) { return op(TakeOp{ring, handle}, ""); }
    ProgramBuilder& loop_tiles() { return open({LoopBegin::Over::tiles, {}, 0}); }
    ProgramBuilder& loop(Affine count) { return open({LoopBegin::Over::count, count, 0}); }
    ProgramBuilder& loop_blocks(std::int64_t plus = 0) { return loop({plus, 1, 0, 0}); }
    ProgramBuilder& when(Predicate predicate) {
        open_.push_back(static_cast<int>(program_.size()));
        return op(SkipUnless{std::move(predicate), 0}, "");
    }
    ProgramBuilder& end_when() {
        const int begin = open_.back();
        open_.pop_back();
        std::get<SkipUnless>(program_[static_cast<std::size_t>(begin)].body).target =
            static_cast<int>(program_.size());
        return *this;
    }
    ProgramBuilder& end() {
        const int begin = open_.back();
        open_.pop_back();
        std::get<LoopBegin>(program_[static_cast<std::size_t>(begin)].body).end =
            static_cast<int>(program_.size());
        return op(LoopEnd{begin}, "");
    }
    [[nodiscard]] Program build() const { return program_; }

  private:
    ProgramBuilder& open(LoopBegin loop) {
        open_.push_back(static_cast<int>(program_.size()));
        return op(loop, "");
    }
    Program program_;
    std::vector<int> open_;
};

/// Adds a role of `warps` warps after those that are there.
inline Role& add_role(KernelPlan& plan, std::string name, int warps, Program program) {
    Role role;
    role.base_name = name;
    role.name = std::move(name);
    role.first_warp =
        plan.roles.empty() ? 0 : plan.roles.back().first_warp + plan.roles.back().warps;
    role.warps = warps;
    role.classes = {"async"};
    role.handles = 4;
    role.program = std::move(program);
    plan.roles.push_back(std::move(role));
    return plan.roles.back();
}

inline int add_barrier(KernelPlan& plan, std::string name, BarrierKind kind, std::int64_t arrivals,
                       std::int64_t initially_complete = 0) {
    Barrier barrier;
    barrier.name = std::move(name);
    barrier.kind = kind;
    barrier.arrivals = arrivals;
    barrier.initially_complete = initially_complete;
    plan.barriers.push_back(std::move(barrier));
    return static_cast<int>(plan.barriers.size()) - 1;
}

/// A ring with its full and empty barriers; returns the ring, full = barrier, empty = barrier + 1.
struct RingIds {
    int ring = 0, full = 0, empty = 0;
};
inline RingIds add_ring(KernelPlan& plan, const std::string& name, int stages, BarrierKind kind,
                        std::int64_t full_arrivals, std::int64_t empty_arrivals) {
    RingIds ids;
    ids.ring = static_cast<int>(plan.rings.size());
    plan.rings.push_back({name, stages});
    ids.full = add_barrier(plan, name + "_full", kind, full_arrivals);
    ids.empty = add_barrier(plan, name + "_empty", BarrierKind::mbarrier, empty_arrivals, 1);
    for (const int barrier : {ids.full, ids.empty}) {
        plan.barriers[static_cast<std::size_t>(barrier)].ring = ids.ring;
        plan.barriers[static_cast<std::size_t>(barrier)].stages = stages;
    }
    return ids;
}

}  // namespace warpline::test
