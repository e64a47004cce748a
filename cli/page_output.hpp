// The page of an answer, with its figures and tables as files: what --report and its like ask for.
#pragma once

#include "cli/report_exports.hpp"
#include "warpline/reports/report_page.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace warpline::cli {

/// As text, as the user wrote it; empty = not given.
struct PageOutput {
    std::string page;
    ExportFolders exports;

    /// Adds the options to a subcommand. This object must outlive the parse.
    void declare(CLI::App& app);

    /// Writes what was asked for; without that `make` is not called. Errors: input.
    [[nodiscard]] Result<void> write(const std::function<ReportPage()>& make) const;
};

}  // namespace warpline::cli
