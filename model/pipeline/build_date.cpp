#include "warpline/pipeline/build_date.hpp"

#include <array>
#include <charconv>

namespace warpline {
namespace {

constexpr int middle_of_month = 15;

/// The number that `text` spells in exactly `digits` digits, or -1.
[[nodiscard]] int digits_of(std::string_view text, std::size_t begin, std::size_t digits) {
    if (text.size() < begin + digits) {
        return -1;
    }
    const std::string_view part = text.substr(begin, digits);
    int value = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && stop == part.data() + part.size() && part.front() != '-' ? value
                                                                                            : -1;
}

[[nodiscard]] int days_in(int year, int month) {
    constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

}  // namespace

std::optional<BuildDate> parse_build_date(std::string_view text) {
    const bool has_day = text.size() == 10 && text[7] == '-';
    if ((text.size() != 7 && !has_day) || text[4] != '-') {
        return std::nullopt;
    }
    const BuildDate date{digits_of(text, 0, 4), digits_of(text, 5, 2),
                         has_day ? digits_of(text, 8, 2) : middle_of_month};
    if (date.year < 0 || date.month < 1 || date.month > 12 || date.day < 1 ||
        date.day > days_in(date.year, date.month)) {
        return std::nullopt;
    }
    return date;
}

}  // namespace warpline
