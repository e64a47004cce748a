// The instructions under test, each as one link of a dependent chain: PTX for the device, the
// same arithmetic (or the value the chain must reach) for the host.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace micro {

using Word = std::uint32_t;

// A chain's state. Most chains use x alone; the ones an assembler could fold into fewer
// instructions (a + b + b) step two words in turn, as Fibonacci numbers do.
struct Pair {
    Word x;
    Word y;
};

__host__ __device__ constexpr Word bits(float value) {
    return std::bit_cast<Word>(value);
}
__host__ __device__ constexpr float real(Word word) {
    return std::bit_cast<float>(word);
}

// Zero, but not known to be, nor to be the same in all lanes: keeps chains off the uniform
// datapath.
__device__ __forceinline__ Word lane_zero(const void* never_one) {
    return reinterpret_cast<std::uintptr_t>(never_one) == 1 ? threadIdx.x : 0;
}

inline bool near(float got, float want, float tolerance) {
    return std::fabs(got - want) <= tolerance * std::fmax(1.0F, std::fabs(want));
}

// Round to nearest even, to the upper half of a float.
inline Word bf16_bits(float value) {
    const Word word = bits(value);
    return (word + 0x7fffU + (word >> 16 & 1U)) >> 16;
}

struct FloatOp {
    static Word operand_a() { return bits(0.75F); }
    static Word operand_b() { return bits(0.5F); }
    __host__ __device__ static Pair start(int chain) { return {bits(1.0F + 0.125F * chain), 0}; }
    static bool same(Word got, Word want) { return got == want; }
};

struct IntegerOp {
    static Word operand_a() { return 0x9e3779b9U; }
    static Word operand_b() { return 0x85ebca6bU; }
    __host__ __device__ static Pair start(int chain) {
        return {0x12345678U + static_cast<Word>(chain), 0x0badcafeU};
    }
    static bool same(Word got, Word want) { return got == want; }
};

struct Fma : FloatOp {
    static constexpr const char* kName = "fma_f32";
    __device__ static void link(Pair& s, Word a, Word b, int) {
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+r"(s.x) : "r"(a), "r"(b));
    }
    static void host_link(Pair& s, Word a, Word b, int) {
        s.x = bits(std::fma(real(s.x), real(a), real(b)));
    }
};

struct Add : FloatOp {
    static constexpr const char* kName = "add_f32";
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("add.rn.f32 %0, %0, %1;" : "+r"(s.x) : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) { s.x = bits(real(s.x) + real(a)); }
};

struct Mul : FloatOp {
    static constexpr const char* kName = "mul_f32";
    static Word operand_a() { return bits(1.0F + 0x1p-12F); }
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("mul.rn.f32 %0, %0, %1;" : "+r"(s.x) : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) { s.x = bits(real(s.x) * real(a)); }
};

// Max and min in turn on different operands, so that no two links fold into one.
struct Max : FloatOp {
    static constexpr const char* kName = "max_f32";
    __device__ static void link(Pair& s, Word a, Word b, int step) {
        if (step % 2 == 0) {
            asm volatile("max.f32 %0, %0, %1;" : "+r"(s.x) : "r"(a));
        } else {
            asm volatile("min.f32 %0, %0, %1;" : "+r"(s.x) : "r"(b));
        }
    }
    static void host_link(Pair& s, Word a, Word b, int step) {
        s.x = step % 2 == 0 ? bits(std::fmax(real(s.x), real(a)))
                            : bits(std::fmin(real(s.x), real(b)));
    }
};

// x <- 2^-x converges to 0.6411857; the sign costs nothing in the instruction.
struct Ex2 : FloatOp {
    static constexpr const char* kName = "ex2_f32";
    __device__ static void link(Pair& s, Word, Word, int) {
        asm volatile("{ .reg .f32 t; neg.f32 t, %0; ex2.approx.ftz.f32 %0, t; }" : "+r"(s.x));
    }
    static void host_link(Pair& s, Word, Word, int) { s.x = bits(std::exp2(-real(s.x))); }
    static bool same(Word got, Word want) { return near(real(got), real(want), 1e-5F); }
};

// x <- 1/x + a converges; the sum is a second instruction, without which the assembler would
// cancel reciprocals in pairs.
struct Rcp : FloatOp {
    static constexpr const char* kName = "rcp_add_pair";
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("{ .reg .f32 t; rcp.approx.ftz.f32 t, %0; add.rn.f32 %0, t, %1; }"
                     : "+r"(s.x)
                     : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) { s.x = bits(1.0F / real(s.x) + real(a)); }
    static bool same(Word got, Word want) { return near(real(got), real(want), 1e-5F); }
};

// x <- -log2(|x|) is chaotic, so the chain runs into a fixed special: lg2(+inf) = +inf.
struct Lg2 : FloatOp {
    static constexpr const char* kName = "lg2_f32";
    __host__ __device__ static Pair start(int) { return {0x7f800000U, 0}; }
    __device__ static void link(Pair& s, Word, Word, int) {
        asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+r"(s.x));
    }
    static void host_link(Pair& s, Word, Word, int) { s.x = bits(std::log2(real(s.x))); }
};

