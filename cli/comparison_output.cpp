#include "cli/comparison_output.hpp"

#include "cli/output_files.hpp"
#include "cli/version.hpp"
#include "warpline/reports/subject_page.hpp"

#include <utility>

#include <CLI/CLI.hpp>

namespace warpline::cli {

void ComparisonOutput::declare(CLI::App& app) {
    app.add_option("--report", page, "a page with figures, HTML")->type_name("FILE");
    exports.declare(app);
}

Result<void> ComparisonOutput::write(const Comparison& comparison,
                                     const std::string& command) const {
    if (page.empty() && exports.empty()) {
        return {};
    }
    const ReportPage report = comparison_page(comparison, version_text(), command);
    Result<std::vector<OutputFile>> files = exported(report, exports);
    if (!files) {
        return tl::unexpected(files.error());
    }
    if (!page.empty()) {
        files->push_back({page, report_html(report, report_assets())});
    }
    return write_files(*files);
}

}  // namespace warpline::cli
