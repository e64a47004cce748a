// Reading an SM's cycle counter around a timed region, inside a kernel.
#pragma once

#include "bench.hpp"

namespace micro {

// The "memory" clobbers keep the compiler from moving timed work across the reads.
__device__ __forceinline__ long long cycle() {
    long long value;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(value)::"memory");
    return value;
}

__device__ __forceinline__ long long nanoseconds() {
    long long value;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
    return value;
}

__device__ __forceinline__ unsigned sm_id() {
    unsigned value;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
    return value;
}

// Blocks go on at one time, as far as a counter in memory can arrange it: all of them must be on
// the GPU at once. `arrived` was 0 before the first launch.
__device__ __forceinline__ void start_together(unsigned* arrived) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*static_cast<volatile unsigned*>(arrived) % gridDim.x != 0) {
        }
    }
    __syncthreads();
}

// One stamp a warp, written by its first lane.
__device__ __forceinline__ void store_stamp(Stamp* stamps, long long begin, long long end) {
    if (threadIdx.x % 32 == 0) {
        const unsigned warps = blockDim.x / 32;
        stamps[blockIdx.x * warps + threadIdx.x / 32] = {begin, end};
    }
}

}  // namespace micro
