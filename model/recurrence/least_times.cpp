#include "warpline/recurrence/least_times.hpp"

#include "warpline/roofline/op_demand.hpp"

#include <algorithm>

namespace warpline {
namespace {

/// Rounded down: a bound must not gain what the engine's rounding may lose.
Tick transfer(std::int64_t bytes, double bytes_per_clk) {
    return static_cast<Tick>(transfer_ticks(bytes, bytes_per_clk));
}

LeastTimes serve(const KernelPlan& plan, const MmaOp& mma, const MemoryEnvironment& /*memory*/) {
    LeastTimes times;
    times.unit = Unit::tensor;
    times.duration = ticks_from_cycles(mma.steps * mma.issue_slots);
    times.step = mma.tensor;
    times.occupancy = mma.steps * mma.tensor;
    times.operands = mma.steps * transfer(mma.smem_bytes, plan.machine.smem_bytes_per_clk);
    times.service = std::max(mma.first_operand + times.occupancy, times.operands);
    times.after = mma.completion;
    return times;
}

LeastTimes serve(const KernelPlan& /*plan*/, const TmemOp& tmem,
                 const MemoryEnvironment& /*memory*/) {
    LeastTimes times;
    times.unit = tmem.unit();
    times.duration = ticks_from_cycles(tmem.instructions);
    times.service = tmem.port;
    times.occupancy = tmem.port;
    times.after = tmem.latency;
    return times;
}

LeastTimes serve(const KernelPlan& plan, const CopyOp& copy, const MemoryEnvironment& memory) {
    LeastTimes times;
    times.unit = copy.engine == CopyEngine::tma ? Unit::tma : Unit::lsu;
    times.duration = ticks_from_cycles(copy.instructions);
    const bool global = copy.from == Space::global || copy.to == Space::global;
    const bool fill = copy.from == Space::global && copy.to != Space::registers &&
                      fill_uses_port(plan.machine, copy);
    // Quanta are read one after the other; those written follow each other only where they share
    // the port.
    const bool written = (fill || copy.to == Space::peer_smem) && plan.machine.smem_contention;
    const bool port = copy.from == Space::smem || written;
    const Tick path = global ? transfer(copy.bytes, memory.bytes_per_clk) : 0;
    const Tick engine = copy.engine == CopyEngine::tma ? engine_time(plan.machine, copy) : 0;
    const Tick pass = port ? transfer(copy.bytes, plan.machine.smem_bytes_per_clk) : 0;
    if (copy.from == Space::global) {
        // Quanta go through the port as they come in.
        times.service = std::max(path, pass) + (copy.l2_hit ? memory.latency : memory.miss_latency);
    } else if (copy.to == Space::global) {
        // Sent while it is read out.
        times.service = std::max({pass, path, engine});
        times.after = plan.machine.tma.store_latency;
    } else {
        // The last quantum travels when the engine has read all before it.
        const Tick quanta = std::max<Tick>(1, pass / std::max<Tick>(1, plan.machine.smem_quantum));
        times.service = std::max(pass, engine - engine / quanta) +
                        (copy.to == Space::peer_smem ? plan.machine.tma.dsmem_latency : Tick{0});
    }
    return times;
}

}  // namespace

LeastTimes least_times(const KernelPlan& plan, const Op& op, const MemoryEnvironment& memory) {
    const Tick slot = ticks_per_cycle;
    LeastTimes times;
    if (const auto* issue = std::get_if<IssueOp>(&op.body)) {
        times.duration = least_issue_time(plan, *issue);
    } else if (const auto* async = std::get_if<AsyncOp>(&op.body)) {
        times =
            std::visit([&](const auto& work) { return serve(plan, work, memory); }, async->work);
        times.duration = std::max(times.duration, slot);
        times.service += times.duration;  // it is handed over when its slots are over
    } else if (std::holds_alternative<ArriveOp>(op.body) ||
               std::holds_alternative<CommitOp>(op.body)) {
        times.duration = slot;
    } else if (std::holds_alternative<DrainOp>(op.body)) {
        times.before = slot;
    } else if (const auto* wait = std::get_if<WaitOp>(&op.body)) {
        const Barrier& barrier = plan.barriers[static_cast<std::size_t>(wait->on.barrier)];
        times.wake = barrier.kind == BarrierKind::named ? plan.machine.sync.named_barrier
                                                        : plan.machine.sync.mbarrier_wait;
        times.before = std::max(times.wake, slot);
    } else if (const auto* turn = std::get_if<TurnOp>(&op.body)) {
        times.duration = std::max(turn->cost, slot);
    }
    return times;
}

}  // namespace warpline
