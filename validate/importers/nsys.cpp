// Nsight Systems' kernel summary (stats --report cuda_gpu_kern_sum --format csv).
#include "warpline/validate/csv.hpp"
#include "warpline/validate/importers/imported_rows.hpp"
#include "warpline/validate/importers/text_fields.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace warpline {
namespace {

/// A column such as "Med (ns)".
struct TimeColumn {
    std::size_t index = 0;
    double milliseconds = 1.0;  ///< in one of its units
};

[[nodiscard]] std::optional<TimeColumn> time_column(const CsvRecord& header,
                                                    std::string_view name) {
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
        const std::string& field = header.fields[i];
        if (field.compare(0, name.size(), name) != 0 || field.size() < name.size() + 4 ||
            field[name.size()] != ' ' || field[name.size() + 1] != '(' || field.back() != ')') {
            continue;
        }
        const auto unit = milliseconds_in(
            std::string_view(field).substr(name.size() + 2, field.size() - name.size() - 3));
        if (unit) {
            return TimeColumn{i, *unit};
        }
    }
    return std::nullopt;
}

}  // namespace

Result<std::vector<ImportedRow>> import_nsys(std::string_view text, const std::string& file,
                                             const ImportOptions& options) {
    const auto records = parse_csv(text, file);
    if (!records) {
        return tl::unexpected(records.error());
    }
    const CsvRecord& header = records->front();
    const auto name = std::find(header.fields.begin(), header.fields.end(), "Name");
    // The median stands for a call; a mean holds the warm-up as well.
    auto typical = time_column(header, "Med");
    typical = typical ? typical : time_column(header, "Avg");
    const auto least = time_column(header, "Min");
    if (name == header.fields.end() || !typical) {
        return fail(FailureKind::input, "no kernel summary of Nsight Systems was found",
                    "nsys stats --report cuda_gpu_kern_sum --format csv writes one",
                    {file, header.line, 0});
    }
    const auto name_index = static_cast<std::size_t>(name - header.fields.begin());
    std::vector<ImportedRow> rows;
    for (std::size_t i = 1; i < records->size(); ++i) {
        const CsvRecord& record = (*records)[i];
        ImportedRow row{record.line, {}, record.problem};
        if (row.problem.empty() && record.fields.size() != header.fields.size()) {
            row.problem = fmt::format("{} fields under a header of {}", record.fields.size(),
                                      header.fields.size());
        }
        if (row.problem.empty()) {
            row.columns["note"] = record.fields[name_index];
            const auto time = grouped_number(record.fields[typical->index]);
            if (!time) {
                row.problem = fmt::format("{} is '{}', not a number", header.fields[typical->index],
                                          record.fields[typical->index]);
            } else {
                row.columns["time_ms"] = exact_text(*time * typical->milliseconds);
            }
            if (const auto best =
                    least ? grouped_number(record.fields[least->index]) : std::nullopt) {
                row.columns["time_min_ms"] = exact_text(*best * least->milliseconds);
            }
            if (row.columns["note"].find(options.kernel_name) == std::string::npos) {
                row.problem = "not the kernel asked for: " + row.columns["note"];
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace warpline
