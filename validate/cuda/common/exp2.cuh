// 2^x on the FMA pipe instead of the special function unit.
#pragma once

#include <cuda_runtime.h>

namespace micro {

// 2^f on [0, 1) as 1 + f (c1 + f (c2 + f c3)): least largest relative error for a cubic through
// (0, 1), 8.6e-5. x below -127 counts as -127.
__device__ __forceinline__ float exp2_cubic(float x) {
    constexpr float kC1 = 0.69511707F;
    constexpr float kC2 = 0.22764373F;
    constexpr float kC3 = 0.07706820F;
    // Adding 1.5 * 2^23 leaves the integer part, rounded down, in the low mantissa bits.
    constexpr float kRound = 12582912.0F;
    const float shifted = __fadd_rd(fmaxf(x, -127.0F), kRound);
    const float fraction = __fsub_rn(fmaxf(x, -127.0F), __fsub_rn(shifted, kRound));
    float p = __fmaf_rn(kC3, fraction, kC2);
    p = __fmaf_rn(p, fraction, kC1);
    p = __fmaf_rn(p, fraction, 1.0F);
    return __uint_as_float((__float_as_uint(shifted) << 23) + __float_as_uint(p));
}

// 2^x on the special function unit.
__device__ __forceinline__ float exp2_special(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

}  // namespace micro
