#include "warpline/validate/csv.hpp"
#include "warpline/validate/importers/imported_rows.hpp"
#include "warpline/validate/importers/text_fields.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t lines_looked_at = 50;

/// Fills what the table left out; what it gives wins.
void complete(ImportedRow& row, const ColumnTexts& fill) {
    for (const auto& [column, text] : fill) {
        std::string& value = row.columns[column];
        if (value.empty()) {
            value = text;
        }
    }
}

/// A column that an imported table cannot give is the user's to fill.
void explain_gap(MeasuredTable& table, std::size_t before) {
    constexpr std::string_view empty = " is empty";
    for (std::size_t i = before; i < table.unusable.size(); ++i) {
        std::string& reason = table.unusable[i].reason;
        if (reason.size() > empty.size() &&
            reason.compare(reason.size() - empty.size(), empty.size(), empty) == 0) {
            reason += fmt::format(": --fill {}=VALUE gives it",
                                  reason.substr(0, reason.size() - empty.size()));
        }
    }
}

[[nodiscard]] Result<MeasuredTable> table_of(Result<std::vector<ImportedRow>> imported,
                                             const std::string& file,
                                             const ImportOptions& options) {
    if (!imported) {
        return tl::unexpected(imported.error());
    }
    MeasuredTable table;
    for (ImportedRow& row : *imported) {
        complete(row, options.fill);
        RowColumns columns(row.columns.begin(), row.columns.end());
        const SourceLocation where{file, row.line, 0};
        if (row.problem.empty()) {
            const std::size_t before = table.unusable.size();
            add_measured_row(table, std::move(columns), where);
            explain_gap(table, before);
        } else {
            table.unusable.push_back({where, row.columns["kernel"], row.problem, columns});
        }
    }
    return table;
}

}  // namespace

TableFormat table_format(std::string_view text) {
    std::size_t looked_at = 0;
    for (const std::string_view line : lines_of(text.substr(0, 1 << 16))) {
        const auto holds = [&](std::string_view part) {
            return line.find(part) != std::string_view::npos;
        };
        if (holds("head_dim_qk")) {
            return TableFormat::measured_rows;
        }
        if (holds("\"Kernel Name\"")) {
            return TableFormat::ncu;
        }
        if (holds("Instances") && holds("Name") && holds("Avg (")) {
            return TableFormat::nsys;
        }
        if (holds("N_CTX") && holds(",")) {
            return TableFormat::triton;
        }
        if (line.substr(0, 3) == "###" || holds("  FWD (") || holds("  BWD (") ||
            holds("Benchmarking ")) {
            return TableFormat::flash_attention;
        }
        if (++looked_at == lines_looked_at) {
            break;
        }
    }
    return TableFormat::measured_rows;
}

Result<MeasuredTable> parse_table(std::string_view text, const std::string& file_name,
                                  const ImportOptions& options) {
    switch (table_format(text)) {
        case TableFormat::flash_attention:
            return table_of(import_flash_attention(text, file_name), file_name, options);
        case TableFormat::triton:
            return table_of(import_triton(text, file_name), file_name, options);
        case TableFormat::ncu:
            return table_of(import_ncu(text, file_name, options), file_name, options);
        case TableFormat::nsys:
            return table_of(import_nsys(text, file_name, options), file_name, options);
        case TableFormat::measured_rows:
            break;
    }
    return parse_measured(text, file_name);
}

Result<MeasuredTable> read_table(const std::filesystem::path& path, const ImportOptions& options) {
    const auto text = read_table_text(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_table(*text, path.string(), options);
}

}  // namespace warpline
