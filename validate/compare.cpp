#include "warpline/validate/comparison_parts.hpp"
#include "warpline/validate/row_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

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

/// What the row says of its duration, beside what was predicted.
void set_durations(ComparedRow& out, const Prediction& prediction) {
    const MeasuredRow& row = out.row;
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
}

/// How the predicted time follows the clock: HBM and launches do not.
[[nodiscard]] ClockedTime clocked_time(const ComparedRow& row, const Prediction& prediction) {
    ClockedTime time{row.measured_ms, row.predicted_ms, 0.0};
    if (!prediction.waves.memory_bound) {
        const double hertz = boost::rational_cast<double>(prediction.clock.hz);
        time.cycles = prediction.makespan_cycles;
        time.fixed_ms = row.predicted_ms - prediction.makespan_cycles / hertz * 1e3;
    }
    return time;
}

void set_simple_answers(RowInProgress& out, const RowPrediction& answer) {
    ComparedRow& row = out.compared;
    const double cycles_per_ms = boost::rational_cast<double>(answer.prediction.clock.hz) / 1e3;
    if (answer.peak_flops_per_cycle <= 0.0) {
        return;
    }
    const double compute =
        counted_flops(row.row.problem) / answer.peak_flops_per_cycle / cycles_per_ms;
    const double memory = answer.hbm_bytes_per_second > 0.0 ? compulsory_bytes(row.row.problem) /
                                                                  answer.hbm_bytes_per_second * 1e3
                                                            : 0.0;
    const double unit = row.by_time ? 1.0 : cycles_per_ms;
    out.roofline = std::max(compute, memory) * unit;
    row.measured_utilization =
        compute * unit / (row.by_time ? row.measured_ms : row.measured_cycles);
    row.predicted_utilization =
        compute * unit / (row.by_time ? row.predicted_ms : row.predicted_cycles);
}

[[nodiscard]] tl::unexpected<Failure> nothing_usable(const std::vector<UnusableRow>& unusable) {
    Failure failure = fail(FailureKind::input, "no row can be compared").value();
    std::map<std::string, int> others;  // rows beyond the first, by reason
    for (const UnusableRow& row : unusable) {
        ++others.try_emplace(row.reason, -1).first->second;
    }
    for (const UnusableRow& row : unusable) {
        int& more = others.at(row.reason);
        if (more >= 0) {
            failure.diagnostics.push_back(
                {row.where, row.reason,
                 more == 0 ? row.row : fmt::format("{}; and {} rows more", row.row, more)});
            more = -1;
        }
    }
    return tl::unexpected(std::move(failure));
}

[[nodiscard]] double speed(const MeasuredRow& row) {
    if (row.time_ms) {
        return 1.0 / *row.time_ms;
    }
    return row.tflops ? *row.tflops / counted_flops(row.problem) * 1e9
                      : 1.0 / row.mean_active_cycles.value_or(1.0);
}

}  // namespace

std::string_view clock_source_name(ClockSource source) {
    switch (source) {
        case ClockSource::measured:
            return "measured";
        case ClockSource::fitted:
            return "fitted";
        case ClockSource::assumed:
            return "assumed";
    }
    return {};
}

UnusableRow unusable_row(const MeasuredRow& row, std::string reason) {
    return {row.where, fmt::format("{} on {}: {}", row.kernel, row.gpu, describe(row.problem)),
            std::move(reason), row.columns};
}

std::vector<const MeasuredRow*> chosen_rows(const MeasuredTable& table, const RowOptions& options,
                                            std::vector<UnusableRow>& left) {
    std::map<std::string, const MeasuredRow*> fastest;
    const auto run_key = [](const MeasuredRow& row) {
        return fmt::format("{}\n{}", problem_key(row), baseline_group(row));
    };
    for (const MeasuredRow& row : table.rows) {
        const MeasuredRow*& best = fastest[run_key(row)];
        best = best == nullptr || speed(row) > speed(*best) ? &row : best;
    }
    std::vector<const MeasuredRow*> rows;
    for (const MeasuredRow& row : table.rows) {
        if (options.split && split_of(row.problem) != *options.split) {
            left.push_back(
                unusable_row(row, fmt::format("a {} row", split_name(split_of(row.problem)))));
        } else if (options.best_run && fastest.at(run_key(row)) != &row) {
            left.push_back(unusable_row(row, "another run of the same was faster"));
        } else {
            rows.push_back(&row);
        }
    }
    return rows;
}

Result<RowInProgress> compare_row(const MeasuredRow& row, const RowPredictor& predictor) {
    const auto answer = predictor(row);
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    RowInProgress out;
    ComparedRow& compared = out.compared;
    compared.row = row;
    compared.kernel = answer->kernel;
    compared.variants = answer->variants;
    compared.clock = answer->prediction.clock;
    compared.clock_source = row.clock ? ClockSource::measured : ClockSource::assumed;
    compared.within_limit = answer->prediction.power.has_value();
    compared.bound_by = answer->prediction.bound_by;
    compared.counters = counters_of(row, *answer);
    set_durations(compared, answer->prediction);
    if ((row.time_ms || row.tflops) && !(compared.by_time && std::isfinite(compared.measured_ms))) {
        return fail(FailureKind::input, "its rate leaves no time that a number can hold");
    }
    out.time = clocked_time(compared, answer->prediction);
    out.clock_range = answer->clock_range;
    if (!row.clock && answer->prediction.power) {
        out.limited_mhz = boost::rational_cast<double>(answer->prediction.clock.hz) / 1e6;
    }
    set_simple_answers(out, *answer);
    return out;
}

Result<Comparison> compare_rows(const MeasuredTable& table, const RowPredictor& predictor,
                                const RowOptions& options) {
    Comparison comparison;
    comparison.unusable = table.unusable;
    std::vector<RowInProgress> rows;
    for (const MeasuredRow* row : chosen_rows(table, options, comparison.unusable)) {
        auto compared = compare_row(*row, predictor);
        if (compared) {
            rows.push_back(std::move(*compared));
        } else {
            comparison.unusable.push_back(
                unusable_row(*row, compared.error().diagnostics.front().message));
        }
    }
    if (rows.empty()) {
        return nothing_usable(comparison.unusable);
    }
    std::stable_sort(comparison.unusable.begin(), comparison.unusable.end(),
                     [](const UnusableRow& a, const UnusableRow& b) {
                         return std::tie(a.where.file, a.where.line) <
                                std::tie(b.where.file, b.where.line);
                     });
    std::vector<GroupFit> fits;
    if (options.fit_clock) {
        auto fitted = fit_clocks(rows, predictor);
        if (!fitted) {
            return tl::unexpected(fitted.error());
        }
        fits = std::move(*fitted);
    }
    judge_held_out(rows);
    for (RowInProgress& row : rows) {
        comparison.rows.push_back(std::move(row.compared));
    }
    summarize(comparison, fits);
    return comparison;
}

}  // namespace warpline
