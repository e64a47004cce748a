// A pipeline file with what it inherits and the kernels that it names.
#pragma once

#include "warpline/pipeline/load_plan.hpp"

#include <filesystem>

namespace warpline {

/// read_pipeline() of a file by its path. What it names is looked for beside it, then in
/// `data_dir`/pipelines.
[[nodiscard]] Result<PipelineSource> read_pipeline_file(const std::filesystem::path& file,
                                                        const std::filesystem::path& data_dir,
                                                        YamlDocuments& documents);

}  // namespace warpline
