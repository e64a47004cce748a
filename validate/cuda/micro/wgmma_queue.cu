// How many wgmma can a warpgroup issue before it has to wait for the tensor cores, and how long
// does one issue take? A batch is issued without a wait, with the clock read after each
// instruction.
#include "../common/stamp.cuh"
#include "wgmma_tiles.cuh"

namespace {

using namespace micro;

constexpr int kBatch = 32;

struct Trace {
    int issued[kBatch + 1];  // before the first instruction, and after each
    int done;                // after the wait for all of them
};

__device__ __forceinline__ int short_cycle() {
    int value;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(value)::"memory");
    return value;
}

template <int kN, bool kARegisters>
__global__ void __launch_bounds__(256, 1) issue(Trace* traces, float* out) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    const int warpgroup = threadIdx.x / 128;
    unsigned char* b_tile = tiles;
    unsigned char* a_tiles = tiles + kN * kRowBytes;
    unsigned char* a_tile = a_tiles + warpgroup * kTileM * kRowBytes;
    fill_tile<Bf16>(b_tile, kN, b_value);
    for (int w = 0; w < static_cast<int>(blockDim.x) / 128; ++w)
        fill_tile<Bf16>(a_tiles + w * kTileM * kRowBytes, kTileM, a_value);
    fence_async_proxy();
    __syncthreads();
    std::uint32_t fragments[kSlices][4];
    for (int s = 0; s < kSlices; ++s)
        load_fragment<Bf16>(a_tile, s, fragments[s]);
    float d[kN / 2];
    const std::uint64_t a = descriptor(a_tile);
    const std::uint64_t b = descriptor(b_tile);
    int stamps[kBatch + 1];
    int done = 0;
    // The first round brings the code into the caches.
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        for (float& value : d)
            value = 0;
        __syncthreads();
        wgmma_fence();
        stamps[0] = short_cycle();
#pragma unroll
        for (int g = 0; g < kBatch; ++g) {
            const int slice = g % kSlices;
            if constexpr (kARegisters) {
                Bf16::multiply(d, fragments[slice], b + slice * kSliceStep);
            } else {
                Bf16::multiply(d, a + slice * kSliceStep, b + slice * kSliceStep);
            }
            stamps[g + 1] = short_cycle();
        }
        wgmma_commit();
        wgmma_wait<0>();
        done = short_cycle();
    }
    if (threadIdx.x % 32 == 0) {
        Trace& trace = traces[(blockIdx.x * blockDim.x + threadIdx.x) / 32];
        for (int g = 0; g <= kBatch; ++g)
            trace.issued[g] = stamps[g];
        trace.done = done;
    }
    if (blockIdx.x == 0)
        store_accumulators<kN>(d, out + warpgroup * kTileM * kN);
}

// What one warp's trace says. An instruction on the tensor cores takes `interval`, so the batch
// is worked off at an even pace that ends at `done`, less a latency that the last one adds: how
// many were issued and not yet done is seen at each stamp.
struct Reading {
    Samples gaps[kBatch];  // clk of each issue
    Samples later;         // clk between two issues at the end of the batch
    Samples ahead;         // instructions issued before the first one that waited
    Samples waiting;       // instructions issued and unfinished at the end of the batch
};

Reading read(const std::vector<Trace>& traces, double interval) {
    Reading reading;
    for (const Trace& trace : traces) {
        const auto gap = [&](int g) {
            return static_cast<double>(trace.issued[g + 1] - trace.issued[g]);
        };
        for (int g = 0; g < kBatch; ++g)
            reading.gaps[g].push_back(gap(g));
        reading.later.push_back(
            static_cast<double>(trace.issued[kBatch] - trace.issued[kBatch / 2]) / (kBatch / 2));
        int ahead = kBatch;
        for (int g = kBatch - 1; g > 0; --g) {
            if (gap(g) > interval / 2)
                ahead = g;
        }
        reading.ahead.push_back(ahead);
        reading.waiting.push_back(static_cast<double>(trace.done - trace.issued[kBatch]) /
                                  interval);
    }
    return reading;
}

template <int kN, bool kARegisters>
void measure(Bench& bench, int warpgroups) {
    const int blocks = bench.sms();
    const int bytes = (kN + kTileM * warpgroups) * kRowBytes;
    const auto kernel = issue<kN, kARegisters>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    DeviceArray<Trace> traces(static_cast<std::size_t>(blocks) * warpgroups * 4);
    DeviceArray<float> out(static_cast<std::size_t>(warpgroups) * kTileM * kN);
    const double interval = warpgroups * std::max(kN / 2, kARegisters ? 13 : 16 + kN / 4);
    Reading all;
    const auto append = [](Samples& to, const Samples& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    for (int r = 0; r < Bench::kRepeats; ++r) {
        traces.poison();
        out.poison();
        kernel<<<blocks, 128 * warpgroups, bytes>>>(traces.get(), out.get());
        check_launch();
        bench.sample_clock();
        const std::vector<float> host = out.host();
        for (int w = 0; w < warpgroups; ++w)
            verify_product<Bf16>(host.data() + w * kTileM * kN, kN, kBatch, kBatch);
        const Reading one = read(traces.host(), interval);
        for (int g = 0; g < kBatch; ++g)
            append(all.gaps[g], one.gaps[g]);
        append(all.later, one.later);
        append(all.ahead, one.ahead);
        append(all.waiting, one.waiting);
    }
    const std::string name = "wgmma_m64n" + std::to_string(kN) + (kARegisters ? "_rs" : "_ss") +
                             "_wg" + std::to_string(warpgroups);
    for (const int g : {0, 1, 2, 3, 4, 5, 6, 8, 12, 16}) {
        bench.row(name + "_issue_" + std::to_string(g), all.gaps[g], "clk",
                  "that issue of a batch and a clock read");
    }
    bench.row(name + "_late_issue", all.later, "clk",
              "between issues 16 to 32 of a batch that nobody waits for");
    bench.row(
        name + "_issued_ahead", all.ahead, "1",
        "instructions issued before the first that waits over half an interval; 32: none did");
    bench.row(name + "_unfinished", all.waiting, "1",
              "wait after the last of 32 issues in intervals; latency of the last included");
}

template <int kN, bool kARegisters>
void measure_warpgroups(Bench& bench) {
    for (const int warpgroups : {1, 2})
        measure<kN, kARegisters>(bench, warpgroups);
}

}  // namespace

int main() {
    Bench bench("wgmma_queue");
    bench.require({90});
    measure_warpgroups<64, false>(bench);
    measure_warpgroups<64, true>(bench);
    measure_warpgroups<128, false>(bench);
    measure_warpgroups<128, true>(bench);
    measure_warpgroups<256, false>(bench);
}
