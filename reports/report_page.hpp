// A report as one HTML file that opens without a network.
#pragma once

#include "warpline/reports/report_assets.hpp"
#include "warpline/reports/report_table.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpline {

/// The line that says it, and what it is about.
struct ReportCard {
    std::string title;
    std::string headline;
    std::vector<std::string> lines;
};

struct ReportFigure {
    std::string id;       ///< of the figure in the data, see page/figures.js
    std::string caption;  ///< what to see in it
    bool wide = false;    ///< the whole width of the page
};

struct ReportSection {
    std::string title;
    std::vector<ReportFigure> figures;
    std::vector<std::string> tables;  ///< ids of ReportPage::tables
    bool open = false;                ///< tables are there to be read, not on demand
};

struct ReportPage {
    std::string title;
    std::string subtitle;
    std::vector<ReportCard> cards;
    std::vector<ReportSection> sections;
    std::vector<ReportTable> tables;
    std::string data;                     ///< JSON for the figures, without `<`
    std::vector<std::string> provenance;  ///< lines of the footer
};

/// The whole page. Every text is escaped; a policy in the page forbids any connection. Without
/// `assets.charts` it says that it has tables only.
[[nodiscard]] std::string report_html(const ReportPage& page, const ReportAssets& assets);

}  // namespace warpline
