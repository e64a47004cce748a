// A strict reader of comma-separated values (RFC 4180).
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

struct CsvRecord {
    int line = 0;  ///< of its first character, 1-based
    std::vector<std::string> fields;
};

/// Splits `text` into records. Fields may be quoted; a quoted field may hold commas, line ends and
/// doubled quotes. Lines end in LF or CRLF; empty lines are skipped. Errors (input): a quote inside
/// an unquoted field, text after a closing quote, a quote never closed, a NUL byte.
[[nodiscard]] Result<std::vector<CsvRecord>> parse_csv(std::string_view text,
                                                       const std::string& file_name);

}  // namespace warpline
