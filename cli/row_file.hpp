// A file of lines that grows one line at a time and survives being interrupted at any moment.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace warpline::cli {

/// What a file may hold: a header line (or none), then one line for each of a sequence of rows.
struct RowLayout {
    std::string header;  ///< with its line break; empty = none
    /// What row number i (from 0) begins with.
    std::function<std::string(std::int64_t)> beginning;
    std::string run;  ///< stands in every row; tells runs apart
    /// Why a line (without its break) that begins so is not row number i all the same; empty: it
    /// is.
    std::function<std::string(std::int64_t, const std::string&)> problem;
};

class RowFile {
  public:
    /// A new file with its header. Errors (input): it exists and is not empty, or it cannot be
    /// written.
    [[nodiscard]] static Result<RowFile> create(const std::string& path, const RowLayout& layout);
    /// Goes on with a file that create() began; a file that is not there is created. A last line
    /// without its end is cut off. Errors (input), and the file stays as it is: it is of another
    /// run, or one of its lines, which the error names, is not the row that should be there.
    [[nodiscard]] static Result<RowFile> resume(const std::string& path, const RowLayout& layout);

    RowFile(RowFile&& other) noexcept;
    RowFile& operator=(RowFile&&) = delete;
    RowFile(const RowFile&) = delete;
    RowFile& operator=(const RowFile&) = delete;
    ~RowFile();

    /// Rows that are in the file.
    [[nodiscard]] std::int64_t rows() const { return rows_; }
    /// Writes one row; when it returns true the operating system has it. False: it could not be
    /// written, and what there was of it has been taken away again.
    [[nodiscard]] bool append(std::string_view row);

  private:
    RowFile(int descriptor, std::int64_t rows) : descriptor_(descriptor), rows_(rows) {}

    int descriptor_ = -1;
    std::int64_t rows_ = 0;
};

}  // namespace warpline::cli
