// Operands whose every mantissa bit is in play, as a network's activations have them: what a
// multiplier draws depends on how many of its bits change.
#pragma once

namespace micro {

__host__ __device__ inline unsigned scrambled(unsigned seed) {
    seed *= 2654435761U;
    seed ^= seed >> 15;
    seed *= 2246822519U;
    seed ^= seed >> 13;
    return seed;
}

// In [-1, 1).
__host__ __device__ inline float random_operand(unsigned seed) {
    return static_cast<float>(static_cast<int>(scrambled(seed))) * 0x1p-31F;
}

}  // namespace micro
