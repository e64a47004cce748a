// Tables that other tools print, as rows of measured kernels.
#pragma once

#include "warpline/validate/measured_rows.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// Columns of the measured-row schema by name, as text.
using ColumnTexts = std::map<std::string, std::string>;

/// What an importer found in one place: columns of the schema, or a problem.
struct ImportedRow {
    int line = 0;
    ColumnTexts columns;
    std::string problem;  ///< why the row cannot be used; empty: it can
};

enum class TableFormat { measured_rows, flash_attention, triton, ncu, nsys };

struct ImportOptions {
    ColumnTexts fill;         ///< columns that a table does not give
    std::string kernel_name;  ///< profiles: only launches whose name holds this text
};

/// From the first lines. What nothing recognises is taken for a table of measured rows, whose
/// reader says what is missing.
[[nodiscard]] TableFormat table_format(std::string_view text);

/// Each importer is given the whole text and returns its rows in order. Errors (input): not a table
/// of that kind at all.
[[nodiscard]] Result<std::vector<ImportedRow>> import_flash_attention(std::string_view text,
                                                                      const std::string& file);
/// The shape is also read from the file's name, where Triton's report puts it.
[[nodiscard]] Result<std::vector<ImportedRow>> import_triton(std::string_view text,
                                                             const std::string& file);
[[nodiscard]] Result<std::vector<ImportedRow>> import_ncu(std::string_view text,
                                                          const std::string& file,
                                                          const ImportOptions& options);
[[nodiscard]] Result<std::vector<ImportedRow>> import_nsys(std::string_view text,
                                                           const std::string& file,
                                                           const ImportOptions& options);

/// Reads a table of any known format. Errors: those of its reader.
[[nodiscard]] Result<MeasuredTable> parse_table(std::string_view text, const std::string& file_name,
                                                const ImportOptions& options = {});
[[nodiscard]] Result<MeasuredTable> read_table(const std::filesystem::path& path,
                                               const ImportOptions& options = {});

}  // namespace warpline
