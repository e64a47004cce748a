#include "../common/check.hpp"
#include "random.cuh"

#include <cuda_bf16.h>

namespace attention {
namespace {

// A bijection of 64-bit words whose outputs pass for random (the finaliser of SplitMix64).
__device__ std::uint64_t scramble(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31U);
}

__global__ void normal(std::uint16_t* out, std::size_t count, std::uint64_t seed) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        const std::uint64_t word = scramble(seed + (i + 1) * 0x9e3779b97f4a7c15ULL);
        // Box and Muller; the first uniform is never 0.
        const float u = (static_cast<float>(word >> 40U) + 1) * 0x1p-24F;
        const float angle = static_cast<float>(word & 0xffffffU) * 0x1p-23F;
        const float value = sqrtf(-2 * logf(u)) * cospif(angle);
        out[i] = __bfloat16_as_ushort(__float2bfloat16_rn(value));
    }
}

}  // namespace

void fill_normal(std::uint16_t* device, std::size_t count, std::uint64_t seed) {
    normal<<<1024, 256>>>(device, count, seed);
    micro::check_launch();
}

}  // namespace attention
