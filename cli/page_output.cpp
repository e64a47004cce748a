#include "cli/page_output.hpp"

#include "cli/output_files.hpp"

namespace warpline::cli {

void PageOutput::declare(const Command& command) {
    command.add_option("--report", page, "a page with figures, HTML").type_name("FILE");
    exports.declare(command);
}

Result<void> PageOutput::write(const std::function<ReportPage()>& make) const {
    if (page.empty() && exports.empty()) {
        return {};
    }
    const ReportPage report = make();
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
