// Switching off, one by one, what makes a kernel slower than it might be.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace warpline {

/// What can be switched off, to see what it costs. The roofline, the recurrence bound and the
/// engine all see the same machine without it.
enum class Mechanism : std::uint8_t {
    smem_contention,      ///< nobody waits for another's use of the SMEM port; one's own bytes take
                          ///< time
    issue_contention,     ///< every warp has an issue port of its own
    pipe_contention,      ///< every warp has fma, alu, xu, lsu and adu pipes of its own, as wide as
                          ///< before
    tmem_bandwidth,       ///< TMEM ports take no time (latency stays)
    dependence_latency,   ///< results of warp instructions are there at once
    barrier_latency,      ///< arrivals, wake-ups and remote arrivals take no time
    register_contention,  ///< warp instructions run beside a wgmma as they do alone
    mma_latency,          ///< MMA results are visible when the tensor core is done
    memory_latency,       ///< first bytes come at once, and stores are complete when sent
    memory_bandwidth,     ///< the path to L2 takes no time
    instruction_fetch,    ///< all machine code is at hand
    turn_wait,            ///< a turn in an order of all CTAs has always come when it is asked for
};
[[nodiscard]] const std::vector<Mechanism>& all_mechanisms();
[[nodiscard]] std::string_view mechanism_name(Mechanism mechanism);

/// `plan` on a machine without the mechanisms in `off`.
[[nodiscard]] KernelPlan without(KernelPlan plan, const std::set<Mechanism>& off);
[[nodiscard]] MemoryEnvironment without(MemoryEnvironment memory, const std::set<Mechanism>& off);

}  // namespace warpline
