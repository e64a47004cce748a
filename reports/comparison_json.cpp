#include "warpline/reports/comparison_json.hpp"

#include "warpline/reports/phrases.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <tuple>

#include <nlohmann/json.hpp>

namespace warpline {
namespace {

/// Keeps the order in which a person reads the keys.
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 16> numeric_columns = {"sm_clock_mhz",
                                                              "head_dim_qk",
                                                              "head_dim_v",
                                                              "batch",
                                                              "heads_q",
                                                              "heads_kv",
                                                              "seqlen_q",
                                                              "seqlen_kv",
                                                              "window",
                                                              "time_ms",
                                                              "time_min_ms",
                                                              "tflops",
                                                              "mean_active_cycles",
                                                              "tensor_cycles",
                                                              "fma_cycles",
                                                              "xu_warp_instructions"};

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number(const std::optional<double>& value) {
    return value ? number(*value) : Json(nullptr);
}

/// A field of the table: a number where the column holds numbers, null where it is empty.
Json field_json(const std::string& column, const std::string& text) {
    if (text.empty()) {
        return nullptr;
    }
    if (std::find(numeric_columns.begin(), numeric_columns.end(), column) ==
        numeric_columns.end()) {
        return text;
    }
    const char* const end = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto [stop, error] = std::from_chars(text.data(), end, whole);
        error == std::errc() && stop == end) {
        return whole;
    }
    double value = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end && std::isfinite(value) ? Json(value) : Json(text);
}

Json columns_json(const RowColumns& columns, const SourceLocation& where) {
    Json json = Json::object();
    json["file"] = where.file;
    json["line"] = where.line;
    for (const auto& [column, text] : columns) {
        json[column] = field_json(column, text);
    }
    return json;
}

Json used_json(const ComparedRow& row) {
    Json json = columns_json(row.row.columns, row.row.where);
    json["predicted_by"] = row.kernel;
    json["variants"] = row.variants;
    json["split"] = split_name(split_of(row.row.problem));
    json["predicted_time_ms"] = number(row.predicted_ms);
    json["predicted_tflops"] = number(row.predicted_tflops);
    json["predicted_mean_active_cycles"] = number(row.predicted_cycles);
    json["relative_error"] = number(row.error);
    json["error_of"] = row.by_time ? "time" : "mean_active_cycles";
    json["held_out_error"] = number(row.held_out_error);
    json["bound_by"] = row.bound_by;
    json["clock_mhz"] = number(megahertz(row.clock.hz));
    json["clock_source"] = clock_source_name(row.clock_source);
    for (const ComparedCounter& counter : row.counters) {
        json["predicted_" + counter.name] = number(counter.predicted);
    }
    json["status"] = row.clock_at_bound ? "clock fit at its bound" : "ok";
    return json;
}

Json unused_json(const UnusableRow& row) {
    Json json = columns_json(row.columns, row.where);
    for (const char* key : {"predicted_time_ms", "predicted_tflops", "predicted_mean_active_cycles",
                            "relative_error", "bound_by", "clock_mhz"}) {
        json[key] = nullptr;
    }
    json["status"] = "unused: " + row.reason;
    return json;
}

Json rows_json(const Comparison& comparison) {
    struct Placed {
        const SourceLocation* where;
        Json json;
    };
    std::vector<Placed> placed;
    for (const ComparedRow& row : comparison.rows) {
        placed.push_back({&row.row.where, used_json(row)});
    }
    for (const UnusableRow& row : comparison.unusable) {
        placed.push_back({&row.where, unused_json(row)});
    }
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
        return std::tie(a.where->file, a.where->line) < std::tie(b.where->file, b.where->line);
    });
    Json json = Json::array();
    for (Placed& row : placed) {
        json.push_back(std::move(row.json));
    }
    return json;
}

void add_errors(Json& json, const ErrorStatistics& errors) {
    json["count"] = errors.rows;
    json["mape"] = number(errors.mean_absolute);
    json["median"] = number(errors.median_absolute);
    json["max"] = number(errors.max_absolute);
    json["bias"] = number(errors.bias);
}

Json group_json(const ErrorSummary& group) {
    Json json = {{"gpu", group.gpu},
                 {"kernel", group.kernel},
                 {"direction", group.direction == Direction::forward ? "fwd" : "bwd"},
                 {"head_dim_qk", group.head_dim_qk},
                 {"head_dim_v", group.head_dim_v},
                 {"mask", mask_name(group.mask)}};
    add_errors(json, group);
    json["rank_correlation"] = number(group.rank_correlation);
    return json;
}

Json file_json(const FileSummary& file) {
    Json json = {{"file", file.file},
                 {"gpu", file.gpu},
                 {"kernel", file.kernel},
                 {"direction", file.direction == Direction::forward ? "fwd" : "bwd"},
                 {"mask", file.mask ? Json(mask_name(*file.mask)) : Json("all")}};
    add_errors(json, file.errors);
    json["fitted_clock_mhz"] = file.clock ? number(megahertz(file.clock->clock)) : Json(nullptr);
    json["wanted_clock_mhz"] = file.clock ? number(file.clock->wanted_mhz) : Json(nullptr);
    json["clock_at_bound"] = file.clock && file.clock->at_bound;
    json["held_out"] = nullptr;
    if (file.baselines) {
        json["held_out"] = {{"count", file.baselines->rows},
                            {"model_mape", number(file.baselines->model)},
                            {"roofline_mape", number(file.baselines->roofline)},
                            {"efficiency_mape", number(file.baselines->efficiency)},
                            {"affine_mape", number(file.baselines->affine)},
                            {"model_is_best", file.baselines->model_is_best()}};
    }
    return json;
}

Json summary_json(const Comparison& comparison) {
    Json json = Json::object();
    json["rows"] = comparison.rows.size() + comparison.unusable.size();
    add_errors(json, comparison.overall);
    json["unused"] = comparison.unusable.size();
    json["rank_correlation"] = number(comparison.overall.rank_correlation);
    const SelectionQuality& selection = comparison.selection;
    json["selection"] = {{"problems", selection.problems},
                         {"mean", number(selection.mean)},
                         {"worst", number(selection.worst)}};
    json["groups"] = Json::array();
    for (const ErrorSummary& group : comparison.groups) {
        json["groups"].push_back(group_json(group));
    }
    json["files"] = Json::array();
    for (const FileSummary& file : comparison.files) {
        json["files"].push_back(file_json(file));
    }
    return json;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
    const Json json = {{"schema", comparison_schema},
                       {"rows", rows_json(comparison)},
                       {"summary", summary_json(comparison)}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpline
