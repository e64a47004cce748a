// From an id to one merged file: finds it, follows `inherits`, lays children over parents.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_family.hpp"

#include <filesystem>
#include <string>

namespace warpline {

/// Loads `path` and everything it inherits. A parent is named by its id and found in hw_specs or
/// hw_specs/arch of `data_dir`, or by a name ending in .yaml relative to the file. Errors (input):
/// every problem of every file on the way; a cycle; a parent that does not exist.
[[nodiscard]] Result<GpuFamily> load_spec_family(const std::filesystem::path& data_dir,
                                                 const std::filesystem::path& path,
                                                 YamlDocuments& documents);

}  // namespace warpline
