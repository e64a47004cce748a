#include "warpline/device/operation.hpp"

#include "warpline/device/predict_listed.hpp"
#include "warpline/device/side_launch_time.hpp"
#include "warpline/pipeline/side_launches.hpp"

#include <utility>

#include <fmt/format.h>

namespace warpline {

Result<Operation> make_operation(const PipelineSource& source, const GpuSpec& spec,
                                 const AttentionProblem& problem,
                                 const std::vector<ParameterOverride>& overrides) {
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

Result<Prediction> predict_operation(const GpuSpec& spec, const Operation& operation,
                                     const AttentionProblem& problem, const PredictOptions& options,
                                     ScheduleMemo* memo) {
    auto prediction =
        predict_listed(spec, operation.plan, problem, operation.blocks, options, memo);
    if (!prediction) {
        return prediction;
    }
    const double alone = prediction->seconds;
    for (const SideLaunch& launch : operation.launches) {
        const double seconds = side_launch_seconds(launch, spec, prediction->clock.hz);
        prediction->seconds += seconds;
        prediction->assumptions.push_back(
            fmt::format("{:.3g} us for {}, a kernel of its own {} this one, are part of the time.",
                        seconds * 1e6, launch.name, launch.after ? "after" : "before"));
    }
    if (prediction->seconds > 0.0) {
        prediction->tflops *= alone / prediction->seconds;
        prediction->utilization *= alone / prediction->seconds;
    }
    return prediction;
}

}  // namespace warpline
