#include "warpline/units/parse_quantity.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

namespace warpline {
namespace {

bool starts_number(std::string_view text) {
    return !text.empty() && ((text[0] >= '0' && text[0] <= '9') || text[0] == '.');
}

/// Reads the number at the start of `text` and removes it.
Result<double> take_number(std::string_view& text, std::string_view whole) {
    if (!text.empty() && text[0] == '-') {
        return fail(FailureKind::input, fmt::format("'{}' is negative", whole));
    }
    if (!starts_number(text)) {
        return fail(FailureKind::input, fmt::format("'{}' does not begin with a number", whole),
                    "write a number and a unit, e.g. 128 B/clk");
    }
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range || !std::isfinite(number)) {
        return fail(FailureKind::input, fmt::format("'{}' is beyond what a number holds", whole));
    }
    if (error != std::errc{}) {
        return fail(FailureKind::input, fmt::format("'{}' does not begin with a number", whole));
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

}  // namespace

double WrittenQuantity::in(const MeasurementUnit& other) const {
    return unit.text == other.text ? number : base_value() / other.scale;
}

std::string WrittenQuantity::text() const {
    return fmt::format("{} {}", number, unit.text);
}

Result<WrittenQuantity> parse_quantity(std::string_view text, const Dimension& dimension) {
    std::string_view rest = text;
    while (!rest.empty() && rest.front() == ' ') {
        rest.remove_prefix(1);
    }
    const auto number = take_number(rest, text);
    if (!number) {
        return tl::unexpected<Failure>(number.error());
    }
    if (rest.find_first_not_of(' ') == std::string_view::npos) {
        return fail(FailureKind::input, fmt::format("'{}' lacks a unit", text),
                    fmt::format("expected {}", dimension_text(dimension)));
    }
    auto unit = parse_unit(rest);
    if (!unit) {
        return tl::unexpected<Failure>(std::move(unit.error()));
    }
    if (unit->dimension != dimension) {
        return fail(FailureKind::input,
                    fmt::format("'{}' is in {}, not in {}", text, dimension_text(unit->dimension),
                                dimension_text(dimension)));
    }
    WrittenQuantity written{*number, std::move(*unit)};
    if (!std::isfinite(written.base_value())) {
        return fail(FailureKind::input, fmt::format("'{}' is beyond what a number holds", text));
    }
    return written;
}

}  // namespace warpline
