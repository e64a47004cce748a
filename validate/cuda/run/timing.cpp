#include "timing.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>

namespace attention {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Event {
  public:
    Event() { micro::check(cudaEventCreate(&event_)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { cudaEventDestroy(event_); }
    void record() { micro::check(cudaEventRecord(event_)); }
    [[nodiscard]] bool reached() const { return cudaEventQuery(event_) == cudaSuccess; }
    [[nodiscard]] double ms_since(const Event& earlier) const {
        float ms = 0;
        micro::check(cudaEventElapsedTime(&ms, earlier.event_, event_));
        return static_cast<double>(ms);
    }

  private:
    cudaEvent_t event_{};
};

void idle(double ms) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
}

struct NvmlSamples {
    micro::Samples clock_mhz;
    micro::Samples power_w;
};

// Looks at the clock every millisecond until the event is reached.
NvmlSamples watch(const micro::Nvml& nvml, const Event& end) {
    NvmlSamples samples;
    while (!end.reached()) {
        if (const auto clock = nvml.sm_clock_mhz())
            samples.clock_mhz.push_back(*clock);
        if (const auto power = nvml.power_watts())
            samples.power_w.push_back(*power);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return samples;
}

// Launches until NVML has shown the same clock, within 1 %, for the last second of load, or the
// time is up; returns how many launches fill the time to measure.
template <class Launch>
int warm_up(Launch&& launch, const TimingSettings& settings, const micro::Bench& bench) {
    const Clock::time_point start = Clock::now();
    Clock::time_point settled = start;
    double reference = 0;
    double launch_s = 0;
    do {
        const Clock::time_point first = Clock::now();
        for (int i = 0; i < 4; ++i) {
            launch();
            if (settings.rest > 0) {
                micro::check(cudaDeviceSynchronize());
                idle(settings.rest * launch_s * 1e3);
            }
        }
        const double clock = bench.nvml().sm_clock_mhz().value_or(0);
        micro::check(cudaDeviceSynchronize());
        launch_s = seconds_since(first) / 4 / (1 + settings.rest);
        if (std::abs(clock - reference) > 0.02 * reference) {
            reference = clock;
            settled = Clock::now();
        }
    } while (seconds_since(settled) < std::min(0.7, settings.warm_up_s) &&
             seconds_since(start) < settings.warm_up_s);
    return std::clamp(static_cast<int>(settings.measure_s / launch_s), 20, 1000);
}

std::string format(const char* pattern, auto... values) {
    char text[256] = {};
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

}  // namespace

std::string gpu_id(const std::string& name) {
    if (name == "NVIDIA H200")
        return "h200";
    if (name == "NVIDIA H100 80GB HBM3")
        return "h100_sxm";
    if (name == "NVIDIA B200")
        return "b200";
    return name;
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[16] = {};
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

Timing time_kernel(const Kernel& kernel, const DeviceProblem& problem, const micro::Bench& bench,
                   const TimingSettings& settings) {
    prepare(kernel);
    Arguments arguments = problem.arguments(kernel);
    arguments.timeline = settings.timeline;
    const int grid = grid_size(kernel, arguments, settings.persistent, bench.sms());
    const auto launch = [&] { kernel.launch(arguments, grid); };

    const int launches = warm_up(launch, settings, bench);
    int l2 = 0;
    micro::check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    micro::DeviceArray<char> flush(settings.flush_l2 ? 2 * static_cast<std::size_t>(l2) : 1);
    micro::DeviceArray<ClockProbe> probes(static_cast<std::size_t>(launches));
    std::vector<Event> begin(static_cast<std::size_t>(launches));
    std::vector<Event> end(static_cast<std::size_t>(launches));
    for (std::size_t i = 0; i < begin.size(); ++i) {
        if (settings.flush_l2)
            flush.poison(static_cast<int>(i % 256));
        arguments.probe = probes.get() + i;
        begin[i].record();
        launch();
        end[i].record();
        if (settings.rest > 0) {
            micro::check(cudaDeviceSynchronize());
            idle(settings.rest * end[i].ms_since(begin[i]));
        }
    }
    NvmlSamples nvml = watch(bench.nvml(), end.back());
    if (settings.rest > 0) {
        if (const auto clock = bench.nvml().sm_clock_mhz())
            nvml.clock_mhz.push_back(*clock);
    }
    micro::check(cudaDeviceSynchronize());

    micro::Samples ms;
    micro::Samples mhz;
    const std::vector<ClockProbe> probed = probes.host();
    for (std::size_t i = 0; i < begin.size(); ++i) {
        ms.push_back(end[i].ms_since(begin[i]));
        const ClockProbe& p = probed[i];
        mhz.push_back(1e3 * static_cast<double>(p.cycles[1] - p.cycles[0]) /
                      static_cast<double>(p.nanoseconds[1] - p.nanoseconds[0]));
    }
    Timing timing;
    timing.median_ms = micro::median(ms);
    timing.least_ms = micro::quantile(ms, 0);
    timing.clock_mhz = micro::median(mhz);
    timing.clock_change =
        (micro::quantile(mhz, 0.95) - micro::quantile(mhz, 0.05)) / timing.clock_mhz;
    if (!nvml.clock_mhz.empty()) {
        timing.nvml_low_mhz = micro::quantile(nvml.clock_mhz, 0);
        timing.nvml_high_mhz = micro::quantile(nvml.clock_mhz, 1);
    }
    if (!nvml.power_w.empty())
        timing.power_w = micro::median(nvml.power_w);
    timing.launches = launches;
    return timing;
}

std::string measured_header() {
    return "source,gpu,sm_clock_mhz,clock_evidence,kernel,version,built,dtype,direction,"
           "head_dim_qk,head_dim_v,batch,heads_q,heads_kv,seqlen_q,seqlen_kv,mask,window,"
           "deterministic,time_ms,time_min_ms,tflops,mean_active_cycles,tensor_cycles,fma_cycles,"
           "xu_warp_instructions,note\n";
}

std::string measured_row(const Kernel& kernel, const DeviceProblem& problem,
                         const micro::Bench& bench, const TimingSettings& settings,
                         const Timing& t) {
    const Shape& s = problem.shape();
    const int d = problem.head_dim();
    int runtime = 0;
    micro::check(cudaRuntimeGetVersion(&runtime));
    return format("\"measured for this project, %s\",%s,%.0f,", bench.gpu().name,
                  gpu_id(bench.gpu().name).c_str(), t.clock_mhz) +
           format(
               "\"SM cycles over the GPU's timer in each launch (5th to 95th percentile %.1f %% "
               "apart); NVML %.0f to %.0f\",",
               100 * t.clock_change, t.nvml_low_mhz, t.nvml_high_mhz) +
           format("%s,%s,%s,bf16,fwd,%d,%d,%d,%d,%d,%d,%d,%s,,,", kernel.pipeline.c_str(),
                  kernel.name.c_str(), today().c_str(), d, d, s.batch, s.heads_q, s.heads_kv,
                  s.seqlen_q, s.seqlen_kv, s.causal ? "causal" : "full") +
           format("%.5f,%.5f,%.1f,,,,,", t.median_ms, t.least_ms, flop(s, d) / t.median_ms * 1e-9) +
           "\"" + kernel.switches +
           format("; %s grid; median of %d launches; L2 %s; %s%s; driver %s, CUDA %d.%d\"\n",
                  settings.persistent ? "persistent" : "one CTA a tile", t.launches,
                  settings.flush_l2 ? "flushed" : "warm",
                  settings.rest > 0 ? "idle between launches" : "launched back to back",
                  t.power_w > 0 ? format("; %.0f W", t.power_w).c_str() : "",
                  bench.nvml().driver_version().c_str(), runtime / 1000, runtime % 1000 / 10);
}

}  // namespace attention
