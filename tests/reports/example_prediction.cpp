#include "example_prediction.hpp"

#include "warpline/device/kernel_sum.hpp"

#include <limits>

namespace warpline::test {
namespace {

Op labelled(OpBody body, const char* label) {
    return {std::move(body), label, 1};
}

KernelPlan example_plan() {
    KernelPlan plan;
    plan.kernel = "toy";
    plan.title = "A toy";
    plan.file = "pipelines/toy.yaml";
    plan.hash = "0123456789abcdef";
    Barrier barrier;
    barrier.name = "s_full";
    plan.barriers = {barrier};
    Role softmax;
    softmax.name = "softmax[0]";
    softmax.base_name = "softmax";
    softmax.copy = 0;
    softmax.warps = 4;
    softmax.program = {labelled(WaitOp{}, ""), labelled(IssueOp{}, "row max")};
    Role mma;
    mma.name = "mma";
    mma.base_name = "mma";
    mma.first_warp = 4;
    mma.program = {labelled(AsyncOp{}, "QK")};
    plan.roles = {softmax, mma};
    plan.budgets = {{"SMEM", 200'000, 232'448, "bytes", "q 64 KiB + kv 128 KiB"}};
    plan.parameters = {{"kv_stages", 3.0}};
    return plan;
}

ScheduleEvent event(ScheduleEvent::Kind kind, int usage, int op, Unit unit, Tick start, Tick end) {
    ScheduleEvent made;
    made.kind = kind;
    made.usage = usage;
    made.op = op;
    made.unit = unit;
    made.iteration = 7;
    made.start = ticks_from_cycles(start);
    made.end = ticks_from_cycles(end);
    made.requested = made.start;
    made.completed = made.end;
    return made;
}

Schedule example_schedule() {
    using Kind = ScheduleEvent::Kind;
    Schedule schedule;
    schedule.makespan = ticks_from_cycles(1000);
    schedule.steady = {true, ticks_from_cycles(100), 1, ticks_from_cycles(200), {}};
    const Cause barrier{Cause::Kind::barrier, 0};
    const Cause xu{Cause::Kind::unit, static_cast<int>(Unit::xu)};
    schedule.units = {
        {Unit::tensor,
         0,
         0,
         1,
         ticks_from_cycles(800),
         {{barrier, ticks_from_cycles(150)}, {{Cause::Kind::finished, 0}, ticks_from_cycles(50)}}}};
    schedule.roles = {{0,
                       0,
                       0,
                       0,
                       4,
                       ticks_from_cycles(600),
                       {{barrier, ticks_from_cycles(300)}, {xu, ticks_from_cycles(100)}}},
                      {1, 0, 0, 0, 1, ticks_from_cycles(10), {{barrier, ticks_from_cycles(990)}}}};
    schedule.events = {event(Kind::wait, 0, 0, Unit::adu, 200, 225),
                       event(Kind::issue, 0, 1, Unit::alu, 225, 300),
                       event(Kind::async, 1, 0, Unit::tensor, 220, 300)};
    schedule.events[2].requested = ticks_from_cycles(210);
    schedule.events[2].completed = ticks_from_cycles(300) + 1;
    schedule.events[2].cause = barrier;
    return schedule;
}

RecurrenceBound example_recurrence() {
    RecurrenceBound bound;
    bound.cycle_ticks_per_block = 90.0 * static_cast<double>(ticks_per_cycle);
    bound.ticks_per_block = bound.cycle_ticks_per_block;
    bound.critical_cycle = {{1, 0, 0, ticks_from_cycles(50), "mma QK", "tensor"},
                            {1, 0, 0, ticks_from_cycles(10), "mma QK", "tensor"},
                            {0, 1, 1, ticks_from_cycles(30), "softmax[0] row max", "issue"}};
    return bound;
}

}  // namespace

Prediction example_prediction() {
    Prediction p;
    p.problem.batch = 4;
    p.problem.heads_q = p.problem.heads_kv = 16;
    p.problem.seqlen_q = p.problem.seqlen_kv = 8192;
    p.gpu = "b200";
    p.kernel = "toy";
    p.clock = {ClockHz(1'000'000'000), ClockHz(900'000'000), ClockHz(1'100'000'000), "a test"};
    p.seconds = 1e-3;
    p.makespan_cycles = 980'000;
    p.counted_flops = 6e11;
    p.executed_flops = 6.4e11;
    p.tflops = 600.0;
    p.utilization = 0.64;
    p.steady = {80.0, 90.0, 100.0, 256, 128};
    p.steady_roofline.bound = Unit::tensor;
    p.recurrence = example_recurrence();
    p.schedule = example_schedule();
    p.waves.tiles = 2048;
    p.waves.slots = 148;
    p.waves.waves = 2048.0 / 148.0;
    p.waves.makespan_cycles = 980'000;
    p.waves.mean_active_cycles = 930'000;
    p.waves.hbm_bytes = 1.5e9;
    p.waves.l2_bytes = 1.2e10;
    p.units = {{Unit::tensor, 0.8, 80.0, 1000.0},
               {Unit::xu, 0.5, 50.0, 1600.0},
               {Unit::lsu, 0.0, 0.0, std::numeric_limits<double>::infinity()}};
    p.bound_by = "tensor core";
    p.plan = example_plan();
    p.assumptions = {"rescaling happens in 1 of 16 steps"};
    p.version = "9.9.9";
    p.spec_hash = "fedcba9876543210";
    return p;
}

Prediction example_operation() {
    Prediction first = example_prediction();
    first.kernel = first.plan.kernel = "first";
    Prediction second = first;
    second.kernel = second.plan.kernel = "second";
    second.seconds = 2e-3;
    second.tflops = 300.0;
    second.utilization = 0.32;
    second.bound_by = "latency";
    KernelPlan plan;
    plan.kernel = "both";
    Prediction sum = sum_of_kernels(plan, {first, second});
    sum.side_times = {{"prepare", false, 5e-4}};
    sum.seconds += 5e-4;
    sum.tflops *= 3.0 / 3.5;
    sum.utilization *= 3.0 / 3.5;
    return sum;
}

}  // namespace warpline::test
