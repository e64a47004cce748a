// Hopper's warpgroup matrix instruction: ordering, and descriptors.
#pragma once

#include "async.cuh"
#include "wgmma_bf16.cuh"
#include "wgmma_e4m3.cuh"
#include "wgmma_layout.cuh"

namespace micro {

// The tile must start on a multiple of 1024 bytes.
__device__ __forceinline__ std::uint64_t descriptor(const void* tile) {
    constexpr std::uint64_t kStrideOf8Rows = 8 * kRowBytes / 16;
    constexpr std::uint64_t kSwizzle128 = 1;
    const std::uint64_t start = (shared_address(tile) & 0x3ffffU) >> 4;
    return start | std::uint64_t{1} << 16 | kStrideOf8Rows << 32 | kSwizzle128 << 62;
}

__device__ __forceinline__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
__device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

}  // namespace micro
