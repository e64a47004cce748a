// Kernel plans written by hand, for tests of the engine: every time is what the test says, and 0
// otherwise.
#pragma once

#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpline::testing {

/// Appends operations to one role's program.
class RoleBuilder {
  public:
    RoleBuilder(KernelPlan& plan, std::size_t role) : plan_(plan), role_(role) {}

    RoleBuilder& loop_tiles();
    RoleBuilder& loop(Affine count);
    RoleBuilder& end();
    /// Operations up to the matching end_when() run only where the predicate holds.
    RoleBuilder& when(Predicate predicate);
    RoleBuilder& end_when();
    RoleBuilder& issue(int instruction, std::int64_t count = 1, std::int64_t chains = 0,
                       bool results_needed = true);
    RoleBuilder& weave(std::vector<IssuePart> parts, bool results_needed = true);
    RoleBuilder& async(std::variant<MmaOp, TmemOp, CopyOp> work, int op_class = 0);
    RoleBuilder& async_on(std::variant<MmaOp, TmemOp, CopyOp> work, BarrierRef signals,
                          int op_class = 0);
    RoleBuilder& commit(int op_class = 0);
    RoleBuilder& commit_on(BarrierRef on, int op_class = 0);
    RoleBuilder& drain(std::int64_t leave = 0, int op_class = 0);
    RoleBuilder& arrive(BarrierRef on, std::int64_t count = 1);
    RoleBuilder& wait(BarrierRef on);
    RoleBuilder& take(int ring, int handle);

  private:
    RoleBuilder& add(OpBody body);

    KernelPlan& plan_;
    std::size_t role_;
    std::vector<int> open_;  ///< indices of LoopBegins and SkipUnlesses not yet closed
};

class PlanBuilder {
  public:
    PlanBuilder();

    int instruction(Unit unit, Tick interval, Tick latency, std::int64_t smem_bytes = 0,
                    int issue_slots = 1);
    /// An mbarrier of one stage.
    BarrierRef barrier(const std::string& name, std::int64_t arrivals = 1,
                       std::int64_t initially_complete = 0);
    int ring(const std::string& name, int stages);
    /// An mbarrier with an instance a stage of the ring, addressed by `handle`.
    BarrierRef ring_barrier(const std::string& name, int ring, std::int64_t arrivals,
                            std::int64_t initially_complete, int handle = 0);
    /// A role with two operation classes and four ring handles.
    RoleBuilder role(const std::string& name, int first_warp, int warps = 1);

    KernelPlan plan;
};

/// One tile of `blocks` blocks, `count` times.
[[nodiscard]] std::vector<TileRun> tiles_of(std::int64_t blocks, std::int64_t count = 1);
/// Granularity 1, nothing folded: the rules as they are written.
[[nodiscard]] EngineOptions exact_options();
/// Runs the plan, and checks the books: busy + idle = makespan for every unit, no unit busy for
/// longer, nothing negative. A failure fails the test.
[[nodiscard]] Schedule run_checked(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                                   const EngineOptions& options = exact_options(),
                                   const MemoryEnvironment& memory = {});
void check_books(const Schedule& schedule);
/// Everything two runs of one plan must agree on, but for events and what was found.
void check_equal(const Schedule& x, const Schedule& y);

}  // namespace warpline::testing
