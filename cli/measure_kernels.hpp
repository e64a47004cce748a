// Runs the attention kernels on the machine's GPU: the project's own, and what Python has.
#pragma once

#include "cli/cuda_parts.hpp"

#include <string>
#include <vector>

namespace warpline::cli {

/// Where to find and leave things.
struct Measuring {
    CudaBuild build;
    std::filesystem::path installed;  ///< validate/installed
    std::filesystem::path output;     ///< an existing folder
    bool quick = false;               ///< a row or two each, briefly
};

/// What came of it. Files are there only if something was measured.
struct Measured {
    std::vector<std::filesystem::path> tables;     ///< of measured rows
    std::vector<std::filesystem::path> timelines;  ///< one a head dim
    bool correct = false;              ///< the project's kernels compute what they should
    std::vector<std::string> remarks;  ///< a line each, for the report
};

/// Builds the project's attention kernels, checks them and, if they are right, times them and takes
/// a timeline for each head dim; then times what is installed for Python. Errors (input): they do
/// not build or a program cannot be run. Precondition: the build is configured.
[[nodiscard]] Result<Measured> measure_kernels(const Measuring& measuring, const CudaGpu& gpu,
                                               std::ostream& progress);

}  // namespace warpline::cli
