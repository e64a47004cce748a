// What the programs share whose SMs load tiles and work between: the tiles, and work that differs.
#pragma once

#include "../common/stamp.cuh"

namespace micro {

// A plane is 128 rows of 128 columns of bf16: four boxes of 64 by 64.
constexpr int kRows = 128;
constexpr int kColumns = 128;
constexpr int kBox = 64;
constexpr int kBoxesOfPlane = 4;
constexpr unsigned kBoxBytes = kBox * kBox * 2;
constexpr unsigned kPlaneBytes = kBoxesOfPlane * kBoxBytes;

// Clocks of the `number`th work: `work` on average, but up to half of it more or less, as tiles
// under a causal mask differ. Multiples of the golden ratio spread evenly.
__device__ inline long long work_of(unsigned number, int work) {
    const unsigned share = number * 2654435769U >> 16;
    return work / 2 + 1LL * work * share / 65536;
}

__device__ inline void work_until(long long done) {
    while (cycle() < done) {
    }
}

}  // namespace micro
