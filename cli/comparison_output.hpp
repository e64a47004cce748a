// The page of a comparison, with its figures and tables.
#pragma once

#include "cli/report_exports.hpp"
#include "warpline/validate/compare.hpp"

#include <string>

namespace CLI {
class App;
}

namespace warpline::cli {

/// As text, as the user wrote it; empty = not given.
struct ComparisonOutput {
    std::string page;
    ExportFolders exports;

    /// Adds the options to a subcommand. This object must outlive the parse.
    void declare(CLI::App& app);

    /// Writes what was asked for; `command` is the command line. Errors: input.
    [[nodiscard]] Result<void> write(const Comparison& comparison,
                                     const std::string& command) const;
};

}  // namespace warpline::cli
