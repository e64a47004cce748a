// pipelines/*.yaml + GpuSpec + problem -> KernelPlan.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/diagnostics/fingerprint.hpp"
#include "warpline/diagnostics/yaml_documents.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

class ExpressionPool;

/// "kv_stages" and "2" of --set kv_stages=2. The value is an expression like those in the file.
struct ParameterOverride {
    std::string name;
    std::string expression;
};

/// A pipeline file, read and parsed: what stays the same when GPU, problem or parameters change.
struct PipelineSource {
    std::string file;    ///< as errors name it
    std::string kernel;  ///< the file's name without folder and extension
    Fingerprint text;    ///< of the file's text and that of the files it inherits
    YamlNode root;       ///< with what it inherits
    std::vector<std::shared_ptr<const YamlDocument>> documents;  ///< that it was read from
    /// Its expressions, as far as they were parsed; copies share them.
    std::shared_ptr<ExpressionPool> expressions;
    /// Kernels that run one after the other in place of a program: see operation_file.hpp.
    std::vector<PipelineSource> parts = {};
};

/// A text on its own. Errors (input): not a YAML document as parse_yaml() understands it.
[[nodiscard]] Result<PipelineSource> parse_pipeline(std::string_view text,
                                                    const std::string& file_name);

/// Kernel `id` from `data_dir`/pipelines, or the file `id` where it ends in ".yaml", with what it
/// inherits and the kernels it names. Errors: usage (unknown id), input (unreadable, no such parent
/// or kernel, inherits itself).
[[nodiscard]] Result<PipelineSource> read_pipeline(const std::filesystem::path& data_dir,
                                                   const std::string& id);
[[nodiscard]] Result<PipelineSource> read_pipeline(const std::filesystem::path& data_dir,
                                                   const std::string& id, YamlDocuments& documents);

/// Evaluates a pipeline for a GPU and problem, checks it and its budgets, and lowers every program.
/// Errors: usage (unknown parameter, value outside its limits, wrong direction), input (file; all
/// semantic errors at once), infeasible (the GPU lacks a capability, a requirement of the file
/// fails, or a budget is exceeded: by how much, and what fits).
[[nodiscard]] Result<KernelPlan> make_plan(const PipelineSource& source, const GpuSpec& spec,
                                           const AttentionProblem& problem,
                                           const std::vector<ParameterOverride>& overrides = {});

/// read_pipeline() and make_plan().
[[nodiscard]] Result<KernelPlan> load_plan(const std::filesystem::path& data_dir,
                                           const std::string& id, const GpuSpec& spec,
                                           const AttentionProblem& problem,
                                           const std::vector<ParameterOverride>& overrides = {});

/// The direction that the file names; forward when it names none (make_plan() reports that).
[[nodiscard]] Direction pipeline_direction(const PipelineSource& source);

/// The title that the file gives itself, or an empty text (make_plan() reports that).
[[nodiscard]] std::string pipeline_title(const PipelineSource& source);

/// Checks a pipeline file as load_plan() does, for the direction that the file names. Returns its
/// warnings; errors are those of load_plan().
[[nodiscard]] Result<std::vector<Diagnostic>> check_pipeline(
    const std::filesystem::path& file, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides = {});

/// The kernels that can be loaded, sorted.
[[nodiscard]] std::vector<std::string> list_kernels(const std::filesystem::path& data_dir);

}  // namespace warpline
