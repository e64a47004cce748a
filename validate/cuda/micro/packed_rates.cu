// Blackwell's additions to softmax arithmetic: packed f32 pairs and the three-input maximum, alone
// and beside ex2.
#include "chains.cuh"
#include "mixes.cuh"

namespace micro {
namespace {

// Both words of the pair go through one instruction.
struct FmaPacked : FloatOp {
    static constexpr const char* kName = "fma_f32x2";
    __host__ __device__ static Pair start(int chain) {
        return {bits(1.0F + 0.125F * chain), bits(2.0F)};
    }
    __device__ static void link(Pair& s, Word a, Word b, int) {
        asm volatile(
            "{ .reg .b64 x, a, b; mov.b64 x, {%0, %1}; mov.b64 a, {%2, %2}; mov.b64 b, {%3, %3};\n"
            "fma.rn.f32x2 x, x, a, b; mov.b64 {%0, %1}, x; }"
            : "+r"(s.x), "+r"(s.y)
            : "r"(a), "r"(b));
    }
    static void host_link(Pair& s, Word a, Word b, int) {
        s.x = bits(std::fma(real(s.x), real(a), real(b)));
        s.y = bits(std::fma(real(s.y), real(a), real(b)));
    }
};

struct AddPacked : FmaPacked {
    static constexpr const char* kName = "add_f32x2";
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile(
            "{ .reg .b64 x, a; mov.b64 x, {%0, %1}; mov.b64 a, {%2, %2};\n"
            "add.rn.f32x2 x, x, a; mov.b64 {%0, %1}, x; }"
            : "+r"(s.x), "+r"(s.y)
            : "r"(a));
    }
    static void host_link(Pair& s, Word a, Word, int) {
        s.x = bits(real(s.x) + real(a));
        s.y = bits(real(s.y) + real(a));
    }
};

// Maximum and minimum of three in turn, so that no two links fold into one.
struct Max3 : FloatOp {
    static constexpr const char* kName = "max3_f32";
    __device__ static void link(Pair& s, Word a, Word b, int step) {
        if (step % 2 == 0) {
            asm volatile("max.f32 %0, %0, %1, %2;" : "+r"(s.x) : "r"(a), "r"(b));
        } else {
            asm volatile("min.f32 %0, %0, %1, %2;" : "+r"(s.x) : "r"(b), "r"(a));
        }
    }
    static void host_link(Pair& s, Word a, Word b, int step) {
        s.x = step % 2 == 0 ? bits(std::fmax(real(s.x), std::fmax(real(a), real(b))))
                            : bits(std::fmin(real(s.x), std::fmin(real(a), real(b))));
    }
};

}  // namespace
}  // namespace micro

int main() {
    using namespace micro;
    Bench bench("packed_rates");
    bench.require({100, 103});
    measure_instruction<FmaPacked>(bench);
    measure_instruction<AddPacked>(bench);
    measure_instruction<Max3>(bench);
    measure_mix<Part<Ex2, 2>, Part<FmaPacked, 2>>(bench, "2ex2_2fma2");
    measure_mix<Part<Ex2, 2>, Part<FmaPacked, 4>>(bench, "2ex2_4fma2");
    measure_mix<Part<FmaPacked, 2>, Part<Max3, 2>>(bench, "2fma2_2max3");
    measure_mix<Part<FmaPacked, 2>, Part<Logic, 2>>(bench, "2fma2_2lop");
    measure_mix<Part<Max3, 2>, Part<PackBf16x2, 2>>(bench, "2max3_2cvt");
    // Two score elements: packed scale-subtract and sum, one three-input maximum, one pack.
    measure_mix<Part<Ex2, 2>, Part<FmaPacked, 1>, Part<AddPacked, 1>, Part<PackBf16x2, 1>,
                Part<Max3, 1>>(bench, "softmax_pair_packed");
}
