#include "warpline/device/operation.hpp"

#include "warpline/device/kernel_sum.hpp"
#include "warpline/device/power.hpp"
#include "warpline/device/predict_listed.hpp"
#include "warpline/device/side_launch_time.hpp"
#include "warpline/pipeline/operation_file.hpp"
#include "warpline/pipeline/side_launches.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace warpline {

Result<Operation> operation_of_kernels(
    const PipelineSource& source, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides,
    const std::function<Result<KernelPlan>(std::size_t index)>& lower) {
    auto head = operation_head(source, spec, problem, overrides);
    if (!head) {
        return tl::unexpected(std::move(head.error()));
    }
    Operation operation{std::move(head->plan), std::move(head->launches)};
    for (std::size_t index = 0; index < source.parts.size(); ++index) {
        auto plan = lower(index);
        if (!plan) {
            return tl::unexpected(std::move(plan.error()));
        }
        add_kernel(operation.plan, *plan);
        operation.kernels.push_back(std::move(*plan));
    }
    return operation;
}

Result<Operation> make_operation(const PipelineSource& source, const GpuSpec& spec,
                                 const AttentionProblem& problem,
                                 const std::vector<ParameterOverride>& overrides) {
    if (names_kernels(source.root)) {
        return operation_of_kernels(source, spec, problem, overrides, [&](std::size_t index) {
            const PipelineSource& kernel = source.parts[index];
            return make_plan(kernel, spec, problem, overrides_of(kernel, overrides));
        });
    }
    auto plan = make_plan(source, spec, problem, overrides);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    auto launches = side_launches(source, spec, problem, overrides);
    if (!launches) {
        return tl::unexpected(launches.error());
    }
    return Operation{std::move(*plan), std::move(*launches), std::nullopt};
}

namespace {

/// Without the launches beside them.
[[nodiscard]] Result<Prediction> predict_kernels(const GpuSpec& spec, const Operation& operation,
                                                 const AttentionProblem& problem,
                                                 PredictOptions options, ScheduleMemo* memo) {
    if (operation.kernels.empty()) {
        return predict_listed(spec, operation.plan, problem, operation.blocks, options, memo);
    }
    std::vector<Prediction> kernels;
    for (const KernelPlan& plan : operation.kernels) {
        auto prediction = predict_listed(spec, plan, problem, operation.blocks, options, memo);
        if (!prediction) {
            return prediction;
        }
        kernels.push_back(std::move(*prediction));
        options.graph_launch = true;  // queued behind the one before
    }
    return sum_of_kernels(operation.plan, std::move(kernels));
}

/// At a clock that nothing else holds back.
[[nodiscard]] Result<Prediction> predict_freely(const GpuSpec& spec, const Operation& operation,
                                                const AttentionProblem& problem,
                                                const PredictOptions& options, ScheduleMemo* memo) {
    auto prediction = predict_kernels(spec, operation, problem, options, memo);
    if (!prediction) {
        return prediction;
    }
    const double alone = prediction->seconds;
    for (const SideLaunch& launch : operation.launches) {
        const double seconds = side_launch_seconds(launch, spec, prediction->clock.hz);
        prediction->seconds += seconds;
        prediction->side_times.push_back({launch.name, launch.after, seconds});
        prediction->assumptions.push_back(
            fmt::format("{:.3g} us for {}, a kernel of its own {} {}, are part of the time.",
                        seconds * 1e6, launch.name, launch.after ? "after" : "before",
                        operation.kernels.empty() ? "this one" : "these"));
    }
    if (prediction->seconds > 0.0) {
        prediction->tflops *= alone / prediction->seconds;
        prediction->utilization *= alone / prediction->seconds;
    }
    return prediction;
}

/// Clocks this close together are one.
constexpr double same_clock = 1e-3;
constexpr int max_clock_rounds = 4;

[[nodiscard]] double apart(const ClockHz& a, const ClockHz& b) {
    return std::abs(boost::rational_cast<double>(a) / boost::rational_cast<double>(b) - 1.0);
}

/// Draw follows from the kernel's time and work, and its time from the clock: memory is nearer, in
/// cycles, at a slower one.
[[nodiscard]] Result<Prediction> predict_within_limit(const GpuSpec& spec,
                                                      const Operation& operation,
                                                      const AttentionProblem& problem,
                                                      PredictOptions options, ScheduleMemo* memo) {
    const auto costs = energy_costs(spec);
    if (!costs) {
        return tl::unexpected(costs.error());
    }
    options.boost_clock = options.boost_clock || !options.clock;
    auto prediction = predict_freely(spec, operation, problem, options, memo);
    if (!prediction) {
        return prediction;
    }
    const ClockChoice free = prediction->clock;
    KernelWork work = kernel_work(*prediction, spec);
    auto held = clock_within_limit(*costs, work, free.hz);
    for (int round = 0;
         held && apart(*held, prediction->clock.hz) > same_clock && round < max_clock_rounds;
         ++round) {
        options.boost_clock = false;
        options.clock = *held;
        options.clock_origin =
            fmt::format("what {:.0f} W leave of {:.0f} MHz, {}", costs->limit_watts,
                        boost::rational_cast<double>(free.hz) / 1e6, free.origin);
        prediction = predict_freely(spec, operation, problem, options, memo);
        if (!prediction) {
            return prediction;
        }
        work = kernel_work(*prediction, spec);
        held = clock_within_limit(*costs, work, free.hz);
    }
    if (!held) {
        return tl::unexpected(held.error());
    }
    prediction->power = power_at(*costs, work, prediction->clock.hz);
    prediction->power->ceiling = free.hz;
    return prediction;
}

}  // namespace

Result<Prediction> predict_operation(const GpuSpec& spec, const Operation& operation,
                                     const AttentionProblem& problem, const PredictOptions& options,
                                     ScheduleMemo* memo) {
    return options.power_limit ? predict_within_limit(spec, operation, problem, options, memo)
                               : predict_freely(spec, operation, problem, options, memo);
}

}  // namespace warpline
