#include "warpline/reports/report_page.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

/// A script cannot end its own element.
std::string script(std::string_view code) {
    std::string safe;
    safe.reserve(code.size());
    constexpr std::string_view end = "</script";
    while (!code.empty()) {
        const std::size_t found = std::min(code.find(end), code.size());
        safe += code.substr(0, found);
        if (found < code.size()) {
            safe += "<\\/script";
        }
        code.remove_prefix(std::min(code.size(), found + end.size()));
    }
    return "<script>" + safe + "</script>\n";
}

std::string card(const ReportCard& of) {
    std::string html = fmt::format("<div class=\"card\"><h3>{}</h3><strong>{}</strong>",
                                   html_text(of.title), html_text(of.headline));
    for (const std::string& line : of.lines) {
        html += "<p>" + html_text(line) + "</p>";
    }
    return html + "</div>\n";
}

std::string figure(const ReportFigure& of) {
    return fmt::format(
        "<figure{}><div class=\"chart\" data-figure=\"{}\" role=\"img\" aria-label=\"{}\"></div>"
        "<figcaption>{}</figcaption></figure>\n",
        of.wide ? " class=\"wide\"" : "", html_text(of.id), html_text(of.caption),
        html_text(of.caption));
}

std::string section(const ReportSection& of, const ReportPage& page, bool charts) {
    std::string html = fmt::format("<section><h2>{}</h2>\n", html_text(of.title));
    if (charts && !of.figures.empty()) {
        html += "<div class=\"figures\">\n";
        for (const ReportFigure& each : of.figures) {
            html += figure(each);
        }
        html += "</div>\n";
    }
    for (const ReportTable& table : page.tables) {
        if (std::find(of.tables.begin(), of.tables.end(), table.id) != of.tables.end()) {
            html += fmt::format("<details{}><summary>Table: {}</summary>{}</details>\n",
                                charts && !of.open ? "" : " open", html_text(table.title),
                                table_html(table));
        }
    }
    return html + "</section>\n";
}

}  // namespace

std::string report_html(const ReportPage& page, const ReportAssets& assets) {
    const bool charts = !assets.charts.empty();
    std::string html = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<header><h1>{0}</h1>"
        "<p class=\"dim\">{2}</p></header>\n<main>\n",
        html_text(page.title), assets.style, html_text(page.subtitle));
    if (!charts) {
        html +=
            "<p class=\"notice\">This copy of Warpline was built without its chart library, which "
            "the build takes from npm: the report has tables only.</p>\n";
    }
    html += "<div class=\"cards\">\n";
    for (const ReportCard& each : page.cards) {
        html += card(each);
    }
    html += "</div>\n";
    for (const ReportSection& each : page.sections) {
        html += section(each, page, charts);
    }
    html += "</main>\n<footer>\n";
    for (const std::string& line : page.provenance) {
        html += "<p>" + html_text(line) + "</p>\n";
    }
    html += "</footer>\n";
    if (charts) {
        html += "<script type=\"application/json\" id=\"report-data\">" + page.data + "</script>\n";
        for (const std::string_view code : {assets.charts, assets.figures, assets.script}) {
            html += script(code);
        }
    }
    return html + "</body>\n</html>\n";
}

}  // namespace warpline
