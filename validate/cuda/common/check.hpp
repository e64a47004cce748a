// Failing loudly: a microbenchmark that carries on after an error prints a wrong constant.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <source_location>
#include <string>

namespace micro {

// Exit statuses that `warpline microbench` tells apart: a GPU this program is not for, and a
// failure.
inline constexpr int kExitUnsupported = 77;
inline constexpr int kExitFailed = 1;

[[noreturn]] inline void fail(const std::string& what,
                              std::source_location at = std::source_location::current()) {
    std::fprintf(stderr, "%s:%u: %s\n", at.file_name(), static_cast<unsigned>(at.line()),
                 what.c_str());
    std::exit(kExitFailed);
}

inline void check(cudaError_t status, std::source_location at = std::source_location::current()) {
    if (status != cudaSuccess) {
        fail(std::string("CUDA error: ") + cudaGetErrorName(status) + ": " +
                 cudaGetErrorString(status),
             at);
    }
}

// A launch reports bad arguments only through the last error.
inline void check_launch(std::source_location at = std::source_location::current()) {
    check(cudaGetLastError(), at);
}

inline void expect(bool ok, const std::string& what,
                   std::source_location at = std::source_location::current()) {
    if (!ok)
        fail("verification failed: " + what, at);
}

}  // namespace micro
