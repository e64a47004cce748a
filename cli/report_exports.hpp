// A report's figures and tables as files of their own.
#pragma once

#include "cli/command_line.hpp"
#include "cli/output_files.hpp"
#include "warpline/reports/report_page.hpp"

#include <string>
#include <vector>

namespace warpline::cli {

/// Where they go; an empty text: nowhere.
struct ExportFolders {
    std::string svg, png, csv;

    [[nodiscard]] bool empty() const { return svg.empty() && png.empty() && csv.empty(); }

    /// Adds the options to a subcommand. This object must outlive the parse.
    void declare(const Command& command);
};

/// One file each, in folders that are made when they are not there. Errors: input when figures are
/// wanted and node (for PNG: and Chromium) is missing, or this build has no chart library; a folder
/// that cannot be made.
[[nodiscard]] Result<std::vector<OutputFile>> exported(const ReportPage& page,
                                                       const ExportFolders& folders);

}  // namespace warpline::cli
