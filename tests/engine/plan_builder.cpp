#include "engine/plan_builder.hpp"

#include <doctest/doctest.h>

namespace warpline::testing {

RoleBuilder& RoleBuilder::add(OpBody body) {
    Op op;
    op.body = std::move(body);
    op.label = "op";
    plan_.roles[role_].program.push_back(std::move(op));
    return *this;
}

RoleBuilder& RoleBuilder::loop_tiles() {
    open_.push_back(static_cast<int>(plan_.roles[role_].program.size()));
    LoopBegin loop;
    loop.over = LoopBegin::Over::tiles;
    return add(loop);
}

RoleBuilder& RoleBuilder::loop(Affine count) {
    open_.push_back(static_cast<int>(plan_.roles[role_].program.size()));
    LoopBegin loop;
    loop.count = count;
    return add(loop);
}

RoleBuilder& RoleBuilder::end() {
    const int begin = open_.back();
    open_.pop_back();
    Program& program = plan_.roles[role_].program;
    std::get<LoopBegin>(program[static_cast<std::size_t>(begin)].body).end =
        static_cast<int>(program.size());
    return add(LoopEnd{begin});
}

RoleBuilder& RoleBuilder::when(Predicate predicate) {
    open_.push_back(static_cast<int>(plan_.roles[role_].program.size()));
    return add(SkipUnless{std::move(predicate), 0});
}

RoleBuilder& RoleBuilder::end_when() {
    Program& program = plan_.roles[role_].program;
    std::get<SkipUnless>(program[static_cast<std::size_t>(open_.back())].body).target =
        static_cast<int>(program.size());
    open_.pop_back();
    return *this;
}

RoleBuilder& RoleBuilder::issue(int instruction, std::int64_t count, std::int64_t chains,
                                bool results_needed) {
    return weave({{instruction, count, chains}}, results_needed);
}

RoleBuilder& RoleBuilder::weave(std::vector<IssuePart> parts, bool results_needed) {
    return add(IssueOp{std::move(parts), results_needed});
}

RoleBuilder& RoleBuilder::async(std::variant<MmaOp, TmemOp, CopyOp> work, int op_class) {
    AsyncOp op;
    op.work = work;
    op.op_class = op_class;
    return add(op);
}

RoleBuilder& RoleBuilder::async_on(std::variant<MmaOp, TmemOp, CopyOp> work, BarrierRef signals,
                                   int op_class) {
    AsyncOp op;
    op.work = work;
    op.op_class = op_class;
    op.signals = signals;
    return add(op);
}

RoleBuilder& RoleBuilder::commit(int op_class) {
    return add(CommitOp{op_class, {}, At::self});
}
RoleBuilder& RoleBuilder::commit_on(BarrierRef on, int op_class) {
    return add(CommitOp{op_class, on, At::self});
}
RoleBuilder& RoleBuilder::drain(std::int64_t leave, int op_class) {
    return add(DrainOp{op_class, leave});
}
RoleBuilder& RoleBuilder::arrive(BarrierRef on, std::int64_t count) {
    return add(ArriveOp{on, count, At::self});
}
RoleBuilder& RoleBuilder::wait(BarrierRef on) {
    return add(WaitOp{on});
}
RoleBuilder& RoleBuilder::take(int ring, int handle) {
    return add(TakeOp{ring, handle});
}

PlanBuilder::PlanBuilder() {
    plan.kernel = "by_hand";
    plan.file = "by_hand.yaml";
    plan.machine.arbitration = Arbitration::oldest_request;
}

int PlanBuilder::instruction(Unit unit, Tick interval, Tick latency, std::int64_t smem_bytes,
                             int issue_slots) {
    InstructionKind kind;
    kind.name = "i" + std::to_string(plan.instructions.size());
    kind.unit = unit;
    kind.interval = interval;
    kind.latency = latency;
    kind.smem_bytes = smem_bytes;
    kind.issue_slots = issue_slots;
    plan.instructions.push_back(kind);
    return static_cast<int>(plan.instructions.size()) - 1;
}

BarrierRef PlanBuilder::barrier(const std::string& name, std::int64_t arrivals,
                                std::int64_t initially_complete) {
    Barrier barrier;
    barrier.name = name;
    barrier.arrivals = arrivals;
    barrier.initially_complete = initially_complete;
    plan.barriers.push_back(barrier);
    return {static_cast<int>(plan.barriers.size()) - 1, 0, -1};
}

int PlanBuilder::ring(const std::string& name, int stages) {
    plan.rings.push_back({name, stages});
    return static_cast<int>(plan.rings.size()) - 1;
}

BarrierRef PlanBuilder::ring_barrier(const std::string& name, int ring, std::int64_t arrivals,
                                     std::int64_t initially_complete, int handle) {
    BarrierRef ref = barrier(name, arrivals, initially_complete);
    plan.barriers.back().ring = ring;
    plan.barriers.back().stages = plan.rings[static_cast<std::size_t>(ring)].stages;
    ref.handle = handle;
    return ref;
}

RoleBuilder PlanBuilder::role(const std::string& name, int first_warp, int warps) {
    Role role;
    role.name = role.base_name = name;
    role.first_warp = first_warp;
    role.warps = warps;
    role.classes = {"first", "second"};
    role.handles = 4;
    plan.roles.push_back(role);
    return {plan, plan.roles.size() - 1};
}

std::vector<TileRun> tiles_of(std::int64_t blocks, std::int64_t count) {
    return {{{blocks, 0, 0}, count}};
}

EngineOptions exact_options() {
    EngineOptions options;
    options.granularity = 1;
    options.fold_sub_partitions = false;
    options.fold_steady_state = false;
    return options;
}

void check_books(const Schedule& schedule) {
    for (const UnitUsage& unit : schedule.units) {
        CAPTURE(unit_name(unit.unit));
        CAPTURE(unit.sub_partition);
        CHECK(unit.busy >= 0);
        CHECK(unit.busy <= schedule.makespan);
        Tick total = unit.busy;
        for (const CausedTime& gap : unit.idle) {
            CHECK(gap.time > 0);
            total += gap.time;
        }
        CHECK(total == schedule.makespan);
    }
    for (const RoleUsage& role : schedule.roles) {
        CAPTURE(role.role);
        Tick total = role.busy;
        for (const CausedTime& stall : role.stalls) {
            CHECK(stall.time > 0);
            total += stall.time;
        }
        CHECK(total <= schedule.makespan);
    }
    for (const Tick end : schedule.tile_ends) {
        CHECK(end <= schedule.makespan);
    }
}

Schedule run_checked(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                     const EngineOptions& options, const MemoryEnvironment& memory) {
    const Result<Schedule> result = simulate(plan, tiles, memory, options);
    if (!result) {
        FAIL("the run failed: " << result.error().text());
    }
    check_books(*result);
    return *result;
}

namespace {

void check_same_times(const std::vector<CausedTime>& x, const std::vector<CausedTime>& y) {
    REQUIRE(x.size() == y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(x[i].cause == y[i].cause);
        CHECK(x[i].time == y[i].time);
    }
}

}  // namespace

void check_equal(const Schedule& x, const Schedule& y) {
    CHECK(x.makespan == y.makespan);
    CHECK(x.tile_ends == y.tile_ends);
    CHECK(x.flops == y.flops);
    CHECK(x.bytes_read == y.bytes_read);
    CHECK(x.bytes_written == y.bytes_written);
    REQUIRE(x.units.size() == y.units.size());
    for (std::size_t i = 0; i < x.units.size(); ++i) {
        CAPTURE(unit_name(x.units[i].unit));
        CHECK(x.units[i].busy == y.units[i].busy);
        check_same_times(x.units[i].idle, y.units[i].idle);
    }
    REQUIRE(x.roles.size() == y.roles.size());
    for (std::size_t i = 0; i < x.roles.size(); ++i) {
        CAPTURE(i);
        CHECK(x.roles[i].busy == y.roles[i].busy);
        check_same_times(x.roles[i].stalls, y.roles[i].stalls);
    }
}

}  // namespace warpline::testing
