// pipelines/*.yaml + GpuSpec + problem -> KernelPlan.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace warpline {

/// "kv_stages" and "2" of --set kv_stages=2. The value is an expression like those in the file.
struct ParameterOverride {
    std::string name;
    std::string expression;
};

/// Loads kernel `id` ("fa4_fwd") from `data_dir`/pipelines, or the file itself when `id` ends in
/// ".yaml", evaluates it for the GPU and problem, checks arrival counts and budgets, and lowers
/// every program. Errors: usage (unknown id or parameter), input (file; all semantic errors at
/// once), infeasible (the GPU lacks a capability, a requirement of the file fails, or a budget is
/// exceeded: by how much, and what fits).
[[nodiscard]] Result<KernelPlan> load_plan(const std::filesystem::path& data_dir,
                                           const std::string& id, const GpuSpec& spec,
                                           const AttentionProblem& problem,
                                           const std::vector<ParameterOverride>& overrides = {});

/// Checks a pipeline file as load_plan() does, for the direction that the file names. Returns its
/// warnings; errors are those of load_plan().
[[nodiscard]] Result<std::vector<Diagnostic>> check_pipeline(
    const std::filesystem::path& file, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides = {});

/// The kernels that can be loaded, sorted.
[[nodiscard]] std::vector<std::string> list_kernels(const std::filesystem::path& data_dir);

}  // namespace warpline
