// What a report is made of beside its numbers; put into the library by the build.
#pragma once

#include <string_view>

namespace warpline {

struct ReportAssets {
    std::string_view style;     ///< CSS
    std::string_view figures;   ///< JavaScript: data to options of the chart library
    std::string_view script;    ///< JavaScript: options to charts in the page
    std::string_view exporter;  ///< JavaScript: data to SVG, for node
    std::string_view charts;    ///< the chart library, ECharts; empty in a build without npm
};
[[nodiscard]] ReportAssets report_assets();

}  // namespace warpline
