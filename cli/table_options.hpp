// Tables of measured kernels as the command line names them, shared by subcommands.
#pragma once

#include "cli/command_line.hpp"
#include "warpline/validate/measured_rows.hpp"

#include <string>
#include <vector>

namespace warpline::cli {

/// As text, as the user wrote it; empty = not given. A subcommand declares `files` itself.
struct TableOptions {
    std::vector<std::string> files;
    std::vector<std::string> fill;
    std::string kernel_name;

    /// Adds the options for tables of other tools. This object must outlive the parse.
    void declare(const Command& command);

    /// The rows of all files. Errors: usage (a column that does not exist), and those of
    /// read_table().
    [[nodiscard]] Result<MeasuredTable> read() const;
};

}  // namespace warpline::cli
