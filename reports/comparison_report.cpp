#include "warpline/reports/comparison_report.hpp"

#include "warpline/reports/comparison_summary.hpp"
#include "warpline/reports/phrases.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t report_width = 100;
constexpr double large_error = 0.10;  ///< shown in colour

std::string error_text(double error, const Style& style) {
    const std::string text = fmt::format("{:+.1f} %", 100.0 * error);
    return std::abs(error) > large_error ? style.warn(text) : text;
}

std::string head_dims(std::int64_t qk, std::int64_t v) {
    return qk == v ? fmt::format("{}", qk) : fmt::format("{}:{}", qk, v);
}

std::string lengths(const AttentionProblem& problem) {
    return problem.seqlen_q == problem.seqlen_kv
               ? fmt::format("{}", problem.seqlen_q)
               : fmt::format("{}:{}", problem.seqlen_q, problem.seqlen_kv);
}

std::string mask_text(const Mask& mask) {
    return mask.kind == MaskKind::sliding_window ? fmt::format("window {}", mask.window)
                                                 : std::string(mask_name(mask.kind));
}

std::string short_direction(Direction direction) {
    return direction == Direction::forward ? "fwd" : "bwd";
}

/// Where the clock is from, behind the unit of a time; cycles need none.
std::string clock_mark(const ComparedRow& row) {
    if (row.by_time && row.clock_source == ClockSource::measured && row.row.clock &&
        row.clock.hz != *row.row.clock) {
        return row.row.clock_is_ceiling() ? " v" : " ^";
    }
    if (!row.by_time || row.clock_source == ClockSource::measured) {
        return {};
    }
    if (row.clock_source == ClockSource::assumed) {
        return " *";
    }
    return row.clock_at_bound ? " !" : " ~";
}

std::string row_table(const Comparison& comparison, const Style& style) {
    Table table({Align::left, Align::left, Align::left, Align::right, Align::right, Align::right,
                 Align::right, Align::left, Align::right, Align::right, Align::left, Align::right});
    table.add({"gpu", "kernel", "dir", "d", "batch", "heads", "tokens", "mask", "measured",
               "predicted", "", "error"});
    for (const ComparedRow& row : comparison.rows) {
        const AttentionProblem& problem = row.row.problem;
        table.add(
            {cut_to(printable(row.row.gpu), 8), cut_to(printable(row.row.kernel), 10),
             short_direction(problem.direction), head_dims(problem.head_dim_qk, problem.head_dim_v),
             fmt::format("{}", problem.batch), fmt::format("{}", problem.heads_q), lengths(problem),
             mask_text(problem.mask),
             row.by_time ? fmt::format("{:.4g}", row.measured_ms) : grouped(row.measured_cycles),
             row.by_time ? fmt::format("{:.4g}", row.predicted_ms) : grouped(row.predicted_cycles),
             std::string(row.by_time ? "ms" : "cyc") + clock_mark(row),
             error_text(row.error, style)});
    }
    return table.text("");
}

std::string group_table(const Comparison& comparison, const Style& style) {
    Table table({Align::left, Align::left, Align::left, Align::right, Align::left, Align::right,
                 Align::right, Align::right, Align::right});
    table.add({"gpu", "kernel", "dir", "d", "mask", "rows", "mean |error|", "largest", "bias"});
    const auto add = [&](const ErrorSummary& group, bool overall) {
        table.add({overall ? "all" : cut_to(printable(group.gpu), 12),
                   overall ? "" : cut_to(printable(group.kernel), 16),
                   overall ? "" : short_direction(group.direction),
                   overall ? "" : head_dims(group.head_dim_qk, group.head_dim_v),
                   overall ? "" : std::string(mask_name(group.mask)), fmt::format("{}", group.rows),
                   fmt::format("{:.1f} %", 100.0 * group.mean_absolute),
                   fmt::format("{:.1f} %", 100.0 * group.max_absolute),
                   error_text(group.bias, style)});
    };
    for (const ErrorSummary& group : comparison.groups) {
        add(group, false);
    }
    add(comparison.overall, true);
    return table.text("");
}

/// What the marks behind the units mean, for those that are there.
std::string mark_legend(const Comparison& comparison, const Style& style) {
    std::string text;
    const std::string assumed = "* the clock was not measured: " + assumed_clocks(comparison.rows);
    for (const auto& [mark, meaning] :
         {std::pair<std::string_view, std::string_view>{" *", assumed},
          {" ~", "~ predicted at the clock fitted to the file, see below"},
          {" !", "! the fitted clock rests on its bound"},
          {" ^", "^ the clock was sampled: SMs run at a share of it, clock.sampled_share"},
          {" v",
           "v the clock was set: the board's power limit holds the SMs below it, see "
           "hw_specs, power"}}) {
        for (const ComparedRow& row : comparison.rows) {
            if (clock_mark(row) == mark) {
                text += style.dim(std::string(meaning)) + "\n";
                break;
            }
        }
    }
    return text;
}

