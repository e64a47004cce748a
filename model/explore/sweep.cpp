#include "warpline/explore/sweep.hpp"

#include "warpline/explore/parallel.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

const std::string constant_prefix = "set.hw.";
const std::string parameter_prefix = "set.";

bool starts_with(const std::string& text, const std::string& prefix) {
    return text.compare(0, prefix.size(), prefix) == 0;
}

/// Every value of every name, for spaces and lists alike.
template <typename Check>
Result<void> each_value(const Study& study, const Check& check) {
    for (const StudyAxis& axis : study.axes) {
        for (const std::string& value : axis.values) {
            if (auto checked = check(axis.name, value); !checked) {
                return checked;
            }
        }
    }
    for (const Assignments& point : study.listed) {
        for (const auto& [name, value] : point) {
            if (auto checked = check(name, value); !checked) {
                return checked;
            }
        }
    }
    return {};
}

template <typename T>
Result<void> only_failure(const Result<T>& result) {
    return result ? Result<void>{} : tl::unexpected(result.error());
}

/// Names of the kernel's parameters, from a point without changes; nothing when it has no plan.
std::vector<std::string> parameter_names(const Predictor& predictor, Point point) {
    point.changes = {};
    std::vector<std::string> names;
    if (const auto lowered = predictor.operation(point)) {
        for (const auto& [name, value] : (*lowered)->plan.parameters) {
            names.push_back(name);
        }
    }
    return names;
}

Result<void> check_parameter(const std::string& name, const std::vector<std::string>& known) {
    if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) {
        return {};
    }
    const std::string near = nearest_name(name, known);
    return fail(FailureKind::usage, fmt::format("the kernel has no parameter '{}'", name),
                near.empty() ? fmt::format("parameters: {}", fmt::join(known, ", "))
                             : fmt::format("did you mean '{}'?", near));
}

}  // namespace

SweepRange shard_of(std::int64_t points, std::int64_t shard, std::int64_t shards) {
    const std::int64_t whole = points / shards, rest = points % shards;
    const auto start = [&](std::int64_t part) { return part * whole + std::min(part, rest); };
    return {start(shard - 1), start(shard)};
}

Result<void> check_names(const Study& study, const Predictor& predictor,
                         const PointMaker& make_point) {
    const auto first = make_point(study.at(0));
    if (!first) {
        return tl::unexpected(first.error());
    }
    std::vector<std::string> gpus = {first->gpu};
    std::vector<std::string> kernels = {first->kernel};
    auto found = each_value(study, [&](const std::string& name, const std::string& value) {
        if (name == "gpu") {
            gpus.push_back(value);
            return only_failure(predictor.spec(value));
        }
        if (name == "kernel") {
            kernels.push_back(value);
            return only_failure(predictor.source(value));
        }
        return Result<void>{};
    });
    if (!found) {
        return found;
    }
    const std::vector<std::string> parameters = parameter_names(predictor, *first);
    const bool one_kernel =
        std::all_of(kernels.begin(), kernels.end(), [&](const auto& k) { return k == kernels[0]; });
    return each_value(study, [&](const std::string& name, const std::string& value) {
        if (starts_with(name, constant_prefix)) {
            return only_failure(
                predictor.spec(gpus.front(), {{name.substr(constant_prefix.size()), value}}));
        }
        if (starts_with(name, parameter_prefix) && one_kernel) {
            return check_parameter(name.substr(parameter_prefix.size()), parameters);
        }
        return Result<void>{};
    });
}

SweepRow answer(const Study& study, std::int64_t index, const Predictor& predictor,
                const PointMaker& make_point) {
    SweepRow row;
    row.index = index;
    row.assignments = study.at(index);
    const auto point = make_point(row.assignments);
    const auto prediction =
        point ? predictor.predict(*point) : Result<Prediction>(tl::unexpected(point.error()));
    if (!prediction) {
        row.failed = prediction.error().kind;
        row.reason = prediction.error().diagnostics.front().text();
        return row;
    }
    row.seconds = prediction->seconds;
    row.tflops = prediction->tflops;
    row.utilization = prediction->utilization;
    row.makespan_cycles = prediction->makespan_cycles;
    row.steady = prediction->steady;
    row.bound_by = prediction->bound_by;
    return row;
}

void sweep(const Study& study, const SweepRange& range, const Predictor& predictor,
           const PointMaker& make_point, int threads,
           const std::function<std::string(const SweepRow&)>& format,
           const std::function<bool(const std::string&)>& take) {
    stream_in_order(
        range.begin, range.end, threads,
        [&](std::int64_t index) { return format(answer(study, index, predictor, make_point)); },
        take);
}

}  // namespace warpline
