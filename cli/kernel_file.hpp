// What the command line must know of a pipeline file before a plan can be made from it.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/workload/attention.hpp"

#include <filesystem>
#include <string>

namespace warpline::cli {

struct KernelFile {
    std::filesystem::path path;
    std::string title;
    Direction direction = Direction::forward;
};

/// Reads title and direction of kernel `id`, or of a file when `id` ends in ".yaml"; everything
/// else is load_plan()'s to judge. Errors: usage (unknown id, with the nearest one), input.
[[nodiscard]] Result<KernelFile> read_kernel_file(const std::filesystem::path& data_dir,
                                                  const std::string& id);

}  // namespace warpline::cli
