#include "warpline/pipeline/kernel_plan.hpp"

namespace warpline {

MemoryEnvironment idle_memory(const GpuSpec& spec) {
    return {spec.tma.l2_latency, spec.tma.hbm_latency, spec.memory.l2_bytes_per_clk_per_sm};
}

}  // namespace warpline
