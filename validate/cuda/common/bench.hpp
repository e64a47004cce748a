// What every microbenchmark shares: the GPU at hand, robust statistics, timed launches and the
// CSV rows they end in.
#pragma once

#include "check.hpp"
#include "nvml.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace micro {

// Begin and end of one warp's timed region on its SM's cycle counter.
struct Stamp {
    long long begin;
    long long end;
};

using Samples = std::vector<double>;

inline double quantile(Samples values, double q) {
    if (values.empty())
        fail("no samples");
    std::sort(values.begin(), values.end());
    const double position = q * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(position);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (position - static_cast<double>(low)) * (values[high] - values[low]);
}

inline double median(const Samples& values) {
    return quantile(values, 0.5);
}

// Half the distance between the 5th and the 95th percentile.
inline double spread(const Samples& values) {
    return (quantile(values, 0.95) - quantile(values, 0.05)) / 2;
}

template <class Function>
Samples map(Samples values, Function&& function) {
    for (double& value : values)
        value = function(value);
    return values;
}

// Typed device memory, freed with its owner.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        check(cudaMalloc(&data_, count * sizeof(T)));
        check(cudaMemset(data_, 0, count * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
        check(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data_); }

    [[nodiscard]] T* get() const { return data_; }
    [[nodiscard]] std::size_t size() const { return count_; }

    // All bytes set to `byte`: what a kernel forgets to write then shows.
    void poison(int byte = 0xff) { check(cudaMemset(data_, byte, count_ * sizeof(T))); }

    [[nodiscard]] std::vector<T> host() const {
        std::vector<T> copy(count_);
        check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }

  private:
    T* data_ = nullptr;
    std::size_t count_;
};

class Bench {
  public:
    explicit Bench(const char* program) : program_(program), nvml_(open_nvml()) {
        check(cudaGetDeviceProperties(&gpu_, 0));
        check(cudaRuntimeGetVersion(&runtime_));
    }

    // Leaves, with a message, unless the GPU has exactly one of these compute capabilities.
    void require(const std::vector<int>& capabilities) const {
        const int mine = gpu_.major * 10 + gpu_.minor;
        if (std::find(capabilities.begin(), capabilities.end(), mine) != capabilities.end())
            return;
        std::string wanted;
        for (const int capability : capabilities) {
            wanted += (wanted.empty() ? "" : " or ") + std::to_string(capability / 10) + "." +
                      std::to_string(capability % 10);
        }
        std::fprintf(stderr, "%s needs a GPU of compute capability %s; '%s' has %d.%d\n", program_,
                     wanted.c_str(), gpu_.name, gpu_.major, gpu_.minor);
        std::exit(kExitUnsupported);
    }

    [[nodiscard]] const cudaDeviceProp& gpu() const { return gpu_; }
    [[nodiscard]] int sms() const { return gpu_.multiProcessorCount; }
    [[nodiscard]] const Nvml& nvml() const { return nvml_; }

    // Call between queueing the timed work and waiting for it, so that the clock is the run's.
    void sample_clock() { clock_mhz_ = nvml_.sm_clock_mhz().value_or(0); }

    void row(const std::string& constant, double value, const std::string& unit, double spread,
             const std::string& note = "") const {
        std::printf("%s,%.6g,%s,%.3g,%s,%u,%d.%d,\"%s\"\n", constant.c_str(), value, unit.c_str(),
                    spread, gpu_.name, clock_mhz_, runtime_ / 1000, runtime_ % 1000 / 10,
                    note.c_str());
        std::fflush(stdout);
    }

    void row(const std::string& constant, const Samples& samples, const std::string& unit,
             const std::string& note = "") const {
        row(constant, median(samples), unit, micro::spread(samples), note);
    }

    // Cycles one launch takes on an SM, from the first warp's begin to the last warp's end: one
    // sample for each block of each repeat. `launch(stamps)` queues a kernel of `blocks` blocks
    // whose warps write stamps[block * warps + warp].
    template <class Launch>
    Samples cycles(int blocks, int warps, Launch&& launch, int repeats = kRepeats) {
        const std::size_t per_launch = static_cast<std::size_t>(blocks) * warps;
        DeviceArray<Stamp> stamps(per_launch * (repeats + 1));
        // The first launch warms the instruction cache and is dropped.
        for (int r = 0; r <= repeats; ++r) {
            launch(stamps.get() + per_launch * r);
            check_launch();
        }
        sample_clock();
        check(cudaDeviceSynchronize());
        const std::vector<Stamp> host = stamps.host();
        Samples result;
        for (std::size_t block = blocks; block < static_cast<std::size_t>(blocks) * (repeats + 1);
             ++block) {
            long long begin = host[block * warps].begin;
            long long end = host[block * warps].end;
            for (int warp = 1; warp < warps; ++warp) {
                begin = std::min(begin, host[block * warps + warp].begin);
                end = std::max(end, host[block * warps + warp].end);
            }
            if (end <= begin)
                fail("a block left no time stamps");
            result.push_back(static_cast<double>(end - begin));
        }
        return result;
    }

    // Cycles one loop iteration takes: the difference between a long and a short run over the
    // difference in their iterations, so that what happens once per launch cancels.
    // `launch(iterations, stamps)` as above.
    template <class Launch>
    Samples slope(int blocks, int warps, int few, int many, Launch&& launch,
                  int repeats = kRepeats) {
        const auto run = [&](int iterations) {
            return cycles(
                blocks, warps, [&](Stamp* stamps) { launch(iterations, stamps); }, repeats);
        };
        const Samples low = run(few);
        Samples high = run(many);
        for (std::size_t i = 0; i < high.size(); ++i)
            high[i] = (high[i] - low[i]) / (many - few);
        return high;
    }

    // Milliseconds each of `repeats` launches takes between two events, after one warm-up.
    template <class Launch>
    Samples milliseconds(Launch&& launch, int repeats = kRepeats) {
        std::vector<cudaEvent_t> events(static_cast<std::size_t>(repeats) + 1);
        for (cudaEvent_t& event : events)
            check(cudaEventCreate(&event));
        launch();
        check(cudaEventRecord(events[0]));
        for (int r = 1; r <= repeats; ++r) {
            launch();
            check(cudaEventRecord(events[static_cast<std::size_t>(r)]));
        }
        check_launch();
        sample_clock();
        check(cudaDeviceSynchronize());
        Samples result;
        for (int r = 1; r <= repeats; ++r) {
            float ms = 0;
            check(cudaEventElapsedTime(&ms, events[static_cast<std::size_t>(r) - 1],
                                       events[static_cast<std::size_t>(r)]));
            result.push_back(ms);
        }
        for (const cudaEvent_t event : events)
            check(cudaEventDestroy(event));
        return result;
    }

    static constexpr int kRepeats = 15;

  private:
    static Nvml open_nvml() {
        int devices = 0;
        check(cudaGetDeviceCount(&devices));
        if (devices == 0)
            fail("no CUDA device");
        char bus[32] = {};
        check(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
        return Nvml(bus);
    }

    const char* program_;
    Nvml nvml_;
    cudaDeviceProp gpu_{};
    int runtime_ = 0;
    unsigned clock_mhz_ = 0;
};

}  // namespace micro
