// Text that is safe to print and to open in a spreadsheet, and its layout in columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// `text` with everything that could steer a terminal made visible: control characters (C0, DEL,
/// C1), bidirectional overrides and bytes that are not UTF-8 become \xNN or \u{N}. Line breaks and
/// tabs too: the result is one line.
[[nodiscard]] std::string printable(std::string_view text);

/// One CSV field of text: quoted where needed, and with a leading apostrophe where a spreadsheet
/// would take it for a formula. Not for numbers.
[[nodiscard]] std::string csv_text(std::string_view text);

/// Columns that `text` takes in a terminal: code points, escape sequences of a Style not counted.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The first `width` columns of `text`; what is cut off is marked by "..".
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t width);

/// Words of `text` in lines of at most `width` columns; the first line starts with `first`, the
/// others with as many blanks. A longer word is broken.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::string_view first);

/// "2,165,432": rounded to a whole number.
[[nodiscard]] std::string grouped(double value);

/// "1.23 GB", decimal units.
[[nodiscard]] std::string byte_text(double bytes);

/// "12.3 us", "1.234 ms": four significant digits.
[[nodiscard]] std::string time_text(double seconds);

/// Colours and weights, or nothing at all.
struct Style {
    bool color = false;

    [[nodiscard]] std::string bold(std::string_view text) const { return wrapped("1", text); }
    [[nodiscard]] std::string dim(std::string_view text) const { return wrapped("2", text); }
    [[nodiscard]] std::string good(std::string_view text) const { return wrapped("32", text); }
    [[nodiscard]] std::string warn(std::string_view text) const { return wrapped("33", text); }
    /// Black on a light colour: eight (Okabe and Ito's, without black) that people with any colour
    /// vision tell apart, and again from the first. Text of 256-colour terminals.
    [[nodiscard]] std::string on_color(std::size_t index, std::string_view text) const;

  private:
    [[nodiscard]] std::string wrapped(std::string_view code, std::string_view text) const;
};

enum class Align : std::uint8_t { left, right };

/// Rows of cells, laid out so that columns line up.
class Table {
  public:
    explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}

    /// Missing cells are blank; there may not be more cells than columns.
    void add(std::vector<std::string> row);
    /// Every line ends in a line break and has no trailing blanks. Columns are two blanks apart.
    [[nodiscard]] std::string text(std::string_view indent) const;

  private:
    std::vector<Align> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace warpline
