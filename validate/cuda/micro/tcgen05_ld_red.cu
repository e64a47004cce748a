// The tensor memory load that also gives each lane's largest value: does the maximum cost time?
#include "tcgen05_tiles.cuh"

namespace {

using namespace micro;

constexpr int kBatch = 4;

template <bool kReduce>
__device__ __forceinline__ void load(std::uint32_t (&r)[32], unsigned at, float& largest) {
    if constexpr (kReduce) {
        tcgen05_ld_max_32x32b_x32(r, at, largest);
    } else {
        tcgen05_ld_32x32b_x32(r, at);
    }
}

template <bool kReduce, bool kWait>
__global__ void __launch_bounds__(128) read(int iterations, Stamp* stamps, unsigned* wrong) {
    __shared__ unsigned tmem;
    if (threadIdx.x < 32)
        tmem_allocate<1>(&tmem);
    __syncthreads();
    const unsigned at = tmem_at(tmem, threadIdx.x / 32 * 32, 0);
    std::uint32_t r[32];
    for (int i = 0; i < 32; ++i) {
        r[i] = __float_as_uint(static_cast<float>((i * 7 + threadIdx.x) % 32));
    }
    tcgen05_st_32x32b_x32(at, r);
    tmem_wait_store();
    float largest = 0;
    __syncthreads();
    const long long begin = cycle();
    unsigned bad = 0;
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        std::uint32_t batch[kBatch][32];
        std::uint32_t seen = 0;
#pragma unroll
        for (int u = 0; u < kBatch; ++u) {
            load<kReduce>(batch[u], at, largest);
            if constexpr (kWait) {
                tmem_wait_load();
                seen ^= tmem_loaded(batch[u][0]);
            }
        }
        tmem_wait_load();
        if constexpr (!kWait) {
#pragma unroll
            for (int u = 0; u < kBatch; ++u)
                seen ^= tmem_loaded(batch[u][0]);
        }
        bad += seen != 0;  // an even number of equal words
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    load<kReduce>(r, at, largest);
    tmem_wait_load();
    bad += kReduce && largest != 31.0F;
    for (int i = 0; i < 32; ++i) {
        bad += __uint_as_float(r[i]) != static_cast<float>((i * 7 + threadIdx.x) % 32);
    }
    if (bad != 0)
        atomicAdd(wrong, bad);
    __syncthreads();
    if (threadIdx.x < 32)
        tmem_release<1>(tmem);
}

template <bool kReduce, bool kWait>
void measure(Bench& bench, int warps) {
    DeviceArray<unsigned> wrong(1);
    const Samples cycles = bench.slope(bench.sms(), warps, 16, 144, [&](int n, Stamp* stamps) {
        read<kReduce, kWait><<<bench.sms(), 32 * warps>>>(n, stamps, wrong.get());
    });
    expect(wrong.host()[0] == 0, "tensor memory load");
    bench.row(std::string(kReduce ? "tcgen05_ld_red" : "tcgen05_ld") + "_x32_" +
                  (kWait ? "latency" : "interval") + "_w" + std::to_string(warps),
              map(cycles, [](double c) { return c / kBatch; }), "clk",
              kWait ? "load and wait" : "for each load of a warp; four to a wait");
}

}  // namespace

int main() {
    Bench bench("tcgen05_ld_red");
    bench.require({103});
    for (const int warps : {1, 4}) {
        measure<false, true>(bench, warps);
        measure<true, true>(bench, warps);
        measure<false, false>(bench, warps);
        measure<true, false>(bench, warps);
    }
}
