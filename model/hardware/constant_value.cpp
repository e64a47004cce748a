#include "warpline/hardware/constant_value.hpp"

#include "warpline/units/parse_quantity.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

std::string join(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) {
        out += out.empty() ? word : ", " + word;
    }
    return out;
}

Result<double> parse_number(const ConstantRule& rule, std::string_view text) {
    const auto unit = parse_unit(rule.unit);
    if (!unit) {
        return tl::unexpected<Failure>(unit.error());
    }
    const auto written = parse_quantity(text, unit->dimension);
    if (!written) {
        return tl::unexpected<Failure>(written.error());
    }
    const double number = written->in(*unit);
    if (rule.above ? number <= rule.at_least : number < rule.at_least) {
        return fail(FailureKind::input, fmt::format("'{}' is too small", text),
                    fmt::format("{} {} {}", rule.above ? "more than" : "at least", rule.at_least,
                                rule.unit));
    }
    if (number > rule.at_most) {
        return fail(FailureKind::input, fmt::format("'{}' is absurdly large", text),
                    fmt::format("at most {} {}", rule.at_most, rule.unit));
    }
    if (rule.whole && number != std::floor(number)) {
        return fail(FailureKind::input,
                    fmt::format("'{}' must be a whole number of {}", text, rule.unit));
    }
    return number;
}

Result<ConstantValue> parse_word(const std::vector<std::string>& words, std::string_view text) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) {
        return fail(FailureKind::input, fmt::format("'{}' is none of {}", text, join(words)));
    }
    ConstantValue value;
    value.number = static_cast<double>(found - words.begin());
    return value;
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    return first == std::string_view::npos
               ? std::string_view{}
               : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// A small positive integer that is the whole of `text`.
std::optional<int> small_integer(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool complete = error == std::errc{} && end == text.data() + text.size();
    return complete && number > 0 && number <= 1000 ? std::optional<int>(number) : std::nullopt;
}

Result<ConstantValue> parse_gpc_list(std::string_view text) {
    ConstantValue value;
    if (text == "unknown") {
        return value;
    }
    const auto bad = [&] {
        return fail(FailureKind::input, fmt::format("'{}' is no list of GPCs", text),
                    "GPCs x SMs, e.g. '9x16 + 1x4 SM', or 'unknown'");
    };
    std::string_view rest = trim(text);
    if (rest.size() < 3 || rest.substr(rest.size() - 2) != "SM") {
        return bad();
    }
    rest.remove_suffix(2);
    while (true) {
        const auto plus = rest.find('+');
        const std::string_view term = trim(rest.substr(0, plus));
        const auto times = term.find('x');
        const auto gpcs = small_integer(trim(term.substr(0, times)));
        const auto sms = times == std::string_view::npos
                             ? std::nullopt
                             : small_integer(trim(term.substr(times + 1)));
        if (!gpcs || !sms) {
            return bad();
        }
        value.counts.insert(value.counts.end(), static_cast<std::size_t>(*gpcs), *sms);
        if (plus == std::string_view::npos) {
            break;
        }
        rest.remove_prefix(plus + 1);
    }
    value.number = static_cast<double>(value.counts.size());
    return value;
}

Result<ConstantValue> parse_clock_constant(const ConstantRule& rule, std::string_view text) {
    return parse_clock(text).map([&](const ClockHz& clock) {
        ConstantValue value;
        value.number = to_hertz(clock).value() / parse_unit(rule.unit)->scale;
        value.clock = value.clock_low = value.clock_high = clock;
        return value;
    });
}

}  // namespace

Result<ConstantValue> parse_constant(const ConstantRule& rule, std::string_view text) {
    switch (rule.form) {
        case ConstantForm::flag:
            return parse_word({"false", "true"}, text);
        case ConstantForm::word:
            return parse_word(rule.words, text);
        case ConstantForm::gpc_list:
            return parse_gpc_list(text);
        case ConstantForm::clock:
            return parse_clock_constant(rule, text);
        case ConstantForm::quantity:
            break;
    }
    return parse_number(rule, text).map([](double number) {
        ConstantValue value;
        value.number = number;
        return value;
    });
}

Result<ConstantValue> add_interval(const ConstantRule& rule, ConstantValue value,
                                   std::string_view text) {
    constexpr std::string_view dots = "..";
    const auto at = text.find(dots);
    const bool measurable = rule.form == ConstantForm::quantity || rule.form == ConstantForm::clock;
    if (!measurable || at == std::string_view::npos) {
        return fail(FailureKind::input, fmt::format("'{}' is no interval", text),
                    "write LOW .. HIGH UNIT, e.g. 53 .. 128 B/clk");
    }
    const std::string_view high_text = trim(text.substr(at + dots.size()));
    const std::string_view low_number = trim(text.substr(0, at));
    const auto unit_at = high_text.find_first_not_of("0123456789.eE+- ");
    const std::string_view unit =
        unit_at == std::string_view::npos ? std::string_view{} : high_text.substr(unit_at);
    // One unit stands for both ends.
    const auto high = parse_constant(rule, high_text);
    const auto low = parse_constant(rule, fmt::format("{} {}", low_number, unit));
    if (!high || !low) {
        return tl::unexpected<Failure>(high ? low.error() : high.error());
    }
    if (low->number > value.number || high->number < value.number) {
        return fail(FailureKind::input,
                    fmt::format("the interval '{}' does not hold the value", text));
    }
    value.low = low->number;
    value.high = high->number;
    value.clock_low = low->clock;
    value.clock_high = high->clock;
    return value;
}

}  // namespace warpline
