// The two halves of load_gpu_spec(), for those who try many overrides of one GPU.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/diagnostics/yaml_documents.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/hardware/spec_file.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpline {

/// A GPU's file and those it inherits, read and merged: what overrides are laid over.
struct GpuFamily {
    std::string id;
    SpecFile file;
    std::optional<GpuSpec> plain;  ///< without overrides; nothing where it lacks what they may add
    std::vector<std::shared_ptr<const YamlDocument>> documents;  ///< that it was read from
};

/// Errors: those of load_gpu_spec() that no override brings.
[[nodiscard]] Result<GpuFamily> read_gpu_family(const std::filesystem::path& data_dir,
                                                const std::string& id, YamlDocuments& documents);

/// Errors: the others.
[[nodiscard]] Result<GpuSpec> make_gpu_spec(const GpuFamily& family,
                                            const std::vector<ConstantOverride>& overrides);

}  // namespace warpline
