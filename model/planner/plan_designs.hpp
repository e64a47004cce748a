// The designs of a kernel that fit a GPU, predicted and ranked.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/planner/design_space.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

/// One design that fits.
struct PlannedDesign {
    std::vector<ParameterOverride> set;  ///< what makes it of the kernel as it is
    std::vector<double> values;          ///< in the order of DesignPlan::names
    bool as_it_is = false;  ///< what the file makes of the problem when nothing is chosen
    std::vector<Budget> budgets;
    double seconds = 0.0;
    double tflops = 0.0;
    double utilization = 0.0;
    SteadyAnswers steady;
    std::string bound_by;
    /// Ways to split the registers, each in the order of DesignPlan::register_names; of the fastest
    /// designs only, see PlanOptions::splits_of.
    std::vector<std::vector<double>> register_splits;
};

/// Designs that do not fit, by reason.
struct RefusedDesigns {
    std::string reason;  ///< a budget's name, or what a check says
    std::int64_t designs = 0;
    std::string nearest;  ///< of a budget: the design that exceeds it least, and by how much
};

struct DesignPlan {
    std::string kernel, gpu;
    AttentionProblem problem;
    ClockChoice clock;
    std::vector<std::string> names;  ///< parameters chosen, in file order
    std::vector<std::string> register_names;
    std::int64_t tried = 0;
    std::vector<PlannedDesign> ranked;  ///< fastest first; of equals the one that comes first
    std::vector<RefusedDesigns> refused;
    std::vector<std::string> assumptions;
};

struct PlanOptions {
    PredictOptions predict;
    std::size_t splits_of = 10;  ///< designs whose register splits are counted
};

/// Tries every design. A design that breaks a check is counted under the check, another under the
/// first budget that it exceeds. Errors: those of fit_design(); infeasible when no design fits, see
/// explain_shortfall().
[[nodiscard]] Result<DesignPlan> plan_designs(const DesignRequest& request,
                                              const PlanOptions& options = {});

}  // namespace warpline
