#include "cli/compare_timeline.hpp"

#include "cli/problem_options.hpp"
#include "warpline/device/record_schedule.hpp"

#include <algorithm>
#include <utility>

namespace warpline::cli {
namespace {

Result<Schedule> simulated_tile(const Request& request, const Timeline& timeline, KernelPlan& plan,
                                const std::vector<std::string>& set) {
    Result<Overrides> overrides = split_overrides(set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    const auto spec = load_gpu_spec(request.data_dir, timeline.gpu, overrides->hardware);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    // The command line has the last word over what the kernel was compiled with.
    std::vector<ParameterOverride> parameters = overrides->parameters;
    for (const ParameterOverride& compiled : timeline.parameters) {
        const bool again = std::any_of(
            parameters.begin(), parameters.end(),
            [&](const ParameterOverride& given) { return given.name == compiled.name; });
        if (!again) {
            parameters.push_back(compiled);
        }
    }
    auto loaded = load_plan(request.data_dir, timeline.kernel, *spec, timeline.problem, parameters);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    plan = std::move(*loaded);
    return record_longest_tile(*spec, plan, timeline.problem);
}

}  // namespace

Result<TimelineComparison> compare_timeline(const Request& request, const std::string& file,
                                            const std::vector<std::string>& set) {
    Result<Timeline> timeline = read_timeline(file);
    if (!timeline) {
        return tl::unexpected(timeline.error());
    }
    KernelPlan plan;
    const Result<Schedule> schedule = simulated_tile(request, *timeline, plan, set);
    if (!schedule) {
        return tl::unexpected(schedule.error());
    }
    TimelineComparison comparison;
    comparison.measured_times = step_times(timeline->spans);
    const std::vector<Span> simulated = spans_of(plan, *schedule);
    comparison.simulated_times = step_times(simulated);
    comparison.units = busy_units(*schedule);
    comparison.simulated_steps = most_executions(simulated);
    comparison.measured = std::move(*timeline);
    return comparison;
}

}  // namespace warpline::cli
