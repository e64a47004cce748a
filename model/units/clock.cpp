#include "warpline/units/clock.hpp"

#include "warpline/units/parse_quantity.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t lowest_hz = 1'000'000;
constexpr std::int64_t highest_hz = 100'000'000'000;
constexpr int finest_decimals = 6;

std::int64_t power_of_ten(int exponent) {
    std::int64_t power = 1;
    for (int i = 0; i < exponent; ++i) {
        power *= 10;
    }
    return power;
}

/// Digits and the power of ten behind them.
struct Decimal {
    std::int64_t digits = 0;
    int exponent = 0;
};

/// The number at the start of `text`, which parse_quantity has accepted. False when it has more
/// digits than an integer holds.
bool read_decimal(std::string_view text, Decimal& out) {
    bool after_point = false;
    std::size_t i = std::min(text.find_first_not_of(' '), text.size());
    for (; i < text.size() && (text[i] == '.' || (text[i] >= '0' && text[i] <= '9')); ++i) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        if (out.digits > (std::numeric_limits<std::int64_t>::max() - 9) / 10) {
            return false;
        }
        out.digits = out.digits * 10 + (text[i] - '0');
        out.exponent -= after_point ? 1 : 0;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        const bool negative = i + 1 < text.size() && text[i + 1] == '-';
        const bool sign = negative || (i + 1 < text.size() && text[i + 1] == '+');
        int exponent = 0;
        for (i += sign ? 2 : 1; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
            exponent = std::min(exponent * 10 + (text[i] - '0'), 10000);
        }
        out.exponent += negative ? -exponent : exponent;
    }
    return true;
}

int prefix_exponent(double scale) {
    int exponent = 0;
    for (; scale > 1.0; scale /= 1000.0) {
        exponent += 3;
    }
    return exponent;
}

}  // namespace

Result<ClockHz> parse_clock(std::string_view text) {
    const auto written = parse_quantity(text, Hertz::dimension);
    if (!written) {
        return tl::unexpected<Failure>(written.error());
    }
    const double hertz = written->base_value();
    if (!(hertz >= static_cast<double>(lowest_hz) && hertz <= static_cast<double>(highest_hz))) {
        return fail(FailureKind::input, fmt::format("'{}' is no clock of a GPU", text),
                    "expected 1 MHz to 100 GHz");
    }
    Decimal decimal;
    const bool fits = read_decimal(text, decimal);
    decimal.exponent += written->unit.text == "clk/s" ? 0 : prefix_exponent(written->unit.scale);
    while (decimal.digits != 0 && decimal.digits % 10 == 0 && decimal.exponent < 0) {
        decimal.digits /= 10;
        ++decimal.exponent;
    }
    if (!fits || decimal.exponent < -finest_decimals) {
        return fail(FailureKind::input, fmt::format("'{}' is finer than a microhertz", text));
    }
    // The range was checked above, so that many digits and powers fit.
    return decimal.exponent >= 0 ? ClockHz(decimal.digits * power_of_ten(decimal.exponent))
                                 : ClockHz(decimal.digits, power_of_ten(-decimal.exponent));
}

std::string clock_text(const ClockHz& clock) {
    const std::int64_t per_mhz = power_of_ten(6);
    const std::int64_t micro = power_of_ten(finest_decimals);
    const std::int64_t whole = boost::rational_cast<std::int64_t>(clock);
    const ClockHz rest = (clock - ClockHz(whole)) * ClockHz(micro);
    const std::int64_t below = boost::rational_cast<std::int64_t>(rest);
    std::string decimals =
        fmt::format("{:06}{:06}", whole % per_mhz, below);  // twelve digits after the point
    decimals.erase(decimals.find_last_not_of('0') + 1);
    return fmt::format("{}{}{} MHz", whole / per_mhz, decimals.empty() ? "" : ".", decimals);
}

}  // namespace warpline
