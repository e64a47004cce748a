// Online softmax over the scores that a thread holds of its two rows.
//
// Accumulators of wgmma m64nN lie so in a warpgroup: thread t holds, for each group i of 8 columns,
// d[4i], d[4i + 1] at row 16 (t / 32) + t % 32 / 4 and columns 8i + 2 (t % 4) and one further, and
// d[4i + 2], d[4i + 3] at the same columns 8 rows below. Four neighbouring threads share a row.
#pragma once

#include "../common/exp2.cuh"
#include "options.hpp"

#include <cstdint>

namespace attention {

inline constexpr float kMinusInfinity = -__builtin_huge_valf();

__device__ __forceinline__ float quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(~0U, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0U, x, 2));
}
__device__ __forceinline__ float quad_sum(float x) {
    x += __shfl_xor_sync(~0U, x, 1);
    return x + __shfl_xor_sync(~0U, x, 2);
}

// Keeps the compiler from moving arithmetic on these registers across this point: it does not know
// that an asynchronous product writes them until it has been waited for.
template <int kCount>
__device__ __forceinline__ void pin(float (&registers)[kCount]) {
#pragma unroll
    for (float& value : registers)
        asm volatile("" : "+f"(value)::"memory");
}

// Two floats as bf16, the first in the lower half.
__device__ __forceinline__ std::uint32_t pack_bf16(float low, float high) {
    std::uint32_t packed;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
}

template <Options kO>
class Softmax {
  public:
    static constexpr int kScores = kO.tile_kv / 2;

    __device__ explicit Softmax(float scale_log2) : scale_(scale_log2) {}

    __device__ void restart() {
        for (int h = 0; h < 2; ++h) {
            max_[h] = kMinusInfinity;
            sum_[h] = 0;
        }
    }

    // Scores become exponentials relative to the new row maxima. What was accumulated before is to
    // be multiplied by rescale(). kMayBeEmpty: a row may have seen no key so far.
    template <bool kMayBeEmpty>
    __device__ __forceinline__ void update(float (&scores)[kScores]) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float high = max_[h];
#pragma unroll
            for (int i = 2 * h; i < kScores; i += 4)
                high = fmaxf(high, fmaxf(scores[i], scores[i + 1]));
            high = quad_max(high);
            const float base = kMayBeEmpty && high == kMinusInfinity ? 0 : high;
            rescale_[h] = micro::exp2_special((max_[h] - base) * scale_);
            max_[h] = high;
            bias_[h] = -base * scale_;
        }
#pragma unroll
        for (int i = 0; i < kScores; ++i) {
            const float x = __fmaf_rn(scores[i], scale_, bias_[i / 2 % 2]);
            scores[i] = on_fma_pipe(i) ? micro::exp2_cubic(x) : micro::exp2_special(x);
        }
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            sum_[h] *= rescale_[h];
#pragma unroll
            for (int i = 2 * h; i < kScores; i += 4)
                sum_[h] += scores[i] + scores[i + 1];
        }
    }

    [[nodiscard]] __device__ float rescale(int h) const {
        return rescale_[h];
    }

    // After the last block: what outputs are to be multiplied by (0 for a row that saw no key).
    __device__ float normaliser(int h) {
        sum_[h] = quad_sum(sum_[h]);
        return max_[h] == kMinusInfinity ? 0 : 1 / sum_[h];
    }
    // After normaliser(): the natural logarithm of the sum of the row's exponentials.
    [[nodiscard]] __device__ float log_sum(int h) const {
        constexpr float kLn2 = 0.69314718F;
        return max_[h] == kMinusInfinity ? kMinusInfinity
                                         : kLn2 * (max_[h] * scale_ + log2f(sum_[h]));
    }

  private:
    // Spreads the share evenly over the elements.
    static constexpr bool on_fma_pipe(int i) {
        const int n = kO.polynomial_of_16;
        return (i + 1) * n / 16 != i * n / 16;
    }

    float scale_;
    float max_[2];
    float sum_[2];
    float rescale_[2];
    float bias_[2];
};

}  // namespace attention
