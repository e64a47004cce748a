// A merged specification -> the typed GpuSpec, once it is complete and consistent.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/hardware/spec_file.hpp"

#include <string>
#include <vector>

namespace warpline {

/// Errors (input): constants that are missing, that no capability of the GPU makes useful, or that
/// contradict each other; instructions without unit, rate or latency. All at once.
[[nodiscard]] Result<GpuSpec> resolve_gpu_spec(const SpecFile& file, const std::string& id);

/// What GPUs of one architecture have in common.
struct ArchitectureCheck {
    std::vector<std::string> missing;  ///< keys that a GPU has to add
};

/// Checks what such a file states; what it leaves to its GPUs is no error. Errors (input): as
/// above.
[[nodiscard]] Result<ArchitectureCheck> check_architecture(const SpecFile& file);

}  // namespace warpline
