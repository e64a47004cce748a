// What does each unit draw? Loads that keep one unit busy for seconds, each with the board's power,
// the SMs' true clock and the rate it reached, so that energies an operation can be told apart. The
// same products at several duties run at different clocks under the power limit: that tells how the
// energy of an operation grows with the clock (and the voltage that the clock needs).
//
// Power is the driver's energy counter over a second in mid-run; the clock, each SM's cycle counter
// over the GPU's nanosecond timer.
#include "power_loads.cuh"

#include <chrono>
#include <thread>

namespace {

using namespace micro;

constexpr long long kWarmNs = 800'000'000;
constexpr long long kTimedNs = 1'000'000'000;
constexpr std::size_t kBufferWords = (std::size_t{4} << 30) / sizeof(uint4);
constexpr std::size_t kCachedWords = (std::size_t{16} << 20) / sizeof(uint4);
constexpr int kSharedBytes = 65 * 1024;  // a little over: barriers of the copies

// What one block did in the timed part.
struct Window {
    long long batches;
    long long cycles;
    long long nanoseconds;
};

template <class Load>
__global__ void __launch_bounds__(Load::kThreads, 1)
    sustain(const uint4* buffer, std::size_t words, Window* windows, float* rests) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    Load load;
    load.begin({tiles, buffer, words});
    const long long start = nanoseconds();
    const auto repeat_until = [&](long long end) {
        long long batches = 0;
        bool over = false;
        while (!over) {
            load.batch();
            ++batches;
            over = __syncthreads_or(threadIdx.x == 0 && nanoseconds() >= end) != 0;
        }
        return batches;
    };
    repeat_until(start + kWarmNs);
    const long long begin_ns = nanoseconds();
    const long long begin = cycle();
    const long long batches = repeat_until(start + kWarmNs + kTimedNs);
    if (threadIdx.x == 0)
        windows[blockIdx.x] = {batches, cycle() - begin, nanoseconds() - begin_ns};
    rests[blockIdx.x * Load::kThreads + threadIdx.x] = load.rest();
}

__global__ void fill(uint4* buffer, std::size_t words) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step) {
        const auto seed = static_cast<unsigned>(4 * i);
        buffer[i] = {scrambled(seed), scrambled(seed + 1), scrambled(seed + 2),
                     scrambled(seed + 3)};
    }
}

// Mean power of the board over the middle of the timed part; the launch is just queued.
double watts_in_mid_run(Bench& bench) {
    using std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kAside{60};
    std::this_thread::sleep_for(std::chrono::nanoseconds(kWarmNs) + kAside);
    const auto begin = steady_clock::now();
    const std::optional<double> before = bench.nvml().energy_joules();
    std::this_thread::sleep_for(std::chrono::nanoseconds(kTimedNs) - 3 * kAside);
    bench.sample_clock();
    const std::optional<double> after = bench.nvml().energy_joules();
    if (!before || !after)
        fail("the driver counts no energy on this GPU");
    return (*after - *before) / std::chrono::duration<double>(steady_clock::now() - begin).count();
}

template <class Load>
void measure(Bench& bench, const std::string& name, const uint4* buffer, std::size_t words) {
    check(cudaFuncSetAttribute(sustain<Load>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kSharedBytes));
    const int blocks = bench.sms();
    DeviceArray<Window> windows(static_cast<std::size_t>(blocks));
    DeviceArray<float> rests(static_cast<std::size_t>(blocks) * Load::kThreads);
    sustain<Load>
        <<<blocks, Load::kThreads, kSharedBytes>>>(buffer, words, windows.get(), rests.get());
    check_launch();
    const double watts = watts_in_mid_run(bench);
    check(cudaDeviceSynchronize());
    for (const float rest : rests.host())
        expect(std::isfinite(rest) && rest > 0, name.c_str());
    Samples clocks;
    Samples rates;
    for (const Window& window : windows.host()) {
        const auto cycles = static_cast<double>(window.cycles);
        clocks.push_back(1e3 * cycles / static_cast<double>(window.nanoseconds));
        rates.push_back(Load::kOperations * Load::kThreads * static_cast<double>(window.batches) /
                        cycles);
    }
    bench.row("power_" + name, watts, "W", 0, "whole board");
    bench.row("power_clock_" + name, clocks, "MHz", "cycle counter over the GPU's timer");
    bench.row("power_rate_" + name, rates, Load::kUnit, "an SM");
    // Each load starts from much the same temperature.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

template <int kN, OperandA kA, bool kZero, int kDuty>
void products(Bench& bench) {
    const std::string name = std::string("wgmma_n") + std::to_string(kN) +
                             (kA == OperandA::shared ? "_ss" : "_rs") +
                             (kZero ? "_zero" : "_random") + "_duty" + std::to_string(kDuty);
    measure<Products<kN, kA, kZero, kDuty>>(bench, name, nullptr, 0);
}

template <Arithmetic kKind>
void chains(Bench& bench, const char* name) {
    measure<Chains<kKind>>(bench, name, nullptr, 0);
}

}  // namespace

int main() {
    Bench bench("power");
    bench.require({90});
    DeviceArray<uint4> buffer(kBufferWords);
    fill<<<4096, 256>>>(buffer.get(), kBufferWords);
    check_launch();
    check(cudaDeviceSynchronize());
    measure<Asleep>(bench, Asleep::kName, nullptr, 0);
    chains<Arithmetic::fma>(bench, "fma");
    chains<Arithmetic::fma_ex2>(bench, "fma_ex2");
    chains<Arithmetic::fma_max>(bench, "fma_max");
    chains<Arithmetic::fma_convert>(bench, "fma_convert");
    chains<Arithmetic::logic>(bench, "logic");
    measure<SharedLoads>(bench, SharedLoads::kName, nullptr, 0);
    measure<HbmLoads>(bench, HbmLoads::kName, buffer.get(), kBufferWords);
    measure<L2Copies>(bench, L2Copies::kName, buffer.get(), kCachedWords);
    products<256, OperandA::shared, false, 25>(bench);
    products<256, OperandA::shared, false, 50>(bench);
    products<256, OperandA::shared, false, 75>(bench);
    products<256, OperandA::shared, false, 100>(bench);
    products<256, OperandA::registers, false, 100>(bench);
    products<256, OperandA::registers, false, 50>(bench);
    products<64, OperandA::shared, false, 100>(bench);
    products<64, OperandA::shared, false, 50>(bench);
    products<256, OperandA::shared, true, 100>(bench);
}
