// Why no design of a kernel fits a GPU, by how much, and which head dims would.
#pragma once

#include "warpline/planner/design_space.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpline {

/// A budget that a design exceeds.
struct Shortfall {
    Budget budget;
    std::vector<ParameterOverride> set;  ///< of the design
    bool every_design = false;  ///< the design is the one that takes least, and it is too much
};

/// The budgets that every design exceeds, each with the design that takes least of it; when there
/// is none, those that the nearest design exceeds (the one with the least sum of excess / limit).
/// Designs that a check forbids have no budgets and are left out; equal ones count in their order.
[[nodiscard]] std::vector<Shortfall> shortfalls(const std::vector<Design>& designs);

/// "SMEM: 233472 B needed, 232448 available, 1024 over, with tile_kv=128 (q ...)".
[[nodiscard]] std::string describe(const Shortfall& shortfall);

/// Head dims (of Q and K, of V) below the problem's for which some design fits: the largest equal
/// ones when the problem's are equal, else the largest of V with that of Q and K as asked, and the
/// other way round. In steps of 16, found by bisection. Errors: those of fit_design().
[[nodiscard]] Result<std::vector<std::pair<std::int64_t, std::int64_t>>> head_dims_that_fit(
    const DesignRequest& request);

/// A refusal of the kernel as it is, with what its other designs say: the --set arguments of the
/// first that fits, or the budgets that stand in the way of all. Unchanged where the file leaves
/// nothing to choose.
[[nodiscard]] Failure explain_refusal(const DesignRequest& request, Failure refusal);

/// All of it as a failure (infeasible). `designs` are all that there are.
[[nodiscard]] Failure explain_shortfall(const DesignRequest& request,
                                        const std::vector<Design>& designs);

}  // namespace warpline
