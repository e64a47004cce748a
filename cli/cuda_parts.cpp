#include "cli/cuda_parts.hpp"

#include "cli/run_program.hpp"
#include "warpline/reports/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ostream>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

namespace fs = std::filesystem;

Result<void> step(const std::vector<std::string>& arguments, const std::string& purpose,
                  std::ostream& progress) {
    const auto done = run_to_end(arguments, purpose);
    if (!done) {
        return tl::unexpected(done.error());
    }
    if (done->status != 0) {
        progress << done->out << std::flush;
        return fail(FailureKind::input,
                    fmt::format("{} failed: {}", purpose, fmt::join(arguments, " ")));
    }
    return {};
}

tl::unexpected<Failure> no_gpu(const std::string& why) {
    return fail(FailureKind::input, "there is no NVIDIA GPU to measure: " + why,
                "run this on the machine whose GPU is to be measured; what an H200 gave is in "
                "validate/measured");
}

bool digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

Result<CudaGpu> parse_cuda_gpu(std::string_view answer) {
    const std::string_view line = answer.substr(0, answer.find('\n'));
    const auto comma = line.rfind(", ");
    const auto dot = line.rfind('.');
    if (comma == std::string_view::npos || dot == std::string_view::npos || dot < comma + 2) {
        return no_gpu(fmt::format("nvidia-smi answers '{}'", printable(std::string(line))));
    }
    const std::string_view major = line.substr(comma + 2, dot - comma - 2);
    const std::string_view minor = line.substr(dot + 1);
    if (!digits(major) || !digits(minor)) {
        return no_gpu(fmt::format("nvidia-smi answers '{}'", printable(std::string(line))));
    }
    return CudaGpu{std::string(line.substr(0, comma)), fmt::format("{}{}a", major, minor)};
}

Result<CudaGpu> find_cuda_gpu() {
    if (!find_on_path("nvidia-smi")) {
        return no_gpu("nvidia-smi is not on PATH, so there is no driver either");
    }
    const auto asked = run_to_end(
        {"nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader", "--id=0"},
        "finding the GPU");
    if (!asked || asked->status != 0) {
        return no_gpu("nvidia-smi finds none");
    }
    return parse_cuda_gpu(asked->out);
}

Result<CudaGpu> find_measurable_gpu() {
    auto gpu = find_cuda_gpu();
    if (gpu && gpu->arch != "90a" && gpu->arch != "100a" && gpu->arch != "103a") {
        return fail(
            FailureKind::input,
            fmt::format("the CUDA programs are for compute capabilities 9.0, 10.0 and 10.3, "
                        "and {} is none of these ({})",
                        printable(gpu->name), gpu->arch),
            "run this on a Hopper or a data-center Blackwell GPU");
    }
    return gpu;
}

Result<fs::path> find_cuda_compiler() {
    std::error_code error;
    if (const char* const named = std::getenv("CUDACXX"); named != nullptr && *named != '\0') {
        if (!fs::exists(named, error) && !find_on_path(named)) {
            return fail(FailureKind::input,
                        fmt::format("CUDACXX names {}, which does not exist", printable(named)),
                        "name nvcc by its path, or leave CUDACXX unset");
        }
        return fs::path(named);
    }
    if (const auto found = find_on_path("nvcc")) {
        return *found;
    }
    const fs::path usual = "/usr/local/cuda/bin/nvcc";
    if (fs::exists(usual, error)) {
        return usual;
    }
    return fail(FailureKind::input, "the CUDA programs need nvcc, which was not found",
                "install CUDA 13.0 or later, put nvcc on PATH, or name it in CUDACXX");
}

Result<void> configure_cuda(const CudaBuild& build, const CudaGpu& gpu, std::ostream& progress) {
    std::error_code error;
    if (!fs::exists(build.source / "CMakeLists.txt", error)) {
        return fail(FailureKind::input,
                    fmt::format("the CUDA programs' sources are not in {}", build.source.string()),
                    "--data-dir names the folder that holds validate/cuda");
    }
    const auto compiler = find_cuda_compiler();
    if (!compiler) {
        return tl::unexpected(compiler.error());
    }
    progress << fmt::format("building for {} ({})\n", printable(gpu.name), gpu.arch) << std::flush;
    return step(
        {"cmake", "-S", build.source.string(), "-B", build.folder.string(),
         "-DCMAKE_CUDA_COMPILER=" + compiler->string(), "-DWARPLINE_CUDA_ARCHS=" + gpu.arch},
        "preparing the CUDA programs", progress);
}

Result<void> build_cuda(const CudaBuild& build, const std::string& target, std::ostream& progress) {
    const unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    return step({"cmake", "--build", build.folder.string(), "--target", target, "--parallel",
                 std::to_string(jobs)},
                "building " + target, progress);
}

}  // namespace warpline::cli
