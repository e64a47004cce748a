// What is said when a pipeline stops with work left.
#pragma once

#include "warpline/recurrence/untimed_run.hpp"

#include <vector>

namespace warpline {

/// An agent that waits for a phase that never completes.
struct StuckAgent {
    int agent = 0;
    int op = 0;
    BarrierRef on;
    std::int64_t phase = 0;
    std::int64_t current = 0;  ///< phase that arrivals count for now
    std::int64_t arrived = 0;  ///< in that phase
    std::int64_t needed = 0;
};

/// One diagnostic for each waiting role: its barrier, the phase, and who should have arrived; the
/// roles of a closed circle of waits come first. Precondition: `stuck` is not empty.
[[nodiscard]] tl::unexpected<Failure> stuck_failure(const KernelPlan& plan,
                                                    const std::vector<AgentTrace>& agents,
                                                    const std::vector<StuckAgent>& stuck);

/// "s_full[1]" for copy 1 of a barrier with copies, else its name.
[[nodiscard]] std::string barrier_text(const KernelPlan& plan, const BarrierRef& ref);

}  // namespace warpline
