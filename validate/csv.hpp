// A reader of comma-separated values (RFC 4180) that loses no good record to a bad one.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

struct CsvRecord {
    int line = 0;  ///< of its first character, 1-based
    std::vector<std::string> fields;
    std::string problem;  ///< why it is not CSV; empty: it is
};

/// Splits `text` into records. Fields may be quoted; a quoted field may hold commas, line ends and
/// doubled quotes. Lines end in LF, CRLF or CR; empty lines are skipped, and so is a byte order
/// mark. A record with a quote inside an unquoted field, with text after a closing quote or with a
/// quote that is never closed is a problem of its own: reading goes on at the next line.
/// Errors (input): not text (a NUL byte, UTF-16).
[[nodiscard]] Result<std::vector<CsvRecord>> parse_csv(std::string_view text,
                                                       const std::string& file_name);

/// Bytes that a table may have: 64 MiB.
inline constexpr std::size_t largest_table = std::size_t{64} << 20;

/// The text of a regular file of at most largest_table bytes. Errors: input.
[[nodiscard]] Result<std::string> read_table_text(const std::filesystem::path& path);

}  // namespace warpline
