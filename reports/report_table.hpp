// A table as data, for the page that shows it and the CSV that carries it elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

struct TableCell {
    std::string text;
    bool number = false;  ///< `text` is a number in full precision
};
[[nodiscard]] TableCell number_cell(double value);
[[nodiscard]] TableCell text_cell(std::string_view text);

struct ReportTable {
    std::string id;     ///< name of its file, and of its place in the page
    std::string title;  ///< caption
    std::vector<std::string> columns;
    std::vector<std::vector<TableCell>> rows;  ///< as many cells as columns
};

/// `text` for the inside of an HTML element or of a quoted attribute. Control characters and what
/// is not UTF-8 are made visible, as by printable().
[[nodiscard]] std::string html_text(std::string_view text);

/// A <table> with caption; numbers are rounded for reading.
[[nodiscard]] std::string table_html(const ReportTable& table);
/// A header line and a line a row; texts are safe to open in a spreadsheet.
[[nodiscard]] std::string table_csv(const ReportTable& table);

}  // namespace warpline
