#include "warpline/reports/report_table.hpp"

#include "warpline/reports/text.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

/// Four significant digits, or all before the point.
std::string rounded(const std::string& text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return html_text(text);
    }
    return std::abs(value) >= 1000.0 ? grouped(value) : fmt::format("{:.4g}", value);
}

}  // namespace

TableCell number_cell(double value) {
    return {std::isfinite(value) ? fmt::format("{}", value) : std::string(), true};
}

TableCell text_cell(std::string_view text) {
    return {std::string(text), false};
}

std::string html_text(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string table_html(const ReportTable& table) {
    std::string html =
        fmt::format("<div class=\"scroll\"><table id=\"table-{}\"><caption>{}</caption><thead><tr>",
                    html_text(table.id), html_text(table.title));
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const bool number = !table.rows.empty() && table.rows.front()[i].number;
        html += fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"number\"" : "",
                            html_text(table.columns[i]));
    }
    html += "</tr></thead><tbody>\n";
    for (const auto& row : table.rows) {
        html += "<tr>";
        for (const TableCell& cell : row) {
            html += cell.number ? "<td class=\"number\">" + rounded(cell.text) + "</td>"
                                : "<td>" + html_text(cell.text) + "</td>";
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string table_csv(const ReportTable& table) {
    std::string csv;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        csv += (i == 0 ? "" : ",") + csv_text(table.columns[i]);
    }
    csv += "\n";
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            csv += i == 0 ? "" : ",";
            csv += row[i].number ? row[i].text : csv_text(row[i].text);
        }
        csv += "\n";
    }
    return csv;
}

}  // namespace warpline
