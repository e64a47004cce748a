#include "warpline/reports/text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

struct CodePoint {
    char32_t value = 0;
    std::size_t bytes = 1;
    bool valid = false;
};

constexpr bool is_continuation(unsigned char byte) {
    return (byte & 0xC0U) == 0x80U;
}

/// The code point at the start of `text`, which is not empty. Overlong forms, surrogates and values
/// past U+10FFFF are not valid and one byte long.
CodePoint decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80U) {
        return {lead, 1, true};
    }
    const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
    if (lead < 0xC2U || lead > 0xF4U || text.size() < length) {
        return {lead, 1, false};
    }
    char32_t value = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(byte(i))) {
            return {lead, 1, false};
        }
        value = (value << 6U) | (byte(i) & 0x3FU);
    }
    constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < least.at(length) || value > 0x10FFFF || surrogate) {
        return {lead, 1, false};
    }
    return {value, length, true};
}

bool steers_terminal(char32_t c) {
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool bidirectional = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
                               c == 0x200E || c == 0x200F || c == 0x061C;
    const bool line_separator = c == 0x2028 || c == 0x2029;
    return control || bidirectional || line_separator;
}

/// Length of the colour sequence (ESC [ digits m) at the start of `text`, or 0.
std::size_t style_sequence(std::string_view text) {
    if (text.size() < 3 || text[0] != '\x1b' || text[1] != '[') {
        return 0;
    }
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

/// Bytes that the first `columns` columns of `text` take.
std::size_t bytes_of_columns(std::string_view text, std::size_t columns) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const std::size_t skip = style_sequence(text.substr(bytes));
        if (skip == 0 && columns-- == 0) {
            break;
        }
        bytes += skip > 0 ? skip : decode(text.substr(bytes)).bytes;
    }
    return bytes;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const CodePoint point = decode(text);
        if (!point.valid || point.value < 0x80) {
            const bool shown = point.valid && !steers_terminal(point.value);
            out += shown ? std::string(1, text[0])
                         : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        } else if (steers_terminal(point.value)) {
            out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(point.value));
        } else {
            out += text.substr(0, point.bytes);
        }
        text.remove_prefix(point.bytes);
    }
    return out;
}

std::string csv_text(std::string_view text) {
    // Spreadsheets skip blanks before they look for a formula.
    const std::size_t start = text.find_first_not_of(" \n");
    const bool formula = start != std::string_view::npos &&
                         std::string_view("=+-@\t\r|").find(text[start]) != std::string_view::npos;
    std::string field = formula ? "'" : "";
    field += text;
    if (field.find_first_of(",\"\n\r") == std::string::npos) {
        return field;
    }
    std::string quoted = "\"";
    for (const char c : field) {
        quoted += c;
        if (c == '"') {
            quoted += '"';
        }
    }
    return quoted + '"';
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        if (const std::size_t skip = style_sequence(text); skip > 0) {
            text.remove_prefix(skip);
            continue;
        }
        text.remove_prefix(decode(text).bytes);
        ++width;
    }
    return width;
}

std::string cut_to(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) {
        return std::string(text);
    }
    return std::string(text.substr(0, bytes_of_columns(text, width < 2 ? 0 : width - 2))) + "..";
}

std::string wrap(std::string_view text, std::size_t width, std::string_view first) {
    std::string out;
    std::string line(first);
    const std::string indent(display_width(first), ' ');
    const std::size_t room = std::max<std::size_t>(width, indent.size() + 1) - indent.size();
    bool empty = true;
    const auto break_line = [&] {
        out += line + '\n';
        line = indent;
        empty = true;
    };
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) {
            continue;
        }
        if (!empty && display_width(line) + 1 + display_width(word) > width) {
            break_line();
        }
        for (; display_width(word) > room; break_line()) {
            const std::size_t bytes = bytes_of_columns(word, room);
            line += word.substr(0, bytes);
            word.remove_prefix(bytes);
        }
        line += empty ? "" : " ";
        line += word;
        empty = false;
    }
    return out + line + '\n';
}

std::string grouped(double value) {
    std::string digits = fmt::format("{:.0f}", value);
    const std::size_t sign = digits[0] == '-' ? 1 : 0;
    if (!std::isfinite(value)) {
        return digits;
    }
    for (std::size_t i = digits.size(); i > sign + 3; i -= 3) {
        digits.insert(i - 3, 1, ',');
    }
    return digits;
}

std::string byte_text(double bytes) {
    constexpr std::array<const char*, 6> units = {"B", "kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < units.size()) {
        bytes /= 1000.0;
        ++unit;
    }
    return fmt::format("{:.3g} {}", bytes, units.at(unit));
}

std::string time_text(double seconds) {
    if (seconds < 999.95e-6) {
        return fmt::format("{:.4g} us", seconds * 1e6);
    }
    if (seconds < 0.99995) {
        return fmt::format("{:.4g} ms", seconds * 1e3);
    }
    return fmt::format("{:.4g} s", seconds);
}

std::string Style::wrapped(std::string_view code, std::string_view text) const {
    return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string Style::on_color(std::size_t index, std::string_view text) const {
    constexpr std::array<int, 8> colors = {214, 117, 36, 227, 32, 202, 175, 250};
    return wrapped(fmt::format("30;48;5;{}", colors.at(index % colors.size())), text);
}

void Table::add(std::vector<std::string> row) {
    assert(row.size() <= columns_.size());
    row.resize(columns_.size());
    rows_.push_back(std::move(row));
}

std::string Table::text(std::string_view indent) const {
    std::vector<std::size_t> widths(columns_.size(), 0);
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], display_width(row[i]));
        }
    }
    std::string out;
    for (const auto& row : rows_) {
        std::string line(indent);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blanks(widths[i] - display_width(row[i]), ' ');
            line += i == 0 ? "" : "  ";
            line += columns_[i] == Align::right ? blanks + row[i] : row[i] + blanks;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

}  // namespace warpline
