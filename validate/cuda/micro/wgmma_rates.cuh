// How often can wgmma issue, and how long until its result is there? One question for every
// width, operand source and number of warpgroups.
#pragma once

#include "../common/stamp.cuh"
#include "wgmma_tiles.cuh"

namespace micro {

// With A and 256-wide accumulators in registers only two warpgroups fit the register file.
template <int kN, bool kARegisters>
inline constexpr int kMaxWarpgroups = kN == 256 && kARegisters ? 2 : 3;

// Each iteration issues one group of kGroup instructions on the same accumulators. With
// kPending = 1 the next group is issued while this one runs, so the unit never idles; with
// kPending = 0 each group is waited for.
template <class Type, int kN, bool kARegisters, int kGroup, int kPending>
__global__ void __launch_bounds__(128 * kMaxWarpgroups<kN, kARegisters>, 1)
    wgmma_loop(int iterations, Stamp* stamps, float* out) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    const int warpgroup = threadIdx.x / 128;
    unsigned char* b_tile = tiles;
    unsigned char* a_tiles = tiles + kN * kRowBytes;
    // A B tile of N = 8 rows is exactly one swizzle atom, so A stays aligned.
    unsigned char* a_tile = a_tiles + warpgroup * kTileM * kRowBytes;
    fill_tile<Type>(b_tile, kN, b_value);
    for (int w = 0; w < static_cast<int>(blockDim.x) / 128; ++w) {
        fill_tile<Type>(a_tiles + w * kTileM * kRowBytes, kTileM, a_value);
    }
    fence_async_proxy();
    __syncthreads();

    std::uint32_t fragments[kSlices][4];
    for (int s = 0; s < kSlices; ++s)
        load_fragment<Type>(a_tile, s, fragments[s]);
    float d[kN / 2];
    for (float& value : d)
        value = 0;
    const std::uint64_t a = descriptor(a_tile);
    const std::uint64_t b = descriptor(b_tile);

    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        wgmma_fence();
#pragma unroll
        for (int g = 0; g < kGroup; ++g) {
            const int slice = g % kSlices;
            if constexpr (kARegisters) {
                Type::multiply(d, fragments[slice], b + slice * kSliceStep);
            } else {
                Type::multiply(d, a + slice * kSliceStep, b + slice * kSliceStep);
            }
        }
        wgmma_commit();
        wgmma_wait<kPending>();
    }
    wgmma_wait<0>();
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    if (blockIdx.x == 0)
        store_accumulators<kN>(d, out + warpgroup * kTileM * kN);
}

template <class Type, int kN, bool kARegisters, int kGroup, int kPending>
Samples wgmma_cycles(Bench& bench, int warpgroups) {
    constexpr int kFew = 4;
    constexpr int kMany = 36;
    const int blocks = bench.sms();
    const int bytes = (kN + kTileM * warpgroups) * kRowBytes;
    const auto kernel = wgmma_loop<Type, kN, kARegisters, kGroup, kPending>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    DeviceArray<float> out(static_cast<std::size_t>(warpgroups) * kTileM * kN);
    out.poison();
    Samples cycles =
        bench.slope(blocks, warpgroups * 4, kFew, kMany, [&](int iterations, Stamp* stamps) {
            kernel<<<blocks, 128 * warpgroups, bytes>>>(iterations, stamps, out.get());
        });
    const std::vector<float> host = out.host();
    for (int w = 0; w < warpgroups; ++w) {
        verify_product<Type>(host.data() + w * kTileM * kN, kN, kMany * kGroup, kGroup);
    }
    return cycles;
}

template <class Type, int kN, bool kARegisters>
void measure_width(Bench& bench) {
    const std::string name = std::string("wgmma_m64n") + std::to_string(kN) + "_" + Type::kName +
                             (kARegisters ? "_rs" : "_ss");
    constexpr int kGroup = 16;
    for (int warpgroups = 1; warpgroups <= kMaxWarpgroups<kN, kARegisters>; ++warpgroups) {
        const Samples cycles = wgmma_cycles<Type, kN, kARegisters, kGroup, 1>(bench, warpgroups);
        bench.row(name + "_interval_wg" + std::to_string(warpgroups),
                  map(cycles, [&](double c) { return c / kGroup / warpgroups; }), "clk",
                  "SM cycles for each instruction; accumulating in place");
    }
    bench.row(name + "_latency", wgmma_cycles<Type, kN, kARegisters, 1, 0>(bench, 1), "clk",
              "issue; commit; wait; of one instruction alone");
    bench.row(name + "_latency_of_4", wgmma_cycles<Type, kN, kARegisters, 4, 0>(bench, 1), "clk",
              "as latency; group of four");
    for (int warpgroups = 2; warpgroups <= kMaxWarpgroups<kN, kARegisters>; ++warpgroups) {
        bench.row(name + "_latency_of_4_wg" + std::to_string(warpgroups),
                  wgmma_cycles<Type, kN, kARegisters, 4, 0>(bench, warpgroups), "clk",
                  "as latency_of_4 with every warpgroup doing the same");
    }
}

template <class Type, int... kN>
void measure_widths(Bench& bench) {
    (measure_width<Type, kN, false>(bench), ...);
    (measure_width<Type, kN, true>(bench), ...);
}

}  // namespace micro
