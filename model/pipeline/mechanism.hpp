// Switching off, one by one, what makes a kernel slower than it might be.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace warpline {

/// What can be switched off, to see what it costs: mechanism_meaning() says what is left of each.
/// The roofline, the recurrence bound and the engine all see the same machine without it.
enum class Mechanism : std::uint8_t {
    smem_contention,
    issue_contention,
    pipe_contention,
    tmem_bandwidth,
    dependence_latency,
    barrier_latency,
    register_contention,
    mma_latency,
    memory_latency,
    memory_bandwidth,
    instruction_fetch,
    turn_wait,
};
[[nodiscard]] const std::vector<Mechanism>& all_mechanisms();
[[nodiscard]] std::string_view mechanism_name(Mechanism mechanism);

/// `plan` on a machine without the mechanisms in `off`.
[[nodiscard]] KernelPlan without(KernelPlan plan, const std::set<Mechanism>& off);
[[nodiscard]] MemoryEnvironment without(MemoryEnvironment memory, const std::set<Mechanism>& off);

}  // namespace warpline