// x <- 2^x on both halves grows to +inf within a few links and stays there.
struct Ex2Half2 : FloatOp {
    static constexpr const char* kName = "ex2_f16x2";
    __host__ __device__ static Pair start(int) { return {0x3c003c00U, 0}; }
    __device__ static void link(Pair& s, Word, Word, int) {
        asm volatile("ex2.approx.f16x2 %0, %0;" : "+r"(s.x));
    }
    static void host_link(Pair& s, Word, Word, int) { s.x = 0x7c007c00U; }
};

struct Ex2Bf16x2 : FloatOp {
    static constexpr const char* kName = "ex2_bf16x2";
    __host__ __device__ static Pair start(int) { return {0x3f803f80U, 0}; }
    __device__ static void link(Pair& s, Word, Word, int) {
        asm volatile("ex2.approx.ftz.bf16x2 %0, %0;" : "+r"(s.x));
    }
    static void host_link(Pair& s, Word, Word, int) { s.x = 0x7f807f80U; }
};

// The packed result is the next link's upper input: its bits are those of a float near it.
struct PackBf16x2 : FloatOp {
    static constexpr const char* kName = "cvt_bf16x2_f32";
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("cvt.rn.bf16x2.f32 %0, %0, %1;" : "+r"(s.x) : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) {
        s.x = bf16_bits(real(s.x)) << 16 | bf16_bits(real(a));
    }
};

// Starting from zero the upper half stays zero: a float made of the lower half alone is too
// small for half precision.
struct PackHalf2 : FloatOp {
    static constexpr const char* kName = "cvt_f16x2_f32";
    __host__ __device__ static Pair start(int) { return {0, 0}; }
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("cvt.rn.f16x2.f32 %0, %0, %1;" : "+r"(s.x) : "r"(a));
    }
    static void host_link(Pair& s, Word, Word, int) { s.x = 0x00003a00U; }
};

struct PackE4m3x2 : FloatOp {
    static constexpr const char* kName = "cvt_e4m3x2_f32";
    __host__ __device__ static Pair start(int) { return {0, 0}; }
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("{ .reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, %0, %1; mov.b32 %0, {t, 0}; }"
                     : "+r"(s.x)
                     : "r"(a));
    }
    static void host_link(Pair& s, Word, Word, int) { s.x = 0x00000034U; }
};

// x/2 + 1/2 keeps 1 without rounding.
struct FmaHalf2 : FloatOp {
    static constexpr const char* kName = "fma_f16x2";
    static Word operand_a() { return 0x38003800U; }
    static Word operand_b() { return 0x38003800U; }
    __host__ __device__ static Pair start(int) { return {0x3c003c00U, 0}; }
    __device__ static void link(Pair& s, Word a, Word b, int) {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(s.x) : "r"(a), "r"(b));
    }
    static void host_link(Pair& s, Word, Word, int) { s.x = 0x3c003c00U; }
};

struct FmaBf16x2 : FloatOp {
    static constexpr const char* kName = "fma_bf16x2";
    static Word operand_a() { return 0x3f003f00U; }
    static Word operand_b() { return 0x3f003f00U; }
    __host__ __device__ static Pair start(int) { return {0x3f803f80U, 0}; }
    __device__ static void link(Pair& s, Word a, Word b, int) {
        asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(s.x) : "r"(a), "r"(b));
    }
    static void host_link(Pair& s, Word, Word, int) { s.x = 0x3f803f80U; }
};

struct IntegerAdd : IntegerOp {
    static constexpr const char* kName = "iadd_s32";
    __device__ static void link(Pair& s, Word, Word, int step) {
        Word& to = step % 2 == 0 ? s.x : s.y;
        const Word from = step % 2 == 0 ? s.y : s.x;
        asm volatile("add.u32 %0, %0, %1;" : "+r"(to) : "r"(from));
    }
    static void host_link(Pair& s, Word, Word, int step) {
        if (step % 2 == 0) {
            s.x += s.y;
        } else {
            s.y += s.x;
        }
    }
};

struct IntegerMad : IntegerOp {
    static constexpr const char* kName = "imad_s32";
    __device__ static void link(Pair& s, Word a, Word b, int) {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(s.x) : "r"(a), "r"(b));
    }
    static void host_link(Pair& s, Word a, Word b, int) { s.x = s.x * a + b; }
};

struct IntegerMax : IntegerOp {
    static constexpr const char* kName = "imax_u32";
    __device__ static void link(Pair& s, Word a, Word b, int step) {
        if (step % 2 == 0) {
            asm volatile("max.u32 %0, %0, %1;" : "+r"(s.x) : "r"(a));
        } else {
            asm volatile("min.u32 %0, %0, %1;" : "+r"(s.x) : "r"(b));
        }
    }
    static void host_link(Pair& s, Word a, Word b, int step) {
        if (step % 2 == 0) {
            s.x = s.x > a ? s.x : a;
        } else {
            s.x = s.x < b ? s.x : b;
        }
    }
};

