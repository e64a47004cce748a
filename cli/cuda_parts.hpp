// The CUDA programs of validate/cuda: whether they can be built and run here, and building them.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

namespace warpline::cli {

struct CudaGpu {
    std::string name;  ///< "NVIDIA H200"
    std::string arch;  ///< what it is compiled for: "90a"
};

/// The first line that nvidia-smi answers, as a GPU: "NVIDIA H200, 9.0". Errors (input): another
/// form.
[[nodiscard]] Result<CudaGpu> parse_cuda_gpu(std::string_view answer);

/// The machine's first GPU. Errors (input): there is none, or no driver for it.
[[nodiscard]] Result<CudaGpu> find_cuda_gpu();

/// That GPU, if the CUDA programs are for it. Errors (input): those of find_cuda_gpu(), or another
/// compute capability.
[[nodiscard]] Result<CudaGpu> find_measurable_gpu();

/// nvcc: what the environment's CUDACXX names, on PATH, or where CUDA installs itself. Errors
/// (input): it is nowhere, or CUDACXX names none.
[[nodiscard]] Result<std::filesystem::path> find_cuda_compiler();

struct CudaBuild {
    std::filesystem::path source;  ///< validate/cuda
    std::filesystem::path folder;  ///< to build in
};

/// Prepares `build` for the GPU's architecture; what goes wrong is shown on `progress`. Errors
/// (input): no sources, no compiler, or CMake fails.
[[nodiscard]] Result<void> configure_cuda(const CudaBuild& build, const CudaGpu& gpu,
                                          std::ostream& progress);

/// Builds one target of it. Errors (input): it does not compile.
[[nodiscard]] Result<void> build_cuda(const CudaBuild& build, const std::string& target,
                                      std::ostream& progress);

}  // namespace warpline::cli
