// What does straight-line code cost that is too long to stay in the instruction caches, or that
// runs once for each pass of a loop beside it?
#include "../common/stamp.cuh"

namespace {

using namespace micro;

constexpr int kChains = 8;
constexpr int kInstructionBytes = 16;

// kCount FFMA in kChains independent chains; every one adds one to its accumulator.
template <int kCount>
__device__ __forceinline__ void straight_line(float (&d)[kChains], float one) {
#pragma unroll
    for (int i = 0; i < kCount / kChains; ++i) {
#pragma unroll
        for (int c = 0; c < kChains; ++c)
            asm volatile("fma.rn.f32 %0, %1, %1, %0;" : "+f"(d[c]) : "f"(one));
    }
}

__device__ void finish(const float (&d)[kChains], float* out) {
    float sum = 0;
    for (const float value : d)
        sum += value;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The whole body again and again: passes in which what the caches kept is hit. `spread` > 0: blocks
// begin up to so many cycles apart, so that neighbours do not want the same code at a time.
template <int kCount>
__global__ void repeat(int passes, unsigned spread, float one, Stamp* stamps, float* out) {
    float d[kChains] = {};
    if (spread > 0) {
        constexpr unsigned kScatter = 2654435761U;  // Knuth's multiplicative hash
        const long long until = cycle() + (blockIdx.x * kScatter >> 8) % spread;
        while (cycle() < until) {
        }
    }
    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < passes; ++i)
        straight_line<kCount>(d, one);
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    finish(d, out);
}

// kCold instructions after each stay in a loop of kHot: what a kernel's code for a tile's end costs
// after many turns of its main loop. Only the cold part is timed.
template <int kHot, int kCold>
__global__ void once_a_pass(int turns, int passes, float one, Stamp* stamps, float* out) {
    float d[kChains] = {};
    long long spent = 0;
#pragma unroll 1
    for (int i = 0; i < passes; ++i) {
#pragma unroll 1
        for (int t = 0; t < turns; ++t)
            straight_line<kHot>(d, one);
        const long long begin = cycle();
        straight_line<kCold>(d, one);
        spent += cycle() - begin;
    }
    store_stamp(stamps, 0, spent / passes);
    finish(d, out);
}

template <int kCount>
void measure_repeat(Bench& bench, int warps, unsigned spread = 0) {
    const int blocks = bench.sms();
    DeviceArray<float> out(static_cast<std::size_t>(blocks) * warps * 32);
    out.poison();
    constexpr int kFew = 4;
    constexpr int kMany = 20;
    const Samples cycles = bench.slope(blocks, warps, kFew, kMany, [&](int n, Stamp* stamps) {
        repeat<kCount><<<blocks, 32 * warps>>>(n, spread, 1.0F, stamps, out.get());
    });
    for (const float value : out.host())
        expect(value == 1.0F * kMany * kCount, "sum of ones");
    bench.row((spread > 0 ? "fetch_apart_" : "fetch_repeat_") +
                  std::to_string(kCount * kInstructionBytes / 1024) + "KiB_w" +
                  std::to_string(warps),
              map(cycles, [](double c) { return c / kCount; }), "clk",
              spread > 0 ? "the same, each SM elsewhere in the code"
                         : "an instruction of each warp; FFMA in 8 chains");
}

template <int kHot, int kCold>
void measure_once(Bench& bench, int warps) {
    const int blocks = bench.sms();
    DeviceArray<float> out(static_cast<std::size_t>(blocks) * warps * 32);
    out.poison();
    constexpr int kTurns = 24;
    constexpr int kPasses = 16;
    const Samples cycles = bench.cycles(blocks, warps, [&](Stamp* stamps) {
        once_a_pass<kHot, kCold><<<blocks, 32 * warps>>>(kTurns, kPasses, 1.0F, stamps, out.get());
    });
    for (const float value : out.host())
        expect(value == 1.0F * kPasses * (kTurns * kHot + kCold), "sum of ones");
    bench.row("fetch_once_" + std::to_string(kCold) + "_beside_" + std::to_string(kHot) + "_w" +
                  std::to_string(warps),
              map(cycles, [](double c) { return c / kCold; }), "clk",
              "an instruction of each warp, in code passed once between stays in a loop");
}

template <int kCount>
void sweep_repeat(Bench& bench) {
    for (const int warps : {1, 4, 8, 12})
        measure_repeat<kCount>(bench, warps);
}

// Each SM at its own place of the code: more than a pass of it apart at most.
template <int kCount>
void sweep_apart(Bench& bench) {
    constexpr unsigned kSpread = 8 * kCount;
    for (const int warps : {1, 4, 8})
        measure_repeat<kCount>(bench, warps, kSpread);
}

template <int kHot, int kCold>
void sweep_once(Bench& bench) {
    for (const int warps : {1, 4, 8, 12})
        measure_once<kHot, kCold>(bench, warps);
}

}  // namespace

int main() {
    Bench bench("instruction_fetch");
    sweep_repeat<256>(bench);
    sweep_repeat<512>(bench);
    sweep_repeat<1024>(bench);
    sweep_repeat<1536>(bench);
    sweep_repeat<2048>(bench);
    sweep_repeat<3072>(bench);
    sweep_repeat<4096>(bench);
    sweep_repeat<8192>(bench);
    sweep_repeat<12288>(bench);
    sweep_repeat<16384>(bench);
    sweep_apart<1024>(bench);
    sweep_apart<3072>(bench);
    sweep_apart<4096>(bench);
    sweep_apart<8192>(bench);
    sweep_once<512, 512>(bench);
    sweep_once<2048, 512>(bench);
    sweep_once<2048, 2048>(bench);
    sweep_once<4096, 1024>(bench);
}
