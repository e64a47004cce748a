// Files of rows, each a part of one run, put together.
#pragma once

#include "cli/row_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpline::cli {

/// Writes the rows of all parts, in any order of files, to the new file `path`; nothing is written
/// unless they are rows 0 to `rows` - 1, each once. Errors (input): a part that cannot be read,
/// that is of another run, or whose last line lacks its end; rows that are missing or there twice,
/// with their numbers; a file that cannot be written.
[[nodiscard]] Result<void> merge_rows(const std::vector<std::string>& parts,
                                      const std::string& path, const RowLayout& layout,
                                      std::int64_t rows);

}  // namespace warpline::cli
