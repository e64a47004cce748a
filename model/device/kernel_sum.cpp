#include "warpline/device/kernel_sum.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

void add_waves(WaveSummary& sum, const WaveSummary& waves) {
    sum.tiles += waves.tiles;
    sum.makespan_cycles += waves.makespan_cycles;
    sum.mean_active_cycles += waves.mean_active_cycles;
    sum.tail_cycles += waves.tail_cycles;
    sum.makespan_error_cycles += waves.makespan_error_cycles;
    sum.turn_wait_cycles += waves.turn_wait_cycles;
    sum.hbm_bytes += waves.hbm_bytes;
    sum.l2_bytes += waves.l2_bytes;
}

/// Work adds up; a unit is as busy as its mean over the kernels' time. Were it alone the limit,
/// each kernel would take its counted work over the rate that it then has.
[[nodiscard]] UnitReport unit_of_all(const std::vector<Prediction>& kernels, std::size_t unit,
                                     double cycles) {
    UnitReport sum;
    sum.unit = kernels.front().units.at(unit).unit;
    double counted = 0.0;
    double alone = 0.0;
    for (const Prediction& kernel : kernels) {
        const UnitReport& report = kernel.units.at(unit);
        sum.work_per_sm += report.work_per_sm;
        sum.busy += cycles > 0.0 ? report.busy * kernel.makespan_cycles / cycles : 0.0;
        counted += kernel.counted_flops;
        alone += kernel.counted_flops / report.only_this_limits;
    }
    sum.only_this_limits = alone > 0.0 ? counted / alone : std::numeric_limits<double>::infinity();
    return sum;
}

/// What is assumed of every kernel once, the rest with the kernel's name.
void add_assumptions(std::vector<std::string>& list, const std::vector<Prediction>& kernels) {
    const auto of_all = [&](const std::string& text) {
        return std::all_of(kernels.begin(), kernels.end(), [&](const Prediction& kernel) {
            return std::find(kernel.assumptions.begin(), kernel.assumptions.end(), text) !=
                   kernel.assumptions.end();
        });
    };
    for (const Prediction& kernel : kernels) {
        for (const std::string& text : kernel.assumptions) {
            if (!of_all(text)) {
                list.push_back(fmt::format("{}: {}", kernel.kernel, text));
            } else if (&kernel == &kernels.front()) {
                list.push_back(text);
            }
        }
    }
}

/// Without shares: two answers alike in what binds have one phrase.
[[nodiscard]] std::string bound_of_longest(const Prediction& sum) {
    const auto longest = std::max_element(
        sum.kernels.begin(), sum.kernels.end(),
        [](const Prediction& a, const Prediction& b) { return a.seconds < b.seconds; });
    return fmt::format("{} in {}", longest->bound_by, longest->kernel);
}

}  // namespace

Prediction sum_of_kernels(const KernelPlan& operation, std::vector<Prediction> kernels) {
    const Prediction& first = kernels.front();
    Prediction sum;
    sum.problem = first.problem;
    sum.gpu = first.gpu;
    sum.kernel = operation.kernel;
    sum.clock = first.clock;
    sum.version = first.version;
    sum.spec_hash = first.spec_hash;
    sum.plan = operation;
    double memory_bound = 0.0;
    double peak_time = 0.0;  // utilization times seconds: executed work at the peak rate
    for (const Prediction& kernel : kernels) {
        sum.seconds += kernel.seconds;
        sum.makespan_cycles += kernel.makespan_cycles;
        sum.counted_flops += kernel.counted_flops;
        sum.executed_flops += kernel.executed_flops;
        peak_time += kernel.utilization * kernel.seconds;
        memory_bound += kernel.waves.memory_bound ? kernel.seconds : 0.0;
        add_waves(sum.waves, kernel.waves);
    }
    sum.waves.memory_bound = 2.0 * memory_bound > sum.seconds;
    if (sum.seconds > 0.0) {
        sum.tflops = sum.counted_flops / sum.seconds / 1e12;
        sum.utilization = peak_time / sum.seconds;
    }
    for (std::size_t unit = 0; unit < first.units.size(); ++unit) {
        sum.units.push_back(unit_of_all(kernels, unit, sum.makespan_cycles));
    }
    sum.assumptions = operation.assumptions;
    add_assumptions(sum.assumptions, kernels);
    sum.kernels = std::move(kernels);
    sum.bound_by = bound_of_longest(sum);
    return sum;
}

}  // namespace warpline
