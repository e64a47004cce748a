// A data directory with the GPU specifications and kernels that were read from it.
#pragma once

#include "warpline/hardware/gpu_family.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpline {

/// Loads as load_gpu_spec() and load_plan() do, and parses again only what has changed since on
/// disk: files are parsed once, and of a kernel its expressions. A new file that would take the
/// place of a parent known by the same name is not looked for. Safe to use from several threads.
class DataFiles {
  public:
    explicit DataFiles(std::filesystem::path data_dir) : data_dir_(std::move(data_dir)) {}

    [[nodiscard]] const std::filesystem::path& data_dir() const { return data_dir_; }

    /// Errors: those of read_gpu_family().
    [[nodiscard]] Result<std::shared_ptr<const GpuFamily>> gpu(const std::string& id);
    /// Errors: those of read_pipeline().
    [[nodiscard]] Result<std::shared_ptr<const PipelineSource>> kernel(const std::string& id);

    [[nodiscard]] Result<GpuSpec> load_gpu_spec(
        const std::string& id, const std::vector<ConstantOverride>& overrides = {});
    [[nodiscard]] Result<KernelPlan> load_plan(
        const std::string& id, const GpuSpec& spec, const AttentionProblem& problem,
        const std::vector<ParameterOverride>& overrides = {});

  private:
    template <typename T>
    using ById = std::map<std::string, std::shared_ptr<const T>>;
    template <typename T, typename Read>
    [[nodiscard]] Result<std::shared_ptr<const T>> current(ById<T>& known, const std::string& id,
                                                           const Read& read);

    std::filesystem::path data_dir_;
    YamlDocuments documents_;
    std::mutex mutex_;
    ById<GpuFamily> gpus_;
    ById<PipelineSource> kernels_;
};

}  // namespace warpline
