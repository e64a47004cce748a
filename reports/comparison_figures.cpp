#include "warpline/reports/comparison_figures.hpp"

#include "warpline/reports/phrases.hpp"
#include "warpline/reports/script_json.hpp"
#include "warpline/reports/text.hpp"

#include <algorithm>

#include <boost/rational.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline {
namespace {

std::string head_dims(std::int64_t qk, std::int64_t v) {
    return qk == v ? fmt::format("{}", qk) : fmt::format("{}:{}", qk, v);
}

std::string group_name(const ErrorSummary& group) {
    return printable(fmt::format("{} {} d{} {}", group.gpu, group.kernel,
                                 head_dims(group.head_dim_qk, group.head_dim_v),
                                 mask_name(group.mask)));
}

bool belongs(const ComparedRow& row, const ErrorSummary& group) {
    const AttentionProblem& problem = row.row.problem;
    return row.row.gpu == group.gpu && row.kernel == group.kernel &&
           problem.direction == group.direction && problem.head_dim_qk == group.head_dim_qk &&
           problem.head_dim_v == group.head_dim_v && problem.mask.kind == group.mask;
}

struct Durations {
    double measured = 0.0, predicted = 0.0;  ///< milliseconds
};

Durations durations(const ComparedRow& row) {
    if (row.by_time) {
        return {row.measured_ms, row.predicted_ms};
    }
    const double per_ms = boost::rational_cast<double>(row.clock.hz) * 1e-3;
    return {row.measured_cycles / per_ms, row.predicted_cycles / per_ms};
}

}  // namespace

std::string comparison_figure_json(const Comparison& comparison) {
    using Json = nlohmann::ordered_json;
    Json groups = Json::array();
    for (const ErrorSummary& group : comparison.groups) {
        groups.push_back({{"name", group_name(group)},
                          {"mean", group.mean_absolute},
                          {"largest", group.max_absolute},
                          {"bias", group.bias}});
    }
    Json rows = Json::array();
    for (const ComparedRow& row : comparison.rows) {
        const Durations of = durations(row);
        const auto group = std::find_if(comparison.groups.begin(), comparison.groups.end(),
                                        [&](const ErrorSummary& g) { return belongs(row, g); });
        if (!(of.measured > 0.0) || !(of.predicted > 0.0) || group == comparison.groups.end()) {
            continue;
        }
        rows.push_back({{"name", printable(describe(row.row.problem) + ", " + row.row.source)},
                        {"group", group - comparison.groups.begin()},
                        {"measured", of.measured},
                        {"predicted", of.predicted},
                        {"error", row.error}});
    }
    const Json json = {{"unit", "ms"}, {"groups", std::move(groups)}, {"rows", std::move(rows)}};
    return script_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::vector<ReportTable> comparison_tables(const Comparison& comparison) {
    ReportTable groups{"errors",
                       "Errors of durations: positive is predicted too slow",
                       {"gpu", "kernel", "direction", "head dim", "mask", "rows", "mean |error|, %",
                        "largest, %", "bias, %"},
                       {}};
    for (const ErrorSummary& group : comparison.groups) {
        groups.rows.push_back(
            {text_cell(group.gpu), text_cell(group.kernel),
             text_cell(direction_name(group.direction)),
             text_cell(head_dims(group.head_dim_qk, group.head_dim_v)),
             text_cell(mask_name(group.mask)), number_cell(static_cast<double>(group.rows)),
             number_cell(100.0 * group.mean_absolute), number_cell(100.0 * group.max_absolute),
             number_cell(100.0 * group.bias)});
    }
    ReportTable rows{"rows",
                     "Row by row",
                     {"gpu", "kernel", "problem", "source", "measured, ms", "predicted, ms",
                      "error, %", "bound by"},
                     {}};
    for (const ComparedRow& row : comparison.rows) {
        const Durations of = durations(row);
        rows.rows.push_back({text_cell(row.row.gpu), text_cell(row.kernel),
                             text_cell(describe(row.row.problem)), text_cell(row.row.source),
                             number_cell(of.measured), number_cell(of.predicted),
                             number_cell(100.0 * row.error), text_cell(row.bound_by)});
    }
    ReportTable unused{"unused", "Rows that were not used", {"file", "line", "row", "reason"}, {}};
    for (const UnusableRow& row : comparison.unusable) {
        unused.rows.push_back({text_cell(row.where.file),
                               number_cell(static_cast<double>(row.where.line)), text_cell(row.row),
                               text_cell(row.reason)});
    }
    return {std::move(groups), std::move(rows), std::move(unused)};
}

}  // namespace warpline
