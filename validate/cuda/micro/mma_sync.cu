// Interval and latency of the warp-wide mma.sync m16n8k16 on bf16, the path of kernels that do
// not use warpgroup instructions.
#include "../common/stamp.cuh"

#include <cstdint>

namespace {

using namespace micro;

constexpr int kUnroll = 16;

// d += A B, every element of A and B the pair of bf16 in `both`.
__device__ __forceinline__ void multiply_add(float (&d)[4], std::uint32_t both) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3},"
        " {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(both));
}

// All inputs are one, so every accumulator grows by K for each instruction on it.
template <int kChains>
__global__ void __launch_bounds__(512)
    multiply(int iterations, std::uint32_t ones, Stamp* stamps, float* out) {
    float d[kChains][4] = {};
    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
            for (int c = 0; c < kChains; ++c)
                multiply_add(d[c], ones);
        }
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    float* to =
        out + (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kChains * 4;
    for (int c = 0; c < kChains; ++c) {
        for (int i = 0; i < 4; ++i)
            to[c * 4 + i] = d[c][i];
    }
}

template <int kChains>
Samples cycles_per_link(Bench& bench, int warps) {
    const int blocks = bench.sms();
    DeviceArray<float> out(static_cast<std::size_t>(blocks) * warps * 32 * kChains * 4);
    out.poison();
    constexpr int kFew = 4;
    constexpr int kMany = 36;
    constexpr std::uint32_t kOnes = 0x3f803f80U;
    const Samples cycles = bench.slope(blocks, warps, kFew, kMany, [&](int n, Stamp* stamps) {
        multiply<kChains><<<blocks, 32 * warps>>>(n, kOnes, stamps, out.get());
    });
    for (const float value : out.host())
        expect(value == 16.0F * kUnroll * kMany, "mma.sync");
    return map(cycles, [](double c) { return c / kUnroll; });
}

template <int kChains>
void measure_interval(Bench& bench, int warps) {
    bench.row(
        "mma_m16n8k16_bf16_interval_w" + std::to_string(warps) + "_ilp" + std::to_string(kChains),
        map(cycles_per_link<kChains>(bench, warps), [&](double c) { return c / kChains / warps; }),
        "clk", "SM cycles for each warp instruction");
}

// Four independent products and, between them, kFmas multiplications and additions each: do the
// products leave the issue port to others while they run?
template <int kFmas>
__global__ void __launch_bounds__(512)
    multiply_beside(int iterations, std::uint32_t ones, float half, Stamp* stamps, float* out) {
    constexpr int kProducts = 4;
    float d[kProducts][4] = {};
    float x[8];
    for (int c = 0; c < 8; ++c)
        x[c] = static_cast<float>(c + threadIdx.x % 2);
    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
            for (int c = 0; c < kProducts; ++c) {
                multiply_add(d[c], ones);
#pragma unroll
                for (int f = 0; f < kFmas; ++f) {
                    const int at = (c * kFmas + f) % 8;
                    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[at]) : "f"(half));
                }
            }
        }
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    bool right = true;
    for (int c = 0; c < kProducts; ++c) {
        for (const float value : d[c])
            right = right && value == 16.0F * kUnroll * iterations;
    }
    // x/2 + 1/2 runs to one, in those that were multiplied.
    constexpr int kUsed = kProducts * kFmas < 8 ? kProducts * kFmas : 8;
    for (int c = 0; c < kUsed; ++c)
        right = right && fabsf(x[c] - 1) < 1e-5F;
    out[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = right ? 1 : 0;
}

template <int kFmas>
void measure_beside(Bench& bench) {
    const int blocks = bench.sms();
    constexpr std::uint32_t kOnes = 0x3f803f80U;
    for (const int warps : {4, 8, 16}) {
        DeviceArray<float> out(static_cast<std::size_t>(blocks) * warps * 32);
        out.poison();
        const Samples cycles = bench.slope(blocks, warps, 4, 36, [&](int n, Stamp* stamps) {
            multiply_beside<kFmas><<<blocks, 32 * warps>>>(n, kOnes, 0.5F, stamps, out.get());
        });
        for (const float value : out.host())
            expect(value == 1, "mma.sync beside fma");
        bench.row("mix_mma_" + std::to_string(kFmas) + "fma_w" + std::to_string(warps),
                  map(cycles, [&](double c) { return c / kUnroll / 4 / (warps / 4.0); }),
                  "clk/group/sub-partition", std::to_string(warps) + " warps on the SM");
    }
}

}  // namespace

int main() {
    Bench bench("mma_sync");
    bench.row("mma_m16n8k16_bf16_latency", cycles_per_link<1>(bench, 1), "clk",
              "accumulator to accumulator; one warp");
    for (const int warps : {1, 2, 4, 8, 16}) {
        measure_interval<1>(bench, warps);
        measure_interval<2>(bench, warps);
        measure_interval<4>(bench, warps);
        measure_interval<8>(bench, warps);
    }
    measure_beside<0>(bench);
    measure_beside<1>(bench);
    measure_beside<2>(bench);
    measure_beside<4>(bench);
    measure_beside<6>(bench);
    measure_beside<8>(bench);
}
