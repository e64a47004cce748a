// Programs and plans written by hand, for tests of the engine.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpline::test {

constexpr Tick cycles(std::int64_t count) {
    return ticks_from_cycles(count);
}

/// Writes one role's program; loops and branches are closed by `end()`.
class ProgramWriter {
  public:
    ProgramWriter& op(OpBody body, std::string label = "op") {
        program_.push_back(
            {std::move(body), std::move(label), static_cast<int>(program_.size()) + 1});
        return *this;
    }
    ProgramWriter& tiles() { return open(LoopBegin{LoopBegin::Over::tiles, {}, 0}); }
    ProgramWriter& loop(Affine count) { return open(LoopBegin{LoopBegin::Over::count, count, 0}); }
    ProgramWriter& blocks(std::int64_t plus = 0) { return loop({plus, 1, 0, 0}); }
    ProgramWriter& when(Predicate predicate) { return open(SkipUnless{std::move(predicate), 0}); }
    ProgramWriter& otherwise() {
        const int skip = open_.back();
        open_.back() = here();
        op(Jump{0}, "");
        std::get<SkipUnless>(program_[static_cast<std::size_t>(skip)].body).target = here();
        return *this;
    }
    ProgramWriter& end() {
        const int begin = open_.back();
        open_.pop_back();
        OpBody& body = program_[static_cast<std::size_t>(begin)].body;
        if (auto* loop = std::get_if<LoopBegin>(&body)) {
            loop->end = here();
            op(LoopEnd{begin}, "");
        } else if (auto* skip = std::get_if<SkipUnless>(&body)) {
            skip->target = here();
        } else {
            std::get<Jump>(body).target = here();
        }
        return *this;
    }

    ProgramWriter& issue(int instruction, std::int64_t count, std::int64_t chains = 0,
                         bool results = true) {
        return op(IssueOp{{{instruction, count, chains}}, results}, "issue");
    }
    ProgramWriter& weave(std::vector<IssuePart> parts, bool results = true) {
        return op(IssueOp{std::move(parts), results}, "weave");
    }
    ProgramWriter& mma(MmaOp work, int op_class = 0, std::optional<BarrierRef> signals = {}) {
        return op(AsyncOp{work, op_class, signals, At::self}, "mma");
    }
    ProgramWriter& tmem(TmemOp work, int op_class = 0) {
        return op(AsyncOp{work, op_class, {}, At::self}, "tmem");
    }
    ProgramWriter& copy(CopyOp work, int op_class = 0, std::optional<BarrierRef> signals = {}) {
        return op(AsyncOp{work, op_class, signals, At::self}, "copy");
    }
    ProgramWriter& commit(int op_class, std::optional<BarrierRef> on = {}, At at = At::self) {
        return op(CommitOp{op_class, on, at});
    }
    ProgramWriter& drain(int op_class, std::int64_t leave = 0) {
        return op(DrainOp{op_class, leave});
    }
    ProgramWriter& arrive(BarrierRef on, std::int64_t count = 1, At at = At::self) {
        return op(ArriveOp{on, count, at});
    }
    ProgramWriter& wait(BarrierRef on) { return op(WaitOp{on}); }
    ProgramWriter& take(int ring, int handle) { return op(TakeOp{ring, handle}); }

    [[nodiscard]] Program program() const { return program_; }

  private:
    [[nodiscard]] int here() const { return static_cast<int>(program_.size()); }
    ProgramWriter& open(OpBody body) {
        open_.push_back(here());
        return op(std::move(body), "");
    }

    Program program_;
    std::vector<int> open_;
};

/// Adds the parts of a plan by name and hands out their indices.
class PlanWriter {
  public:
    PlanWriter() {
        plan_.kernel = "test";
        plan_.file = "test.yaml";
        plan_.machine.sync.mbarrier_arrive = cycles(10);
        plan_.machine.sync.mbarrier_wait = cycles(6);
        plan_.machine.sync.remote_arrive = cycles(90);
        plan_.machine.sync.named_barrier = cycles(12);
        plan_.machine.tma.issue_interval = cycles(8);
        plan_.machine.tma.store_latency = cycles(50);
        plan_.machine.tma.dsmem_latency = cycles(100);
    }

    [[nodiscard]] KernelPlan& plan() { return plan_; }
    int instruction(std::string name, Unit unit, Tick interval, Tick latency,
                    std::int64_t smem_bytes = 0, int slots = 1) {
        plan_.instructions.push_back({std::move(name), unit, interval, latency, smem_bytes, slots});
        return static_cast<int>(plan_.instructions.size()) - 1;
    }
    int ring(std::string name, int stages) {
        plan_.rings.push_back({std::move(name), stages});
        return static_cast<int>(plan_.rings.size()) - 1;
    }
    int barrier(Barrier barrier) {
        plan_.barriers.push_back(std::move(barrier));
        return static_cast<int>(plan_.barriers.size()) - 1;
    }
    /// Flipped by `arrivals`; with `ring`, one instance a stage, released at the start when `free`.
    int barrier(std::string name, std::int64_t arrivals, int ring = -1, bool free = false) {
        Barrier made;
        made.name = std::move(name);
        made.arrivals = arrivals;
        made.ring = ring;
        made.stages = ring < 0 ? 1 : plan_.rings[static_cast<std::size_t>(ring)].stages;
        made.initially_complete = free ? 1 : 0;
        return barrier(std::move(made));
    }
    int named_barrier(std::string name, std::int64_t arrivals) {
        Barrier made;
        made.name = std::move(name);
        made.kind = BarrierKind::named;
        made.arrivals = arrivals;
        return barrier(std::move(made));
    }
    Role& role(std::string name, int first_warp, int warps, const ProgramWriter& program,
               std::vector<std::string> classes = {"c"}, int handles = 0) {
        Role made;
        made.name = made.base_name = std::move(name);
        made.first_warp = first_warp;
        made.warps = warps;
        made.classes = std::move(classes);
        made.handles = handles;
        made.program = program.program();
        plan_.roles.push_back(std::move(made));
        return plan_.roles.back();
    }

  private:
    KernelPlan plan_;
};

inline BarrierRef at(int barrier, int handle = -1) {
    return {barrier, 0, handle};
}

inline std::vector<TileRun> one_tile(std::int64_t blocks) {
    return {{{blocks, 0, 0}, 1}};
}

}  // namespace warpline::test
