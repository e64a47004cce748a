// A merged specification -> the typed GpuSpec, once it is complete and consistent.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/hardware/spec_file.hpp"

#include <string>

namespace warpline {

/// Errors (input): constants that are missing, that no capability of the GPU makes useful, or that
/// contradict each other; instructions without unit, rate or latency. All at once.
[[nodiscard]] Result<GpuSpec> resolve_gpu_spec(const SpecFile& file, const std::string& id);

}  // namespace warpline
