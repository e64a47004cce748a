#include "cli/compare_timeline.hpp"

#include "cli/problem_options.hpp"
#include "warpline/device/record_schedule.hpp"

#include <algorithm>
#include <utility>

namespace warpline::cli {
Result<TimelineKernel> timeline_kernel(const Request& request, const Timeline& timeline,
                                       const std::vector<std::string>& set) {
    Result<Overrides> overrides = split_overrides(set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    auto spec = load_gpu_spec(request.data_dir, timeline.gpu, overrides->hardware);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    std::vector<ParameterOverride> parameters = std::move(overrides->parameters);
    for (const ParameterOverride& compiled : timeline.parameters) {
        const bool again = std::any_of(
            parameters.begin(), parameters.end(),
            [&](const ParameterOverride& given) { return given.name == compiled.name; });
        if (!again) {
            parameters.push_back(compiled);
        }
    }
    auto source = read_pipeline(request.data_dir, timeline.kernel);
    if (!source) {
        return tl::unexpected(source.error());
    }
    auto plan = make_plan(*source, *spec, timeline.problem, parameters);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    return TimelineKernel{std::move(*spec), std::move(*source), std::move(parameters),
                          std::move(*plan)};
}

Result<TimelineComparison> compare_timeline(const Request& request, const std::string& file,
                                            const std::vector<std::string>& set) {
    Result<Timeline> timeline = read_timeline(file);
    if (!timeline) {
        return tl::unexpected(timeline.error());
    }
    const Result<TimelineKernel> kernel = timeline_kernel(request, *timeline, set);
    if (!kernel) {
        return tl::unexpected(kernel.error());
    }
    const Result<Schedule> schedule =
        record_longest_tile(kernel->spec, kernel->plan, timeline->problem);
    if (!schedule) {
        return tl::unexpected(schedule.error());
    }
    TimelineComparison comparison;
    comparison.measured_times = step_times(timeline->spans);
    const std::vector<Span> simulated = spans_of(kernel->plan, *schedule);
    comparison.simulated_times = step_times(simulated);
    comparison.units = busy_units(*schedule);
    comparison.simulated_steps = most_executions(simulated);
    comparison.measured = std::move(*timeline);
    return comparison;
}

}  // namespace warpline::cli
