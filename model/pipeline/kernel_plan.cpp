#include "warpline/pipeline/kernel_plan.hpp"

namespace warpline {

MemoryEnvironment idle_memory(const GpuSpec& spec) {
    return {spec.tma.l2_latency, spec.tma.hbm_latency, spec.memory.sm_bytes_per_clk};
}

}  // namespace warpline
