// What latency and buffering alone allow: the maximum cycle ratio of the pipeline's event graph.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

/// One step of the critical cycle: operation `op` of `role`, and the ticks until the next one may
/// happen.
struct CycleStep {
    int role = 0;
    int op = 0;
    std::int64_t iteration = 0;  ///< relative to the first step
    Tick weight = 0;             ///< to the next step
    std::string label;           ///< "softmax[0] row max"
    std::string reason;  ///< what the weight is: "issue", "tensor", "s_full[0] completes", ...
};

struct RecurrenceBound {
    double ticks_per_block = 0.0;        ///< max of the cycle ratio and every unit's steady demand
    double cycle_ticks_per_block = 0.0;  ///< of the critical cycle alone
    std::vector<CycleStep> critical_cycle;  ///< empty when a unit's demand binds
    bool unit_bound = false;
    Unit unit = Unit::tensor;  ///< when unit_bound
};

/// Builds the steady-state event graph by running the programs untimed, checks it for deadlock (a
/// strongly connected component over zero-distance edges), and finds its maximum cycle ratio, exact
/// in integers. Weights are the least time an edge can take: never more than the engine's. Errors:
/// deadlock; infeasible when the loop never reaches a periodic state.
[[nodiscard]] Result<RecurrenceBound> recurrence_bound(const KernelPlan& plan,
                                                       const MemoryEnvironment& memory);

}  // namespace warpline
