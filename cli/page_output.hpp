// The page of an answer, with its figures and tables as files: what --report and its like ask for.
#pragma once

#include "cli/command_line.hpp"
#include "cli/report_exports.hpp"
#include "warpline/reports/report_page.hpp"

#include <functional>
#include <string>

namespace warpline::cli {

/// As text, as the user wrote it; empty = not given.
struct PageOutput {
    std::string page;
    ExportFolders exports;

    /// Adds the options to a subcommand. This object must outlive the parse.
    void declare(const Command& command);

    /// Writes what was asked for; without that `make` is not called. Errors: input.
    [[nodiscard]] Result<void> write(const std::function<ReportPage()>& make) const;
};

}  // namespace warpline::cli
