// The least time each operation can take by the rules of the engine, with nothing in its way.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

namespace warpline {

/// Least times of one operation of one warp.
struct LeastTimes {
    Tick duration = 0;  ///< start (of a wait or drain: resumption) -> the next operation may start
    Tick before = 0;    ///< of a wait or drain: the warp gets there -> resumption
    Tick wake = 0;      ///< of a wait: completion of the phase -> resumption
    Unit unit = Unit::issue;  ///< that serves an asynchronous operation
    Tick service = 0;         ///< start -> off the unit
    Tick step = 0;            ///< of an MMA: one instruction on the tensor core
    Tick occupancy = 0;       ///< time on the unit itself; 0 where order of service is not kept
    Tick operands = 0;        ///< of an MMA: all its operands through the SMEM port
    Tick after = 0;           ///< off the unit -> complete
};

[[nodiscard]] LeastTimes least_times(const KernelPlan& plan, const Op& op,
                                     const MemoryEnvironment& memory);

/// Start of an IssueOp to the start of the next operation, for a warp alone on its sub-partition.
[[nodiscard]] Tick least_issue_time(const KernelPlan& plan, const IssueOp& issue);

}  // namespace warpline
