// What does 2^x cost when fused multiply-adds compute it instead of the special function unit, and
// which share of the elements is best done so?
#include "../common/exp2.cuh"
#include "chains.cuh"
#include "mixes.cuh"

namespace micro {
namespace {

// x <- 2^-x, as Ex2 does, so the chain converges to the same value.
struct Ex2Cubic : FloatOp {
    static constexpr const char* kName = "ex2_cubic";
    __device__ static void link(Pair& s, Word, Word, int) { s.x = bits(exp2_cubic(-real(s.x))); }
    static void host_link(Pair& s, Word, Word, int) { s.x = bits(std::exp2(-real(s.x))); }
    static bool same(Word got, Word want) { return near(real(got), real(want), 1.5e-4F); }
};

__global__ void evaluate(const float* x, float* y, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Pair pair{bits(-x[i]), 0};
    Ex2Cubic::link(pair, 0, 0, 0);
    y[i] = real(pair.x);
}

// The approximation against the host's exp2, over the range scores have after the maximum is taken.
void measure_error(Bench& bench) {
    constexpr int kCount = 1 << 20;
    std::vector<float> x(kCount);
    for (int i = 0; i < kCount; ++i)
        x[i] = -100.0F * (static_cast<float>(i) / kCount);
    const DeviceArray<float> in(x);
    DeviceArray<float> out(kCount);
    out.poison();
    evaluate<<<kCount / 256, 256>>>(in.get(), out.get(), kCount);
    check_launch();
    const std::vector<float> y = out.host();
    double worst = 0;
    for (int i = 0; i < kCount; ++i) {
        const double want = std::exp2(static_cast<double>(x[i]));
        const double error = std::fabs(y[i] - want) / want;
        expect(error < 1e-4, "cubic exp2");
        worst = std::max(worst, error);
    }
    bench.row("ex2_cubic_relative_error", worst, "1", 0, "largest over [-100; 0]");
}

// Groups of eight elements of which `kCubic` are computed by the cubic: alone, then with the rest
// of softmax (scale-subtract, sum, max and half a pack for each element).
template <int kCubic>
void measure_share(Bench& bench) {
    const std::string name = "exp2_" + std::to_string(kCubic) + "_of_8_cubic";
    if constexpr (kCubic == 0) {
        measure_mix<Part<Ex2, 8>>(bench, name);
        measure_mix<Part<Ex2, 8>, Part<Fma, 8>, Part<Add, 8>, Part<PackBf16x2, 4>, Part<Max, 8>>(
            bench, name + "_softmax");
    } else if constexpr (kCubic == 8) {
        measure_mix<Part<Ex2Cubic, 8>>(bench, name);
        measure_mix<Part<Ex2Cubic, 8>, Part<Fma, 8>, Part<Add, 8>, Part<PackBf16x2, 4>,
                    Part<Max, 8>>(bench, name + "_softmax");
    } else {
        measure_mix<Part<Ex2, 8 - kCubic>, Part<Ex2Cubic, kCubic>>(bench, name);
        measure_mix<Part<Ex2, 8 - kCubic>, Part<Ex2Cubic, kCubic>, Part<Fma, 8>, Part<Add, 8>,
                    Part<PackBf16x2, 4>, Part<Max, 8>>(bench, name + "_softmax");
    }
}

}  // namespace
}  // namespace micro

int main() {
    using namespace micro;
    Bench bench("exp2_polynomial");
    measure_error(bench);
    measure_instruction<Ex2Cubic>(bench);
    measure_share<0>(bench);
    measure_share<1>(bench);
    measure_share<2>(bench);
    measure_share<3>(bench);
    measure_share<4>(bench);
    measure_share<6>(bench);
    measure_share<8>(bench);
}
