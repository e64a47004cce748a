// Operand tiles of small integers for wgmma runs, and the exact product they must give.
#pragma once

#include "../common/bench.hpp"
#include "../common/wgmma.cuh"

#include <cuda_bf16.h>
#include <cuda_fp8.h>

namespace micro {

inline constexpr int kTileM = 64;

struct Bf16 {
    using Element = __nv_bfloat16;
    static constexpr const char* kName = "bf16";
    static constexpr int kK = 16;
    template <int kRegs, class A>
    __device__ static void multiply(float (&d)[kRegs], const A& a, std::uint64_t b) {
        wgmma_bf16(d, a, b);
    }
};

struct E4m3 {
    using Element = __nv_fp8_e4m3;
    static constexpr const char* kName = "e4m3";
    static constexpr int kK = 32;
    template <int kRegs, class A>
    __device__ static void multiply(float (&d)[kRegs], const A& a, std::uint64_t b) {
        wgmma_e4m3(d, a, b);
    }
};

__host__ __device__ constexpr int a_value(int row, int k) {
    return (row * 7 + k * 3) % 5 - 2;
}
__host__ __device__ constexpr int b_value(int row, int k) {
    return (row * 5 + k * 11) % 7 - 3;
}

// All threads of the block write one swizzled tile of `rows` rows.
template <class Type, class Value>
__device__ void fill_tile(unsigned char* tile, int rows, Value&& value) {
    using Element = typename Type::Element;
    constexpr int kPerRow = kRowBytes / sizeof(Element);
    for (int i = threadIdx.x; i < rows * kPerRow; i += blockDim.x) {
        const int row = i / kPerRow;
        const int k = i % kPerRow;
        const Element element(static_cast<float>(value(row, k)));
        *reinterpret_cast<Element*>(tile + swizzled(row, k * sizeof(Element))) = element;
    }
}

// This thread's share of A for one K slice: two rows eight apart, four bytes at two places.
template <class Type>
__device__ void load_fragment(const unsigned char* tile, int slice, std::uint32_t (&a)[4]) {
    const int lane = threadIdx.x % 32;
    const int row = threadIdx.x / 32 % 4 * 16 + lane / 4;
    for (int i = 0; i < 4; ++i) {
        const int byte = slice * kSliceBytes + lane % 4 * 4 + i / 2 * 16;
        a[i] = *reinterpret_cast<const std::uint32_t*>(tile + swizzled(row + i % 2 * 8, byte));
    }
}

// Writes this warpgroup's 64 x kN accumulators, row-major.
template <int kN>
__device__ void store_accumulators(const float (&d)[kN / 2], float* out) {
    const int lane = threadIdx.x % 32;
    const int row = threadIdx.x / 32 % 4 * 16 + lane / 4;
    for (int i = 0; i < kN / 2; ++i) {
        out[(row + i % 4 / 2 * 8) * kN + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
}

// Checks `count` instructions, the i-th of a group of `group` on slice i % kSlices.
template <class Type>
void verify_product(const float* out, int n, int count, int group) {
    for (int row = 0; row < kTileM; ++row) {
        for (int col = 0; col < n; ++col) {
            double sum = 0;
            for (int i = 0; i < group; ++i) {
                for (int k = 0; k < Type::kK; ++k) {
                    const int at = i % kSlices * Type::kK + k;
                    sum += a_value(row, at) * b_value(col, at);
                }
            }
            expect(out[row * n + col] == sum * (count / group), "wgmma product");
        }
    }
}

}  // namespace micro
