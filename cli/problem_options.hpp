// The options that say which attention call and which hardware, shared by subcommands.
#pragma once

#include "cli/command_line.hpp"
#include "warpline/diagnostics/failure.hpp"
#include "warpline/explore/changes.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/numerics/score_distribution.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/side_launch.hpp"
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

/// A kernel, lowered for a GPU and a problem.
struct LoadedKernel {
    GpuSpec spec;
    AttentionProblem problem;
    KernelPlan plan;
    std::vector<SideLaunch> launches;  ///< before and after it
    std::optional<BlockLists> blocks;  ///< --blocks
};

/// Lowers a pipeline that was read already, as the options say. Errors: those of the loaders.
[[nodiscard]] Result<LoadedKernel> load_kernel(const std::string& data_dir,
                                               const PipelineSource& source,
                                               const ProblemOptions& options);

/// The same for `kernel`, an id or a file.
[[nodiscard]] Result<LoadedKernel> load_kernel(const std::string& data_dir,
                                               const std::string& kernel,
                                               const ProblemOptions& options);

}  // namespace warpline::cli
