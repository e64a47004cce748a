// The options that say which attention call and which hardware, shared by subcommands.
#pragma once

#include "cli/command_line.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/diagnostics/failure.hpp"
#include "warpline/explore/changes.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/numerics/score_distribution.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/workload/attention.hpp"
#include "warpline/workload/block_lists.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpline::cli {

/// As text, as the user wrote it; empty = not given.
struct ProblemOptions {
    std::string gpu = "b200";
    std::string head_dim = "128";
    std::string seqlen, seqlen_q, seqlen_kv;
    std::string batch, heads = "16", heads_kv;
    std::string mask, window;
    std::string dtype = "bf16";
    std::string varlen;
    std::string scores;
    std::string blocks;
    bool deterministic = false;
    std::vector<std::string> set;

    /// Adds the options to a subcommand. This object must outlive the parse.
    void declare(const Command& command);

    /// The checked problem, defaults filled in: batch 4, 16 heads, 8192 tokens. Errors: usage.
    [[nodiscard]] Result<AttentionProblem> problem(Direction direction) const;
    /// What scores are like; nothing when not given. Errors: usage.
    [[nodiscard]] Result<std::optional<ScoreDistribution>> score_distribution() const;
};

/// The --set arguments, apart: "hw." names a hardware constant, anything else a parameter.
using Overrides = Changes;
[[nodiscard]] Result<Overrides> split_overrides(const std::vector<std::string>& set);

/// The failure, with the GPUs that have every capability the kernel requires when this one lacks
/// some.
[[nodiscard]] tl::unexpected<Failure> with_gpus_that_can(const std::string& data_dir,
                                                         const PipelineSource& source,
                                                         const GpuSpec& spec, Failure failure);

/// A kernel, or several that run one after the other, lowered for a GPU and a problem.
struct LoadedKernel {
    GpuSpec spec;
    AttentionProblem problem;
    PipelineSource source;
    Operation operation;  ///< with the lists of --blocks

    [[nodiscard]] const KernelPlan& plan() const { return operation.plan; }
};

/// The failure to show one kernel's schedule where there are several; `what` is "--gantt", "a
/// trace". Nothing to fail with one.
[[nodiscard]] Result<void> check_one_kernel(const LoadedKernel& kernel, const std::string& what);

/// Lowers a pipeline that was read already, as the options say. Errors: those of the loaders.
[[nodiscard]] Result<LoadedKernel> load_kernel(const std::string& data_dir,
                                               const PipelineSource& source,
                                               const ProblemOptions& options);

/// The same for `kernel`, an id or a file. Where an id does not take the problem and its family has
/// another in its place, that one.
[[nodiscard]] Result<LoadedKernel> load_kernel(const std::string& data_dir,
                                               const std::string& kernel,
                                               const ProblemOptions& options);

}  // namespace warpline::cli
