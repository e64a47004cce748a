// Pipeline files that name kernels, run one after the other, in place of a program of their own.
#pragma once

#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/side_launch.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warpline {

/// Whether a file, by its schema, names kernels.
[[nodiscard]] bool names_kernels(const YamlNode& root);

/// Reads the kernels that `source` names into its parts, and takes from them what they require and
/// multiply. Errors (input): keys that such a file does not have; fewer than two kernels; one that
/// does not exist, names kernels itself, is of the other direction or has launches; those of
/// `read`.
[[nodiscard]] Result<PipelineSource> with_kernels(
    PipelineSource source, const std::filesystem::path& data_dir,
    const std::function<Result<PipelineSource>(const std::filesystem::path&)>& read);

/// "fa4_bwd_hd256 runs several kernels: fa4_bwd_hd256_dq, fa4_bwd_hd256_dkv", as a failure, for
/// what can be asked of one kernel only. `what` comes of it: "a trace shows one".
[[nodiscard]] tl::unexpected<Failure> several_kernels(const PipelineSource& source,
                                                      const std::string& what);

/// What such a file says beside its kernels.
struct OperationHead {
    KernelPlan plan;  ///< names, parameters and assumptions; no program
    std::vector<SideLaunch> launches;
};

/// Errors: those of make_plan() that concern the file itself; usage (an override that names a
/// parameter neither of the file nor of one of its kernels).
[[nodiscard]] Result<OperationHead> operation_head(const PipelineSource& source,
                                                   const GpuSpec& spec,
                                                   const AttentionProblem& problem,
                                                   const std::vector<ParameterOverride>& overrides);

/// Those that name a parameter of this file.
[[nodiscard]] std::vector<ParameterOverride> overrides_of(
    const PipelineSource& source, const std::vector<ParameterOverride>& overrides);

/// Adds a lowered kernel to what the operation's plan says of itself: parameters and hash.
void add_kernel(KernelPlan& operation, const KernelPlan& kernel);

}  // namespace warpline
