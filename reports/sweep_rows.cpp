#include "warpline/reports/sweep_rows.hpp"

#include "warpline/reports/text.hpp"
#include "warpline/validate/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline {
namespace {

std::string status_of(const SweepRow& row) {
    if (!row.failed) {
        return "ok";
    }
    switch (*row.failed) {
        case FailureKind::infeasible:
            return "infeasible";
        case FailureKind::deadlock:
            return "deadlock";
        case FailureKind::usage:
        case FailureKind::input:
            return "refused";
    }
    return "refused";
}

/// Several kernels that run one after the other have no step in common.
bool has_step(const SweepRow& row) {
    return row.steady.rows > 0;
}

/// What tells the point, with a comma behind it.
std::string csv_point(std::int64_t index, const Assignments& assignments) {
    std::string text = fmt::format("{},", index);
    for (const auto& [name, value] : assignments) {
        text += csv_text(printable(value)) + ",";
    }
    return text;
}

nlohmann::ordered_json json_point(const Assignments& assignments) {
    nlohmann::ordered_json point;
    for (const auto& [name, value] : assignments) {
        point[name] = printable(value);
    }
    return point;
}

std::string csv_row(const SweepRow& row, const std::string& run) {
    std::string text = csv_point(row.index, row.assignments) + status_of(row);
    if (row.failed) {
        text += ",,,,,,,";
    } else {
        text += fmt::format(",{:.9g},{:.6g},{:.6g},{:.9g}", 1e3 * row.seconds, row.tflops,
                            100.0 * row.utilization, row.makespan_cycles);
        text += has_step(row) ? fmt::format(",{:.6g},{:.6g},{:.6g}", row.steady.roofline,
                                            row.steady.recurrence, row.steady.simulated)
                              : std::string(",,,");
    }
    return text + "," + csv_text(printable(row.bound_by)) + "," + csv_text(printable(row.reason)) +
           "," + run + "\n";
}

std::string json_row(const SweepRow& row, const std::string& run) {
    nlohmann::ordered_json out;
    out["index"] = row.index;
    out["run"] = run;
    if (!row.assignments.empty()) {
        out["point"] = json_point(row.assignments);
    }
    out["status"] = status_of(row);
    if (row.failed) {
        out["reason"] = printable(row.reason);
    } else {
        out["ms"] = 1e3 * row.seconds;
        out["tflops"] = row.tflops;
        out["utilization"] = row.utilization;
        out["cycles"] = row.makespan_cycles;
        out["step"] = nullptr;
        if (has_step(row)) {
            out["step"] = {{"roofline", row.steady.roofline},
                           {"recurrence", row.steady.recurrence},
                           {"simulated", row.steady.simulated}};
        }
        out["bound_by"] = printable(row.bound_by);
    }
    return out.dump() + "\n";
}

bool is_status(const std::string& text) {
    constexpr std::array<std::string_view, 4> all = {"ok", "infeasible", "deadlock", "refused"};
    return std::find(all.begin(), all.end(), text) != all.end();
}

bool is_number(const std::string& text) {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
}

constexpr const char* not_the_point = "it is not the point that belongs there";

/// What a row has behind its point: status, numbers, two texts, the run.
constexpr std::size_t numbers = 7, step_numbers = 3, answer_fields = numbers + 4;

std::string csv_problem(const std::string& line, const std::string& point, std::size_t columns,
                        const std::string& run) {
    if (line.compare(0, point.size(), point) != 0) {
        return not_the_point;
    }
    const auto records = parse_csv(line, "");
    if (!records || records->size() != 1 || !records->front().problem.empty()) {
        return "it is not CSV";
    }
    const std::vector<std::string>& fields = records->front().fields;
    if (fields.size() != columns) {
        return fmt::format("it has {} columns in place of {}", fields.size(), columns);
    }
    const auto answer = fields.end() - answer_fields;
    const auto first = answer + 1, step = first + (numbers - step_numbers), end = first + numbers;
    const bool ok = *answer == "ok";
    const auto empty = [](const std::string& field) { return field.empty(); };
    const bool no_step = std::all_of(step, end, empty);
    if (!is_status(*answer) || fields.back() != run ||
        !(ok ? std::all_of(first, no_step ? step : end, is_number)
             : std::all_of(first, end, empty))) {
        return "it holds what no row does";
    }
    return {};
}

bool has_answer(const nlohmann::ordered_json& row) {
    const auto number = [](const nlohmann::ordered_json& of, const char* key) {
        return of.contains(key) && (of[key].is_number() || of[key].is_null());  // null: no number
    };
    const bool step = row.contains("step") &&
                      (row["step"].is_null() ||
                       (number(row["step"], "roofline") && number(row["step"], "recurrence") &&
                        number(row["step"], "simulated")));
    return step && number(row, "ms") && number(row, "tflops") && number(row, "utilization") &&
           number(row, "cycles") && row.contains("bound_by") && row["bound_by"].is_string();
}

std::string json_problem(const std::string& line, std::int64_t index,
                         const Assignments& assignments, const std::string& run) {
    using Json = nlohmann::ordered_json;
    const Json row = Json::parse(line, nullptr, false);
    if (row.is_discarded() || !row.is_object()) {
        return "it is not JSON";
    }
    if (row.value("index", Json()) != index ||
        (!assignments.empty() && row.value("point", Json()) != json_point(assignments))) {
        return not_the_point;
    }
    const Json status = row.value("status", Json());
    const bool complete =
        status == "ok" ? has_answer(row) : row.contains("reason") && row["reason"].is_string();
    if (row.value("run", Json()) != run || !status.is_string() ||
        !is_status(status.get<std::string>()) || !complete || row.dump() != line) {
        return "it holds what no row does";
    }
    return {};
}

}  // namespace

std::string SweepWriter::header(const Study& study) const {
    if (format == SweepFormat::jsonl) {
        return {};
    }
    std::string text = "index";
    for (const std::string& name : study.names()) {
        text += "," + csv_text(name);
    }
    return text +
           ",status,ms,tflops,utilization_pct,cycles,step_roofline,step_recurrence,step_simulated,"
           "bound_by,reason,run\n";
}

std::string SweepWriter::row(const SweepRow& row) const {
    return format == SweepFormat::csv ? csv_row(row, run) : json_row(row, run);
}

std::string SweepWriter::problem(const Study& study, std::int64_t index,
                                 const std::string& line) const {
    if (printable(line) != line) {
        return "there are bytes in it that no text has";
    }
    const Assignments point = study.at(index);
    return format == SweepFormat::csv
               ? csv_problem(line, csv_point(index, point), 1 + point.size() + answer_fields, run)
               : json_problem(line, index, point, run);
}

std::string SweepWriter::beginning(std::int64_t index) const {
    return format == SweepFormat::csv ? fmt::format("{},", index)
                                      : fmt::format("{{\"index\":{},\"run\":\"{}\"", index, run);
}

}  // namespace warpline
