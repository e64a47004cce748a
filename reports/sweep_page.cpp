#include "warpline/reports/sweep_page.hpp"

#include "warpline/reports/script_json.hpp"
#include "warpline/reports/text.hpp"
#include "warpline/validate/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline {
namespace {

constexpr std::size_t most_rows = 5'000;
constexpr std::size_t best_rows = 10;

std::optional<double> number_of(const std::string& text) {
    double value = 0.0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    return error == std::errc{} && end == last && std::isfinite(value) ? std::optional(value)
                                                                       : std::nullopt;
}

/// Where the columns stand that a page needs.
struct Columns {
    std::size_t first_axis = 0, status = 0, ms = 0, tflops = 0;
    std::optional<std::size_t> bound_by, reason;
};

std::optional<Columns> columns_of(const std::vector<std::string>& header) {
    const auto at = [&](const char* name) -> std::optional<std::size_t> {
        // An axis may have the name of a result; results stand behind it.
        const auto found = std::find(header.rbegin(), header.rend(), name);
        return found == header.rend()
                   ? std::nullopt
                   : std::optional(static_cast<std::size_t>(header.rend() - found) - 1);
    };
    const auto status = at("status"), ms = at("ms"), tflops = at("tflops");
    if (header.empty() || header.front() != "index" || !status || !ms || !tflops || *ms < *status ||
        *tflops < *status) {
        return std::nullopt;
    }
    return Columns{1, *status, *ms, *tflops, at("bound_by"), at("reason")};
}

/// The axis that a chart's horizontal one shows: most values, numbers before names.
std::size_t main_axis(const SweepTable& table) {
    std::size_t best = 0;
    std::pair<bool, std::size_t> most{false, 0};
    for (std::size_t i = 0; i < table.axes.size(); ++i) {
        std::set<std::string> values;
        bool numbers = true;
        for (const SweepPoint& point : table.points) {
            values.insert(point.values[i]);
            numbers = numbers && number_of(point.values[i]).has_value();
        }
        const std::pair<bool, std::size_t> own{numbers && values.size() > 1, values.size()};
        if (own > most) {
            most = own;
            best = i;
        }
    }
    return best;
}

std::string others_of(const SweepTable& table, const SweepPoint& point, std::size_t axis) {
    std::string name;
    for (std::size_t i = 0; i < table.axes.size(); ++i) {
        if (i != axis) {
            name +=
                fmt::format("{}{}={}", name.empty() ? "" : ", ", table.axes[i], point.values[i]);
        }
    }
    return printable(name);
}

std::string figure_json(const SweepTable& table) {
    using Json = nlohmann::ordered_json;
    const std::size_t axis = main_axis(table);
    std::map<std::string, Json> lines;
    std::vector<std::string> order;
    bool numbers = true;
    std::size_t shown = 0;
    for (const SweepPoint& point : table.points) {
        if (!point.answered || shown++ >= most_rows) {
            continue;
        }
        const std::string name = others_of(table, point, axis);
        if (lines.try_emplace(name, Json::array()).second) {
            order.push_back(name);
        }
        const auto x = number_of(point.values[axis]);
        numbers = numbers && x.has_value();
        lines[name].push_back({{"x", x ? Json(*x) : Json(nullptr)},
                               {"label", printable(point.values[axis])},
                               {"tflops", point.tflops},
                               {"ms", point.ms},
                               {"bound", printable(point.bound_by)}});
    }
    Json series = Json::array();
    for (const std::string& name : order) {
        series.push_back({{"name", name}, {"points", std::move(lines[name])}});
    }
    const Json json = {{"axis", table.axes.empty() ? "" : printable(table.axes[axis])},
                       {"numbers", numbers},
                       {"series", std::move(series)}};
    return script_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

ReportTable points_table(const char* id, std::string title, const SweepTable& table,
                         const std::vector<const SweepPoint*>& points) {
    ReportTable out{id, std::move(title), table.axes, {}};
    for (const char* const column : {"time, ms", "TFLOP/s", "bound by, or why not"}) {
        out.columns.emplace_back(column);
    }
    for (const SweepPoint* const point : points) {
        std::vector<TableCell> row;
        for (const std::string& value : point->values) {
            row.push_back(text_cell(value));
        }
        const bool known = point->answered;
        row.push_back(known ? number_cell(point->ms) : TableCell{"", true});
        row.push_back(known ? number_cell(point->tflops) : TableCell{"", true});
        row.push_back(text_cell(known ? point->bound_by : point->reason));
        out.rows.push_back(std::move(row));
    }
    return out;
}

}  // namespace

Result<SweepTable> parse_sweep(std::string_view text, const std::string& file_name) {
    const auto records = parse_csv(text, file_name);
    if (!records) {
        return tl::unexpected(records.error());
    }
    const auto columns = records->empty() ? std::nullopt : columns_of(records->front().fields);
    if (!columns) {
        return fail(FailureKind::input,
                    fmt::format("{}: not the rows of a sweep", printable(file_name)),
                    "a header of index, what was varied, status, ms, tflops and so on");
    }
    const std::vector<std::string>& header = records->front().fields;
    const auto first = header.begin() + static_cast<std::ptrdiff_t>(columns->first_axis);
    SweepTable table{{first, header.begin() + static_cast<std::ptrdiff_t>(columns->status)}, {}};
    for (std::size_t i = 1; i < records->size(); ++i) {
        const CsvRecord& record = (*records)[i];
        const auto bad = [&](const std::string& what) {
            return fail(FailureKind::input, fmt::format("{}:{}: {}", printable(file_name),
                                                        record.line, printable(what)));
        };
        if (!record.problem.empty() || record.fields.size() != header.size()) {
            return bad(record.problem.empty()
                           ? fmt::format("{} fields, not {}", record.fields.size(), header.size())
                           : record.problem);
        }
        SweepPoint point;
        const auto from = record.fields.begin() + static_cast<std::ptrdiff_t>(columns->first_axis);
        point.values = {from, from + static_cast<std::ptrdiff_t>(table.axes.size())};
        point.answered = record.fields[columns->status] == "ok";
        if (point.answered) {
            const auto ms = number_of(record.fields[columns->ms]);
            const auto tflops = number_of(record.fields[columns->tflops]);
            if (!ms || !tflops) {
                return bad("ms or tflops is not a number");
            }
            point.ms = *ms;
            point.tflops = *tflops;
        }
        point.bound_by = columns->bound_by ? record.fields[*columns->bound_by] : "";
        point.reason = columns->reason ? record.fields[*columns->reason] : "";
        table.points.push_back(std::move(point));
    }
    return table;
}

ReportPage sweep_page(const SweepTable& table, const std::string& version,
                      const std::string& command) {
    std::vector<const SweepPoint*> best, all;
    for (const SweepPoint& point : table.points) {
        if (point.answered) {
            best.push_back(&point);
        }
        if (all.size() < most_rows) {
            all.push_back(&point);
        }
    }
    const std::size_t answered = best.size();
    std::stable_sort(best.begin(), best.end(),
                     [](const auto* a, const auto* b) { return a->tflops > b->tflops; });
    best.resize(std::min(best.size(), best_rows));
    ReportPage page;
    page.title = "A sweep over ";
    for (const std::string& axis : table.axes) {
        page.title += (&axis == &table.axes.front() ? "" : ", ") + axis;
    }
    page.subtitle = fmt::format("{} points, {} answered", table.points.size(), answered);
    if (!best.empty()) {
        page.cards.push_back({"Highest rate",
                              fmt::format("{:.1f} TFLOP/s", best.front()->tflops),
                              {others_of(table, *best.front(), table.axes.size()),
                               "bound by " + best.front()->bound_by}});
    }
    page.sections = {{"Every point",
                      {{"sweep",
                        "Rates by the axis with most values; a line for each combination of the "
                        "others. Points that could not be answered are in the table.",
                        true}},
                      {"best", "points"}}};
    page.tables = {points_table("best", "The highest rates", table, best),
                   points_table("points",
                                all.size() < table.points.size()
                                    ? fmt::format("The first {} points", all.size())
                                    : std::string("Every point"),
                                table, all)};
    page.data = "{\"predictions\":[],\"sweep\":" + figure_json(table) + "}";
    page.provenance = {"warpline " + version, command};
    return page;
}

}  // namespace warpline
