// Timed launches and the row they end in.
#pragma once

#include "device_problem.hpp"

#include <optional>

namespace attention {

struct TimingSettings {
    double warm_up_s = 4;    // at most; ends when the clock has settled
    double measure_s = 0.5;  // of launches
    double rest = 0;         // idle time after each launch, in launches: keeps power and clock up
    bool flush_l2 = false;
    bool allow_clock_change = false;
    bool persistent = true;
    TimelineView timeline{};  // for kernels compiled with one
};

struct Timing {
    double median_ms = 0;
    double least_ms = 0;
    double clock_mhz = 0;     // of the SMs, median over the launches
    double clock_change = 0;  // (95th - 5th percentile) / median
    double nvml_low_mhz = 0;  // sampled while the launches ran; 0 where NVML is absent
    double nvml_high_mhz = 0;
    double power_w = 0;  // median of the samples
    int launches = 0;
};

[[nodiscard]] Timing time_kernel(const Kernel& kernel, const DeviceProblem& problem,
                                 const micro::Bench& bench, const TimingSettings& settings);

[[nodiscard]] std::string gpu_id(const std::string& name);  // of the files in hw_specs
[[nodiscard]] std::string today();                          // UTC, year-month-day

// The measured-row table, see validate/measured/README.md.
[[nodiscard]] std::string measured_header();
[[nodiscard]] std::string measured_row(const Kernel& kernel, const DeviceProblem& problem,
                                       const micro::Bench& bench, const TimingSettings& settings,
                                       const Timing& timing);

}  // namespace attention
