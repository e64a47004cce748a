// What a kernel's design takes of a GPU, found without lowering its programs.
#pragma once

#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/parameters.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// A design: the values that the file's parameters have under some overrides.
struct DesignFit {
    std::vector<Parameter> parameters;  ///< resolved, in file order
    /// As compute_needs() gives them; empty when a check or a limit forbids the design.
    std::vector<Budget> budgets;
    std::vector<std::string> forbidden;  ///< the checks and limits that it breaks

    [[nodiscard]] bool fits() const;
    /// Precondition: the file has the parameter.
    [[nodiscard]] double value(std::string_view parameter) const;
};

/// By how much a budget is exceeded, 0 when it is kept.
[[nodiscard]] std::int64_t excess(const Budget& budget);

/// Errors: input (file); usage (an override that names no parameter, or lies outside its limits);
/// infeasible, whatever the design (the GPU lacks a capability, the kernel does not take the
/// dtype).
[[nodiscard]] Result<DesignFit> fit_design(const PipelineSource& source, const GpuSpec& spec,
                                           const AttentionProblem& problem,
                                           const std::vector<ParameterOverride>& overrides);

/// The parameters that stand alone as the `registers` of a role: they split the register file and
/// change no time.
[[nodiscard]] std::vector<std::string> register_parameters(const PipelineSource& source);

/// "tile_kv=96 q_stages=2"; "as the kernel is" without any.
[[nodiscard]] std::string design_text(const std::vector<ParameterOverride>& set);

}  // namespace warpline