std::string place(const SourceLocation& where) {
    return fmt::format("{}:{}", where.file, where.line);
}

/// Fields that say which measurement a line of the CSV is about.
std::string measured_fields(const MeasuredRow& row) {
    const AttentionProblem& problem = row.problem;
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                       csv_text(place(row.where)), csv_text(row.source), csv_text(row.gpu),
                       csv_text(row.kernel), csv_text(row.version), dtype_name(problem.dtype),
                       short_direction(problem.direction), problem.head_dim_qk, problem.head_dim_v,
                       problem.batch, problem.heads_q, problem.heads_kv, problem.seqlen_q,
                       problem.seqlen_kv, mask_name(problem.mask.kind), problem.mask.window);
}

/// "4-9, 12" of ascending numbers.
std::string ranges(const std::vector<int>& lines) {
    std::string text;
    for (std::size_t i = 0; i < lines.size();) {
        std::size_t last = i;
        while (last + 1 < lines.size() && lines[last + 1] <= lines[last] + 1) {
            ++last;
        }
        text += text.empty() ? "" : ", ";
        text +=
            last == i ? fmt::format("{}", lines[i]) : fmt::format("{}-{}", lines[i], lines[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace

std::string unusable_rows_text(const std::vector<UnusableRow>& rows) {
    struct Group {
        const UnusableRow* first = nullptr;
        std::vector<int> lines;
    };
    std::vector<Group> groups;
    for (const UnusableRow& row : rows) {
        auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
            return known.first->reason == row.reason && known.first->where.file == row.where.file;
        });
        if (group == groups.end()) {
            group = groups.insert(groups.end(), Group{&row, {}});
        }
        group->lines.push_back(row.where.line);
    }
    std::string text;
    for (Group& group : groups) {
        std::sort(group.lines.begin(), group.lines.end());
        const std::string what =
            group.lines.size() == 1 ? group.first->row : fmt::format("{} rows", group.lines.size());
        text += wrap(printable(fmt::format(
                         "{}: {} ({}, line{} {})", group.first->where.file, group.first->reason,
                         what, group.lines.size() == 1 ? "" : "s", ranges(group.lines))),
                     report_width, "  - ");
    }
    return text;
}

std::string comparison_text(const Comparison& comparison, const Style& style) {
    std::string text = row_table(comparison, style);
    text += mark_legend(comparison, style);
    text += "\n" + style.bold("Errors of durations: positive is predicted too slow") + "\n" +
            group_table(comparison, style) + ranking_lines(comparison);
    for (const std::string& section :
         {file_table(comparison, style), baseline_table(comparison, style),
          counter_table(comparison, style)}) {
        text += section.empty() ? "" : "\n" + section;
    }
    if (!comparison.unusable.empty()) {
        text +=
            "\n" + style.bold(fmt::format("{} rows not used", comparison.unusable.size())) + "\n";
        text += unusable_rows_text(comparison.unusable);
    }
    return text;
}

std::string comparison_csv(const Comparison& comparison) {
    std::string text =
        "where,source,gpu,measured_kernel,version,dtype,direction,head_dim_qk,head_dim_v,batch,"
        "heads_q,heads_kv,seqlen_q,seqlen_kv,mask,window,predicted_by,clock_mhz,clock_source,"
        "measured_ms,predicted_ms,measured_tflops,predicted_tflops,measured_active_cycles,"
        "predicted_active_cycles,error_of,error,bound_by,not_used_because\n";
    const auto out = std::back_inserter(text);
    const auto known = [](double value) {
        return value > 0.0 && std::isfinite(value) ? fmt::format("{}", value) : std::string();
    };
    for (const ComparedRow& row : comparison.rows) {
        fmt::format_to(
            out, "{},{},{},{},{},{},{},{},{},{},{},{},{},\n", measured_fields(row.row),
            csv_text(row.kernel), megahertz(row.clock.hz), clock_source_name(row.clock_source),
            known(row.measured_ms), known(row.predicted_ms), known(row.measured_tflops),
            known(row.predicted_tflops), known(row.measured_cycles), known(row.predicted_cycles),
            row.by_time ? "time" : "active_cycles", row.error, csv_text(row.bound_by));
    }
    // 29 fields a line: place, what is known of the row as its source, and the reason at the end.
    for (const UnusableRow& row : comparison.unusable) {
        fmt::format_to(out, "{},{},{}{}\n", csv_text(place(row.where)), csv_text(row.row),
                       std::string(26, ','), csv_text(row.reason));
    }
    return text;
}

}  // namespace warpline