// (x & y) ^ a with the roles of x and y swapped each step.
struct Logic : IntegerOp {
    static constexpr const char* kName = "lop3_b32";
    __device__ static void link(Pair& s, Word a, Word, int step) {
        Word& to = step % 2 == 0 ? s.x : s.y;
        const Word from = step % 2 == 0 ? s.y : s.x;
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(to) : "r"(from), "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int step) {
        if (step % 2 == 0) {
            s.x = (s.x & s.y) ^ a;
        } else {
            s.y = (s.y & s.x) ^ a;
        }
    }
};

struct Shift : IntegerOp {
    static constexpr const char* kName = "shf_b32";
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(s.x) : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) { s.x = a << 7 | s.x >> 25; }
};

struct Permute : IntegerOp {
    static constexpr const char* kName = "prmt_b32";
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("prmt.b32 %0, %0, %1, 0x4021;" : "+r"(s.x) : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) {
        const Word x = s.x;
        s.x = (x >> 8 & 0xffU) | (x >> 16 & 0xffU) << 8 | (x & 0xffU) << 16 | (a & 0xffU) << 24;
    }
};

// A compare and a select; the compare is a second instruction, so a link counts two.
struct Select : IntegerOp {
    static constexpr const char* kName = "setp_selp_pair";
    __device__ static void link(Pair& s, Word a, Word b, int) {
        asm volatile("{ .reg .pred p; setp.gt.u32 p, %0, %1; selp.u32 %0, %1, %2, p; }"
                     : "+r"(s.x)
                     : "r"(a), "r"(b));
    }
    static void host_link(Pair& s, Word a, Word b, int) { s.x = s.x > a ? a : b; }
};

// (x >> 25) + a: the form of LEA that has no twin on the FMA pipe, which takes every other (x << n)
// + a.
struct LoadAddress : IntegerOp {
    static constexpr const char* kName = "lea_hi_b32";
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("{ .reg .u32 t; shr.u32 t, %0, 25; add.u32 %0, t, %1; }" : "+r"(s.x) : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) { s.x = (s.x >> 25) + a; }
};

// Eight comparisons, each of which takes the predicate of the one before, and a selection: nine
// instructions a link. The operands differ enough that no two comparisons are one.
struct FloatCompare : FloatOp {
    static constexpr const char* kName = "fsetp8_sel_group";
    __device__ static void link(Pair& s, Word a, Word b, int) {
        asm volatile(
            "{ .reg .pred p; setp.gt.f32 p, %0, %1; setp.lt.xor.f32 p, %0, %2, p;\n"
            "setp.ge.and.f32 p, %0, %2, p; setp.le.or.f32 p, %0, %1, p;\n"
            "setp.gt.xor.f32 p, %0, %2, p; setp.lt.and.f32 p, %0, %1, p;\n"
            "setp.ge.or.f32 p, %0, %1, p; setp.le.xor.f32 p, %0, %2, p; selp.b32 %0, %1, %2, p; }"
            : "+r"(s.x)
            : "r"(a), "r"(b));
    }
    static void host_link(Pair& s, Word a, Word b, int) {
        const float x = real(s.x);
        const float high = real(a);
        const float low = real(b);
        bool p = x > high;
        p = (x < low) != p;
        p = x >= low && p;
        p = x <= high || p;
        p = (x > low) != p;
        p = x < high && p;
        p = x >= high || p;
        p = (x <= low) != p;
        s.x = p ? a : b;
    }
};

// Six bits of a word become predicates at once (R2P), as in the masking of a score tile; six
// selections and a funnel shift use them: eight instructions a link.
struct BitsToPredicates : IntegerOp {
    static constexpr const char* kName = "r2p_6sel_shf_group";
    __device__ static void link(Pair& s, Word a, Word b, int) {
        const Word mask = s.x;
#pragma unroll
        for (int bit = 1; bit <= 6; ++bit)
            s.y = (mask & 1U << bit) != 0 ? s.y : bit % 2 == 0 ? a : b;
        asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(s.x) : "r"(s.y));
    }
    static void host_link(Pair& s, Word a, Word b, int) {
        for (int bit = 1; bit <= 6; ++bit)
            s.y = (s.x >> bit & 1U) != 0 ? s.y : bit % 2 == 0 ? a : b;
        s.x = s.y << 7 | s.x >> 25;
    }
};

// Every lane holds the chain's value, so lane exchange must leave it alone. The lane distance is
// not known to the assembler, which would otherwise cancel exchanges that undo each other.
struct Shuffle : IntegerOp {
    static constexpr const char* kName = "shfl_bfly_b32";
    static Word operand_a() { return 1; }
    static Word operand_b() { return 2; }
    __device__ static void link(Pair& s, Word a, Word b, int step) {
        asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 0x1f, 0xffffffff;"
                     : "+r"(s.x)
                     : "r"(step % 2 == 0 ? a : b));
    }
    static void host_link(Pair&, Word, Word, int) {}
};

struct VoteBallot : IntegerOp {
    static constexpr const char* kName = "vote_ballot_pair";
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile(
            "{ .reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
            : "+r"(s.x)
            : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) { s.x = s.x != a ? 0xffffffffU : 0; }
};

}  // namespace micro
