#include "warpline/reports/sweep_page.hpp"

#include "warpline/reports/provenance.hpp"
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
    std::optional<std::size_t> bound_by, reason, run;
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
    return Columns{1, *status, *ms, *tflops, at("bound_by"), at("reason"), at("run")};
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

/// Whether anything was varied along the axis.
bool varies(const SweepTable& table, std::size_t axis) {
    return std::any_of(table.points.begin(), table.points.end(), [&](const SweepPoint& point) {
        return point.values[axis] != table.points.front().values[axis];
    });
}

/// Axes that vary, without the one of the chart.
std::vector<std::size_t> others(const SweepTable& table, std::size_t axis) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < table.axes.size(); ++i) {
        if (i != axis && varies(table, i)) {
            out.push_back(i);
        }
    }
    return out;
}

/// "gpu=b200, mask=full": values of a point.
std::string values_text(const SweepTable& table, const SweepPoint& point,
                        const std::vector<std::size_t>& axes) {
    std::string text;
    for (const std::size_t axis : axes) {
        text +=
            fmt::format("{}{}={}", text.empty() ? "" : ", ", table.axes[axis], point.values[axis]);
    }
    return printable(text);
}

std::string figure_json(const SweepTable& table) {
    using Json = nlohmann::ordered_json;
    const std::size_t axis = main_axis(table);
    const std::vector<std::size_t> along = others(table, axis);
    std::map<std::string, Json> lines;
    std::vector<const SweepPoint*> order;
    bool numbers = true;
    std::size_t shown = 0;
    for (const SweepPoint& point : table.points) {
        if (!point.answered || shown++ >= most_rows) {
            continue;
        }
        const std::string name = values_text(table, point, along);
        if (lines.try_emplace(name, Json::array()).second) {
            order.push_back(&point);
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
    for (const SweepPoint* const first : order) {
        const std::string name = values_text(table, *first, along);
        Json keys = Json::array();
        for (const std::size_t other : along) {
            keys.push_back(printable(first->values[other]));
        }
        series.push_back(
            {{"name", name}, {"keys", std::move(keys)}, {"points", std::move(lines[name])}});
    }
    Json names = Json::array();
    for (const std::size_t other : along) {
        names.push_back(printable(table.axes[other]));
    }
    const Json json = {{"axis", table.axes.empty() ? "" : printable(table.axes[axis])},
                       {"numbers", numbers},
                       {"others", std::move(names)},
                       {"series", std::move(series)}};
    return script_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// What is the same in all rows is in the page's head.
ReportTable points_table(const char* id, std::string title, const SweepTable& table,
                         const std::vector<const SweepPoint*>& points) {
    const std::vector<std::size_t> varied = others(table, table.axes.size());
    ReportTable out{id, std::move(title), {}, {}};
    for (const std::size_t axis : varied) {
        out.columns.push_back(table.axes[axis]);
    }
    for (const char* const column : {"time, ms", "TFLOP/s", "bound by, or why not"}) {
        out.columns.emplace_back(column);
    }
    for (const SweepPoint* const point : points) {
        std::vector<TableCell> row;
        for (const std::size_t axis : varied) {
            row.push_back(text_cell(point->values[axis]));
        }
        const bool known = point->answered;
        row.push_back(known ? number_cell(point->ms) : TableCell{"", true});
        row.push_back(known ? number_cell(point->tflops) : TableCell{"", true});
        row.push_back(text_cell(known ? point->bound_by : point->reason));
        out.rows.push_back(std::move(row));
    }
    return out;
}

ReportCard rate_card(const char* title, const SweepTable& table, const SweepPoint& point,
                     const std::vector<std::size_t>& varied) {
    return {title,
            fmt::format("{:.1f} TFLOP/s", point.tflops),
            {values_text(table, point, varied), "bound by " + point.bound_by}};
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
    SweepTable table{
        {first, header.begin() + static_cast<std::ptrdiff_t>(columns->status)}, {}, {}};
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
        if (columns->run && table.run.empty()) {
            table.run = record.fields[*columns->run];
        }
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
    const SweepPoint* const lowest = best.empty() ? nullptr : best.back();
    best.resize(std::min(best.size(), best_rows));
    ReportPage page;
    const std::vector<std::size_t> varied = others(table, table.axes.size());
    std::vector<std::size_t> constant;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < table.axes.size(); ++i) {
        if (std::find(varied.begin(), varied.end(), i) == varied.end()) {
            constant.push_back(i);
        } else {
            names.push_back(table.axes[i]);
        }
    }
    page.title = names.empty() ? "A sweep" : fmt::format("A sweep over {}", fmt::join(names, ", "));
    page.subtitle = fmt::format("{} points, {} answered", table.points.size(), answered);
    if (!table.points.empty() && !constant.empty()) {
        page.subtitle += "; " + values_text(table, table.points.front(), constant);
    }
    if (!best.empty()) {
        page.cards = {rate_card("Highest rate", table, *best.front(), varied)};
        if (answered > 1) {
            page.cards.push_back(rate_card("Lowest rate", table, *lowest, varied));
        }
    }
    page.sections = {{"Every point",
                      {{"sweep",
                        "Rates by the axis with most values; a line for each combination of the "
                        "others, in colours of the one that tells high from low best. Hovering "
                        "names a line. Points that could not be answered are in the table.",
                        true}},
                      {}},
                     {"The highest rates", {}, {"best"}, true},
                     {"All rows", {}, {"points"}}};
    page.tables = {points_table("best", "The highest rates", table, best),
                   points_table("points",
                                all.size() < table.points.size()
                                    ? fmt::format("The first {} points", all.size())
                                    : std::string("Every point"),
                                table, all)};
    page.data = "{\"predictions\":[],\"sweep\":" + figure_json(table) + "}";
    page.provenance = {"warpline " + version + " made this page"};
    if (!table.run.empty()) {
        page.provenance.push_back("rows of run " + table.run +
                                  ", which stands for the study and the version that answered it");
    }
    add_new_lines(page.provenance, {flop_convention(), command});
    return page;
}

}  // namespace warpline
