#include "warpline/reports/sweep_rows.hpp"

#include "warpline/reports/text.hpp"

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

std::string csv_row(const SweepRow& row, const std::string& run) {
    std::string text = fmt::format("{}", row.index);
    for (const auto& [name, value] : row.assignments) {
        text += "," + csv_text(printable(value));
    }
    text += "," + status_of(row);
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
    for (const auto& [name, value] : row.assignments) {
        out["point"][name] = printable(value);
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

std::string SweepWriter::beginning(std::int64_t index) const {
    return format == SweepFormat::csv ? fmt::format("{},", index)
                                      : fmt::format("{{\"index\":{},\"run\":\"{}\"", index, run);
}

}  // namespace warpline
