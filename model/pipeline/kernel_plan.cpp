#include "warpline/pipeline/kernel_plan.hpp"

#include <algorithm>

namespace warpline {

MemoryEnvironment idle_memory(const GpuSpec& spec) {
    return {spec.tma.l2_latency, spec.tma.hbm_latency, spec.memory.sm_bytes_per_clk};
}

namespace {

double engine_width(const TmaModel& tma, const CopyOp& copy) {
    if (copy.from == Space::global) {
        return tma.load_bytes_per_clk;
    }
    if (copy.to != Space::global) {
        return tma.dsmem_bytes_per_clk;
    }
    return copy.reduce ? tma.reduce_bytes_per_clk : tma.store_bytes_per_clk;
}

}  // namespace

Tick engine_time(const MachineTimings& machine, const CopyOp& copy) {
    const double width = engine_width(machine.tma, copy);
    if (copy.engine != CopyEngine::tma || width <= 0.0) {
        return machine.tma.issue_interval;
    }
    return std::max(machine.tma.issue_interval,
                    round_to_ticks(static_cast<double>(copy.bytes) / width));
}

}  // namespace warpline
