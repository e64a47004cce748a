// Latency and bandwidth of cp.async, the per-thread copy from global to shared memory.
#include "../common/async.cuh"
#include "../common/stamp.cuh"

namespace {

using namespace micro;

constexpr int kThreads = 256;
constexpr int kStageBytes = kThreads * 16;

template <int kStages>
__global__ void __launch_bounds__(kThreads)
    copy(int iterations, const uint4* source, int window, Stamp* stamps, unsigned* out) {
    extern __shared__ __align__(16) unsigned char ring[];
    const uint4* mine = source + static_cast<std::size_t>(blockIdx.x) * window * kThreads;
    const unsigned to = shared_address(ring) + threadIdx.x * 16;
    const auto fetch = [&](int i) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;" ::"r"(
                         to + i % kStages * kStageBytes),
                     "l"(mine + i % window * kThreads + threadIdx.x)
                     : "memory");
    };
    __syncthreads();
    const long long begin = cycle();
    for (int i = 0; i < kStages; ++i)
        fetch(i);
    for (int i = kStages; i < iterations; ++i) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
        fetch(i);
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    unsigned wrong = 0;
    for (int i = iterations - kStages; i < iterations; ++i) {
        const unsigned* got =
            reinterpret_cast<const unsigned*>(ring + i % kStages * kStageBytes) + threadIdx.x * 4;
        const uint4 want = mine[i % window * kThreads + threadIdx.x];
        wrong += got[0] != want.x || got[1] != want.y || got[2] != want.z || got[3] != want.w;
    }
    if (wrong != 0)
        atomicAdd(out, wrong);
}

template <int kStages>
Samples run(Bench& bench, const DeviceArray<uint4>& source, int blocks, int window) {
    DeviceArray<unsigned> wrong(1);
    check(cudaFuncSetAttribute(copy<kStages>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kStages * kStageBytes));
    Samples cycles = bench.slope(blocks, kThreads / 32, 32, 160, [&](int n, Stamp* stamps) {
        copy<kStages><<<blocks, kThreads, kStages * kStageBytes>>>(n, source.get(), window, stamps,
                                                                   wrong.get());
    });
    expect(wrong.host()[0] == 0, "cp.async");
    return cycles;
}

template <int kStages>
void measure_bandwidth(Bench& bench, const DeviceArray<uint4>& source, int blocks, int window) {
    bench.row(
        "cp_async_l2_bandwidth_" + std::to_string(kStages * kStageBytes) + "B_" +
            std::to_string(blocks) + "sm",
        map(run<kStages>(bench, source, blocks, window), [](double c) { return kStageBytes / c; }),
        "B/clk/SM", "256 threads x 16 B; that many bytes in flight");
}

}  // namespace

int main() {
    Bench bench("cp_async");
    const int sms = bench.sms();
    constexpr int kWindow = 32;  // 128 KiB for each SM: stays in L2
    std::vector<uint4> host(static_cast<std::size_t>(sms) * kWindow * kThreads);
    for (std::size_t i = 0; i < host.size(); ++i) {
        const auto word = static_cast<unsigned>(i * 2654435761U);
        host[i] = {word, word ^ 1, word ^ 2, word ^ 3};
    }
    const DeviceArray<uint4> source(host);
    bench.row("cp_async_l2_latency", run<1>(bench, source, 1, kWindow), "clk",
              "256 threads x 16 B; commit; wait; one SM");
    for (const int blocks : {1, sms}) {
        measure_bandwidth<2>(bench, source, blocks, kWindow);
        measure_bandwidth<4>(bench, source, blocks, kWindow);
        measure_bandwidth<8>(bench, source, blocks, kWindow);
        measure_bandwidth<16>(bench, source, blocks, kWindow);
    }
}
