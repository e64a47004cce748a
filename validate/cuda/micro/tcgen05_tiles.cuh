// Operands, accumulators and the check for tcgen05 runs. The check is the sum of all accumulators:
// it needs no knowledge of which lane holds which row, which differs from shape to shape.
#pragma once

#include "../common/stamp.cuh"
#include "../common/tcgen05.cuh"

#include <cuda_bf16.h>

namespace micro {

inline constexpr int kTcgenK = 16;
// A's tensor memory columns start behind the widest accumulator.
inline constexpr unsigned kAColumn = 256;

// A depends on k alone, so that any mapping of rows to lanes gives the same product.
__host__ __device__ constexpr int tcgen_a(int k) {
    return k % 5 + 1;
}
__host__ __device__ constexpr int tcgen_b(int row, int k) {
    return (row * 5 + k * 11) % 7;
}

__device__ inline void fill_bf16_tile(unsigned char* tile, int rows, bool is_b, int first_row) {
    for (int i = threadIdx.x; i < rows * 64; i += blockDim.x) {
        const int row = i / 64;
        const int k = i % 64;
        const int value = is_b ? tcgen_b(first_row + row, k) : tcgen_a(k);
        *reinterpret_cast<__nv_bfloat16*>(tile + swizzled(row, k * 2)) =
            __float2bfloat16(static_cast<float>(value));
    }
}

// The first four warps zero 256 columns of accumulators and put A behind them, each in its lanes.
__device__ inline void prepare_tmem(unsigned tmem) {
    const unsigned lanes = threadIdx.x / 32 * 32;
    std::uint32_t zeros[32] = {};
    for (unsigned column = 0; column < kAColumn; column += 32) {
        tcgen05_st_32x32b_x32(tmem_at(tmem, lanes, column), zeros);
    }
    std::uint32_t a[32];
    for (int i = 0; i < 32; ++i) {
        const __nv_bfloat162 pair(__float2bfloat16(static_cast<float>(tcgen_a(2 * i))),
                                  __float2bfloat16(static_cast<float>(tcgen_a(2 * i + 1))));
        a[i] = *reinterpret_cast<const std::uint32_t*>(&pair);
    }
    tcgen05_st_32x32b_x32(tmem_at(tmem, lanes, kAColumn), a);
    tmem_wait_store();
}

// The calling lane's part of the sum of all accumulators.
__device__ inline double sum_accumulators(unsigned tmem) {
    const unsigned lanes = threadIdx.x / 32 % 4 * 32;
    double sum = 0;
    for (unsigned column = 0; column < kAColumn; column += 32) {
        std::uint32_t r[32];
        tcgen05_ld_32x32b_x32(r, tmem_at(tmem, lanes, column));
        tmem_wait_load();
        for (const std::uint32_t word : r)
            sum += __uint_as_float(word);
    }
    return sum;
}

// What the sum must be after `depth` instructions, the i-th on slice i % kSlices.
inline double expected_sum(int m, int n, int depth) {
    double sum = 0;
    for (int i = 0; i < depth; ++i) {
        for (int k = i % kSlices * kTcgenK; k < (i % kSlices + 1) * kTcgenK; ++k) {
            for (int row = 0; row < n; ++row)
                sum += 1.0 * m * tcgen_a(k) * tcgen_b(row, k);
        }
    }
    return sum;
}

}  // namespace micro
