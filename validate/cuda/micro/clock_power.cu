// What does the SM clock, and the power drawn, do over seconds of matrix work, on random and on
// zero operands?
//
// The clock is each SM's own cycle counter over the GPU's nanosecond timer, both read around the
// work: what the driver reports (NVML) is the frequency asked for, and stays above the true one
// while the power limit holds the SMs back.
#include "../common/stamp.cuh"
#include "random_operand.cuh"
#include "wgmma_tiles.cuh"

#include <chrono>
#include <thread>

namespace {

using namespace micro;

constexpr int kN = 256;
constexpr int kWarpgroups = 2;
constexpr int kIterations = 8192;
constexpr int kGroup = 16;
constexpr int kLaunches = 200;
constexpr int kParts = 10;  // reported one by one

// One block's work, on both clocks.
struct Span {
    long long cycles;
    long long nanoseconds;
};

__global__ void __launch_bounds__(128 * kWarpgroups, 1) heavy(bool zero, Span* spans, float* sums) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    const int warpgroup = threadIdx.x / 128;
    unsigned char* a_tiles = tiles + kN * kRowBytes;
    for (unsigned i = threadIdx.x; i < (kN + kTileM * kWarpgroups) * kRowBytes / 2;
         i += blockDim.x) {
        reinterpret_cast<__nv_bfloat16*>(tiles)[i] =
            __float2bfloat16(zero ? 0.0F : random_operand(i + 1));
    }
    fence_async_proxy();
    __syncthreads();
    float d[kN / 2];
    for (float& value : d)
        value = 0;
    const std::uint64_t a = descriptor(a_tiles + warpgroup * kTileM * kRowBytes);
    const std::uint64_t b = descriptor(tiles);
    const long long begin_ns = nanoseconds();
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
    const long long end_ns = nanoseconds();
    if (threadIdx.x == 0)
        spans[blockIdx.x] = {end - begin, end_ns - begin_ns};
    float sum = 0;
    for (const float value : d)
        sum += fabsf(value);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

double megahertz(const Span& span) {
    if (span.nanoseconds <= 0)
        fail("the GPU's timer stood still");
    return 1e3 * static_cast<double>(span.cycles) / static_cast<double>(span.nanoseconds);
}

// Clocks of every block of the launches [from, to).
Samples clocks(const std::vector<Span>& spans, int blocks, int from, int to) {
    Samples result;
    for (int i = from * blocks; i < to * blocks; ++i)
        result.push_back(megahertz(spans[static_cast<std::size_t>(i)]));
    return result;
}

// What NVML and the events say at the end of a part of the launches, while the rest runs.
struct Part {
    double watts;
    unsigned nvml_mhz;
    float total_ms;
    float last_ms;  // of the last launch
};

void rows(Bench& bench, const std::string& data, const std::vector<Part>& parts,
          const std::vector<Span>& spans) {
    const int blocks = bench.sms();
    const double flop = 2.0 * 64 * kN * 16 * kGroup * kIterations * kWarpgroups * blocks;
    constexpr int kEach = kLaunches / kParts;
    bench.row("heavy_sm_clock_" + data + "_first_launch", clocks(spans, blocks, 0, 1), "MHz",
              "cycle counter over the GPU's timer; launch after two idle seconds");
    Samples watts;
    for (int p = 0; p < kParts; ++p) {
        const Part& part = parts[static_cast<std::size_t>(p)];
        const std::string at = "_" + data + "_" + std::to_string((p + 1) * 100 / kParts) + "pct";
        const std::string note = "after " + std::to_string(static_cast<int>(part.total_ms)) + " ms";
        bench.row("heavy_tensor_rate" + at, flop / part.last_ms * 1e-9, "TFLOP/s", 0, note);
        bench.row("heavy_power" + at, part.watts, "W", 0, note);
        bench.row("heavy_nvml_clock" + at, part.nvml_mhz, "MHz", 0, note + "; what NVML reports");
        bench.row("heavy_sm_clock" + at, clocks(spans, blocks, p * kEach, (p + 1) * kEach), "MHz",
                  note + "; cycle counter over the GPU's timer; every SM and launch of the part");
        if (p >= kParts / 2)
            watts.push_back(part.watts);
    }
    bench.row("sustained_sm_clock_" + data, clocks(spans, blocks, kLaunches / 2, kLaunches), "MHz",
              "second half of the launches; cycle counter over the GPU's timer; at " +
                  std::to_string(static_cast<int>(median(watts))) + " W");
}

void measure(Bench& bench, bool zero) {
    const int blocks = bench.sms();
    constexpr int kThreads = 128 * kWarpgroups;
    constexpr int kBytes = (kN + kTileM * kWarpgroups) * kRowBytes;
    check(cudaFuncSetAttribute(heavy, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    DeviceArray<Span> spans(static_cast<std::size_t>(blocks) * kLaunches);
    DeviceArray<float> sums(static_cast<std::size_t>(blocks) * kThreads);
    const std::string data = zero ? "zero" : "random";
    std::vector<cudaEvent_t> events(kLaunches + 1);
    for (cudaEvent_t& event : events)
        check(cudaEventCreate(&event));
    check(cudaEventRecord(events[0]));
    for (int i = 0; i < kLaunches; ++i) {
        heavy<<<blocks, kThreads, kBytes>>>(
            zero, spans.get() + static_cast<std::size_t>(i) * blocks, sums.get());
        check(cudaEventRecord(events[i + 1]));
    }
    check_launch();
    std::vector<Part> parts;
    for (int i = kLaunches / kParts; i <= kLaunches; i += kLaunches / kParts) {
        check(cudaEventSynchronize(events[i - 1]));
        bench.sample_clock();
        Part part{bench.nvml().power_watts().value_or(0), bench.nvml().sm_clock_mhz().value_or(0),
                  0, 0};
        check(cudaEventElapsedTime(&part.total_ms, events[0], events[i - 1]));
        check(cudaEventElapsedTime(&part.last_ms, events[i - 2], events[i - 1]));
        parts.push_back(part);
    }
    check(cudaDeviceSynchronize());
    const std::vector<float> host = sums.host();
    for (std::size_t i = 0; i < host.size(); ++i) {
        expect(host[i] == host[i % kThreads], "blocks agree");
        expect(std::isfinite(host[i]) && (host[i] == 0) == zero, "sum of products");
    }
    const std::vector<Span> timed = spans.host();
    rows(bench, data, parts, timed);
    Samples interval;
    for (const Span& span : timed) {
        interval.push_back(static_cast<double>(span.cycles) /
                           (1.0 * kIterations * kGroup * kWarpgroups));
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
