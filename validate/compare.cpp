#include "warpline/validate/compare.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace warpline {
namespace {

[[nodiscard]] double work_per_sm(const Prediction& prediction, Unit unit) {
    for (const UnitReport& report : prediction.units) {
        if (report.unit == unit) {
            return report.work_per_sm;
        }
    }
    return 0.0;
}

/// Cycles a warp instruction keeps the transcendental unit, when all the kernel's kinds agree.
[[nodiscard]] double common_xu_interval(const KernelPlan& plan) {
    std::set<Tick> intervals;
    for (const InstructionKind& kind : plan.instructions) {
        if (kind.unit == Unit::xu) {
            intervals.insert(kind.interval);
        }
    }
    return intervals.size() == 1 ? cycles_from_ticks(*intervals.begin()) : 0.0;
}

[[nodiscard]] std::vector<ComparedCounter> counters_of(const MeasuredRow& row,
                                                       const RowPrediction& answer) {
    std::vector<ComparedCounter> counters;
    const Prediction& prediction = answer.prediction;
    if (row.tensor_cycles) {
        const int instances =
            answer.tensor_scope == UnitScope::sub_partition ? answer.sub_partitions : 1;
        counters.push_back({"tensor_cycles", *row.tensor_cycles,
                            work_per_sm(prediction, Unit::tensor) / instances});
    }
    if (row.fma_cycles) {  // the model keeps one pipe where the counter sees two halves
        counters.push_back({"fma_cycles", *row.fma_cycles,
                            2.0 * work_per_sm(prediction, Unit::fma) / answer.sub_partitions});
    }
    const double interval = common_xu_interval(prediction.plan);
    if (row.xu_warp_instructions && interval > 0.0) {
        counters.push_back({"xu_warp_instructions", *row.xu_warp_instructions,
                            work_per_sm(prediction, Unit::xu) / interval});
    }
    return counters;
}

[[nodiscard]] ComparedRow compared(const MeasuredRow& row, const RowPrediction& answer) {
    const Prediction& prediction = answer.prediction;
    ComparedRow out;
    out.row = row;
    out.kernel = answer.kernel;
    out.clock = prediction.clock;
    out.clock_is_measured = row.clock.has_value();
    out.predicted_ms = prediction.seconds * 1e3;
    out.predicted_tflops = prediction.tflops;
    out.predicted_cycles = prediction.waves.mean_active_cycles;
    out.measured_cycles = row.mean_active_cycles.value_or(0.0);
    const double flops = counted_flops(row.problem);
    if (row.time_ms) {
        out.measured_ms = *row.time_ms;
        out.measured_tflops = flops / (out.measured_ms * 1e-3) / 1e12;
    } else if (row.tflops) {
        out.measured_tflops = *row.tflops;
        out.measured_ms = flops / (out.measured_tflops * 1e12) * 1e3;
    }
    out.by_time = out.measured_ms > 0.0;
    out.error = out.by_time ? out.predicted_ms / out.measured_ms - 1.0
                            : out.predicted_cycles / out.measured_cycles - 1.0;
    out.counters = counters_of(row, answer);
    out.bound_by = prediction.bound_by;
    return out;
}

void add_error(ErrorSummary& summary, double error) {
    ++summary.rows;  // sums until finish()
    summary.mean_absolute += std::abs(error);
    summary.max_absolute = std::max(summary.max_absolute, std::abs(error));
    summary.bias += error;
}

void finish(ErrorSummary& summary) {
    summary.mean_absolute /= static_cast<double>(summary.rows);
    summary.bias /= static_cast<double>(summary.rows);
}

[[nodiscard]] ErrorSummary group_of(const ComparedRow& row) {
    const AttentionProblem& p = row.row.problem;
    ErrorSummary group;
    group.gpu = row.row.gpu;
    group.kernel = row.kernel;
    group.direction = p.direction;
    group.head_dim_qk = p.head_dim_qk;
    group.head_dim_v = p.head_dim_v;
    group.mask = p.mask.kind;
    return group;
}

[[nodiscard]] bool alike(const ErrorSummary& a, const ErrorSummary& b) {
    return a.gpu == b.gpu && a.kernel == b.kernel && a.direction == b.direction &&
           a.head_dim_qk == b.head_dim_qk && a.head_dim_v == b.head_dim_v && a.mask == b.mask;
}

void summarize(Comparison& comparison) {
    for (const ComparedRow& row : comparison.rows) {
        const ErrorSummary group = group_of(row);
        auto place = std::find_if(comparison.groups.begin(), comparison.groups.end(),
                                  [&](const ErrorSummary& known) { return alike(known, group); });
        if (place == comparison.groups.end()) {
            place = comparison.groups.insert(place, group);
        }
        add_error(*place, row.error);
        add_error(comparison.overall, row.error);
    }
    for (ErrorSummary& group : comparison.groups) {
        finish(group);
    }
    finish(comparison.overall);
}

[[nodiscard]] tl::unexpected<Failure> nothing_usable(const std::vector<UnusableRow>& unusable) {
    Failure failure = fail(FailureKind::input, "no row can be compared").value();
    for (const UnusableRow& row : unusable) {
        failure.diagnostics.push_back({row.where, row.reason, row.row});
    }
    return tl::unexpected(std::move(failure));
}

}  // namespace

Result<Comparison> compare_rows(const MeasuredTable& table, const RowPredictor& predictor) {
    Comparison comparison;
    comparison.unusable = table.unusable;
    for (const MeasuredRow& row : table.rows) {
        const auto answer = predictor(row);
        if (answer) {
            comparison.rows.push_back(compared(row, *answer));
        } else {
            comparison.unusable.push_back(
                {row.where, fmt::format("{} on {}: {}", row.kernel, row.gpu, describe(row.problem)),
                 answer.error().diagnostics.front().message});
        }
    }
    if (comparison.rows.empty()) {
        return nothing_usable(comparison.unusable);
    }
    std::stable_sort(
        comparison.unusable.begin(), comparison.unusable.end(),
        [](const UnusableRow& a, const UnusableRow& b) { return a.where.line < b.where.line; });
    summarize(comparison);
    return comparison;
}

Result<std::string> kernel_for(const MeasuredRow& row, const std::vector<std::string>& kernels) {
    const std::string of_family =
        row.kernel + (row.problem.direction == Direction::forward ? "_fwd" : "_bwd");
    for (const std::string& candidate : {row.kernel, of_family}) {
        if (std::find(kernels.begin(), kernels.end(), candidate) != kernels.end()) {
            return candidate;
        }
    }
    const std::string prefix = row.kernel + "_";
    const bool family_known = std::any_of(
        kernels.begin(), kernels.end(),
        [&](const std::string& kernel) { return kernel.compare(0, prefix.size(), prefix) == 0; });
    return fail(FailureKind::usage,
                family_known ? fmt::format("no pipeline file {}", of_family)
                             : fmt::format("no pipeline file for family {}", row.kernel));
}

}  // namespace warpline
