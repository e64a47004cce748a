// What does the SM clock, and the power drawn, do over seconds of matrix work, on random and on
// zero operands?
#include "../common/stamp.cuh"
#include "wgmma_tiles.cuh"

#include <chrono>
#include <thread>

namespace {

using namespace micro;

constexpr int kN = 256;
constexpr int kWarpgroups = 2;
constexpr int kIterations = 8192;
constexpr int kGroup = 16;

// A bf16 in (-1, 1) with all its mantissa bits in play, or zero.
__device__ float operand(unsigned seed, bool zero) {
    seed *= 2654435761U;
    seed ^= seed >> 15;
    seed *= 2246822519U;
    seed ^= seed >> 13;
    return zero ? 0.0F : static_cast<float>(static_cast<int>(seed)) * 0x1p-31F;
}

__global__ void __launch_bounds__(128 * kWarpgroups, 1)
    heavy(bool zero, long long* busy, float* sums) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    const int warpgroup = threadIdx.x / 128;
    unsigned char* a_tiles = tiles + kN * kRowBytes;
    for (unsigned i = threadIdx.x; i < (kN + kTileM * kWarpgroups) * kRowBytes / 2;
         i += blockDim.x) {
        reinterpret_cast<__nv_bfloat16*>(tiles)[i] = __float2bfloat16(operand(i + 1, zero));
    }
    fence_async_proxy();
    __syncthreads();
    float d[kN / 2];
    for (float& value : d)
        value = 0;
    const std::uint64_t a = descriptor(a_tiles + warpgroup * kTileM * kRowBytes);
    const std::uint64_t b = descriptor(tiles);
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < kIterations; ++i) {
        wgmma_fence();
#pragma unroll
        for (int g = 0; g < kGroup; ++g) {
            Bf16::multiply(d, a + g % kSlices * kSliceStep, b + g % kSlices * kSliceStep);
        }
        wgmma_commit();
        wgmma_wait<1>();
    }
    wgmma_wait<0>();
    const long long end = cycle();
    if (threadIdx.x == 0)
        busy[blockIdx.x] = end - begin;
    float sum = 0;
    for (const float value : d)
        sum += fabsf(value);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void measure(Bench& bench, bool zero) {
    const int blocks = bench.sms();
    constexpr int kThreads = 128 * kWarpgroups;
    constexpr int kBytes = (kN + kTileM * kWarpgroups) * kRowBytes;
    check(cudaFuncSetAttribute(heavy, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    DeviceArray<long long> busy(blocks);
    DeviceArray<float> sums(static_cast<std::size_t>(blocks) * kThreads);
    const std::string data = zero ? "zero" : "random";
    constexpr double kFlop = 2.0 * 64 * kN * 16 * kGroup * kIterations * kWarpgroups;
    constexpr int kLaunches = 200;
    std::vector<cudaEvent_t> events(kLaunches + 1);
    for (cudaEvent_t& event : events)
        check(cudaEventCreate(&event));
    check(cudaEventRecord(events[0]));
    for (int i = 0; i < kLaunches; ++i) {
        heavy<<<blocks, kThreads, kBytes>>>(zero, busy.get(), sums.get());
        check(cudaEventRecord(events[i + 1]));
    }
    check_launch();
    // One row each time another tenth of the launches is done, while the rest runs.
    for (int i = kLaunches / 10; i <= kLaunches; i += kLaunches / 10) {
        check(cudaEventSynchronize(events[i - 1]));
        bench.sample_clock();
        const double watts = bench.nvml().power_watts().value_or(0);
        float total = 0;
        float last = 0;
        check(cudaEventElapsedTime(&total, events[0], events[i - 1]));
        check(cudaEventElapsedTime(&last, events[i - 2], events[i - 1]));
        const std::string at = "_" + data + "_" + std::to_string(i * 100 / kLaunches) + "pct";
        const std::string note = "after " + std::to_string(static_cast<int>(total)) + " ms";
        bench.row("heavy_tensor_rate" + at, kFlop * blocks / last * 1e-9, "TFLOP/s", 0, note);
        bench.row("heavy_power" + at, watts, "W", 0, note);
    }
    check(cudaDeviceSynchronize());
    const std::vector<float> host = sums.host();
    for (std::size_t i = 0; i < host.size(); ++i) {
        expect(host[i] == host[i % kThreads], "blocks agree");
        expect(std::isfinite(host[i]) && (host[i] == 0) == zero, "sum of products");
    }
    const std::vector<long long> cycles = busy.host();
    Samples interval;
    for (const long long c : cycles) {
        interval.push_back(static_cast<double>(c) / (1.0 * kIterations * kGroup * kWarpgroups));
    }
    bench.row("heavy_wgmma_interval_" + data, interval, "clk", "m64n256k16 bf16; two warpgroups");
    for (const cudaEvent_t event : events)
        check(cudaEventDestroy(event));
}

}  // namespace

int main() {
    Bench bench("clock_power");
    bench.require({90});
    measure(bench, false);
    std::this_thread::sleep_for(std::chrono::seconds(2));
    measure(bench, true);
}
