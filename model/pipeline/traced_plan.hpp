// A plan, and what it depends on: for those who ask for many problems and lower few plans.
#pragma once

#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/parameters.hpp"
#include "warpline/pipeline/side_launches.hpp"

#include <vector>

namespace warpline {

struct TracedPlan {
    KernelPlan plan;
    /// Names of the problem and parameters that were asked for after the parameters themselves. A
    /// problem of the same direction and data type that gives each the same value has the same
    /// plan but for its parameters and hash, and the same errors.
    NameValues asked;
    std::vector<SideLaunch> launches;  ///< what side_launches() answers
};

/// make_plan(), traced. `known`: parameters as they were resolved before, with the same source,
/// specification and overrides; those whose grounds have not changed are not read again.
[[nodiscard]] Result<TracedPlan> make_traced_plan(
    const PipelineSource& source, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides = {}, const std::vector<Parameter>& known = {});

/// The problem's names and these parameters.
[[nodiscard]] NameValues given_values(const AttentionProblem& problem,
                                      const std::vector<Parameter>& parameters);

/// Sets what distinguishes plans that ask for the same values: parameters and hash.
void set_parameters(KernelPlan& plan, const PipelineSource& source,
                    const std::vector<Parameter>& parameters);

}  // namespace warpline
