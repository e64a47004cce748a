// Triton's perf_report: one column for the length, one for each kernel, the rest of the shape in
// the file's name ("fused-attention-batch4-head32-d64-fwd-causal=True.csv").
#include "warpline/validate/csv.hpp"
#include "warpline/validate/importers/imported_rows.hpp"
#include "warpline/validate/importers/text_fields.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

/// The digits behind `key` where it begins a part of the name: "4" of "-batch4-".
[[nodiscard]] std::string digits_behind(const std::string& name, const std::string& key) {
    for (std::size_t at = name.find(key); at != std::string::npos; at = name.find(key, at + 1)) {
        const std::size_t begin = at + key.size();
        const std::size_t end = std::min(name.find_first_not_of("0123456789", begin), name.size());
        if ((at == 0 || name[at - 1] == '-') && end > begin) {
            return name.substr(begin, end - begin);
        }
    }
    return {};
}

[[nodiscard]] ColumnTexts shape_in(const std::string& file) {
    const std::string name = std::filesystem::path(file).stem().string();
    ColumnTexts shape;
    const auto set = [&](std::initializer_list<const char*> columns, const std::string& value) {
        for (const char* column : columns) {
            if (!value.empty()) {
                shape[column] = value;
            }
        }
    };
    set({"batch"}, digits_behind(name, "batch"));
    set({"heads_q", "heads_kv"}, digits_behind(name, "head"));
    set({"head_dim_qk", "head_dim_v"}, digits_behind(name, "d"));
    set({"direction"}, name.find("-fwd") != std::string::npos   ? "fwd"
                       : name.find("-bwd") != std::string::npos ? "bwd"
                                                                : "");
    const std::string causal = value_behind(name, "causal");
    set({"mask"}, causal.empty() ? "" : causal == "True" ? "causal" : "full");
    return shape;
}

struct KernelColumn {
    std::string name;
    bool is_time = false;
    double factor = 1.0;  ///< to ms, or to TFLOP/s
    std::string problem;
};

/// "Triton [FP16] (TFLOPS)" or "cuDNN (ms)".
[[nodiscard]] KernelColumn kernel_column(const std::string& heading) {
    KernelColumn column;
    const std::size_t open = heading.rfind('(');
    column.name = heading.substr(0, open);
    const std::string unit = open == std::string::npos
                                 ? std::string()
                                 : heading.substr(open + 1, heading.rfind(')') - open - 1);
    if (const auto time = milliseconds_in(unit)) {
        column.is_time = true;
        column.factor = *time;
    } else if (unit == "GFLOPS" || unit == "GFLOP/s") {
        column.factor = 1e-3;
    } else if (unit != "TFLOPS" && unit != "TFLOP/s") {
        column.problem = fmt::format(
            "column '{}' names no unit: write '(ms)' or '(TFLOPS)' behind its name", heading);
    }
    return column;
}

void add_row(std::vector<ImportedRow>& rows, const CsvRecord& record, const ColumnTexts& shape,
             const KernelColumn& column, const std::string& length, const std::string& value) {
    ImportedRow row{record.line, shape, column.problem};
    row.columns["seqlen_q"] = row.columns["seqlen_kv"] = length;
    row.columns["kernel"] = family_of_backend(column.name);
    row.columns["note"] = column.name;
    const auto number = grouped_number(value);
    if (row.columns["kernel"].empty()) {
        row.problem = fmt::format("column '{}' is no kernel family", column.name);
    } else if (!number && row.problem.empty()) {
        row.problem = fmt::format("'{}' is not a number", value);
    } else if (number) {
        row.columns[column.is_time ? "time_ms" : "tflops"] = exact_text(*number * column.factor);
    }
    rows.push_back(std::move(row));
}

}  // namespace

Result<std::vector<ImportedRow>> import_triton(std::string_view text, const std::string& file) {
    const auto records = parse_csv(text, file);
    if (!records) {
        return tl::unexpected(records.error());
    }
    const CsvRecord& header = records->front();
    const auto length = std::find(header.fields.begin(), header.fields.end(), "N_CTX");
    const auto at = static_cast<std::size_t>(length - header.fields.begin());
    const ColumnTexts shape = shape_in(file);
    std::vector<ImportedRow> rows;
    for (std::size_t r = 1; r < records->size(); ++r) {
        const CsvRecord& record = (*records)[r];
        if (!record.problem.empty() || record.fields.size() != header.fields.size()) {
            rows.push_back({record.line, shape,
                            record.problem.empty()
                                ? fmt::format("{} fields under a header of {}",
                                              record.fields.size(), header.fields.size())
                                : record.problem});
            continue;
        }
        const auto tokens = grouped_number(record.fields[at]);  // written as "1024.000000"
        const std::string count =
            tokens ? fmt::format("{:.0f}", *tokens) : std::string(record.fields[at]);
        for (std::size_t i = at + 1; i < header.fields.size(); ++i) {
            if (!record.fields[i].empty() && record.fields[i] != "nan") {
                add_row(rows, record, shape, kernel_column(header.fields[i]), count,
                        record.fields[i]);
            }
        }
    }
    return rows;
}

}  // namespace warpline
