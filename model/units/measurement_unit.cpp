#include "warpline/units/measurement_unit.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace warpline {
namespace {

struct Symbol {
    std::string name;
    double scale;
    Dimension dimension;
};

constexpr std::array<std::string_view, base_unit_count> base_names = {
    "B",      "clk",      "FLOP",   "s",           "W",    "SM",       "CTA",
    "thread", "register", "column", "instruction", "slot", "partition"};

std::vector<Symbol> make_symbols() {
    std::vector<Symbol> symbols;
    const auto add = [&](std::string name, double scale, const Dimension& dimension) {
        symbols.push_back({std::move(name), scale, dimension});
    };
    for (std::size_t i = 0; i < base_unit_count; ++i) {
        add(std::string(base_names.at(i)), 1.0, Dimension::of(static_cast<BaseUnit>(i)));
    }
    const Dimension byte = Dimension::of(BaseUnit::byte);
    const Dimension flop = Dimension::of(BaseUnit::flop);
    const Dimension second = Dimension::of(BaseUnit::second);
    const Dimension hertz = Dimension::of(BaseUnit::clock) / second;
    add("Hz", 1.0, hertz);
    struct Prefix {
        const char* letter;
        double scale;
    };
    for (const Prefix& prefix : {Prefix{"k", 1e3}, Prefix{"M", 1e6}, Prefix{"G", 1e9},
                                 Prefix{"T", 1e12}, Prefix{"P", 1e15}}) {
        add(fmt::format("{}B", prefix.letter), prefix.scale, byte);
        add(fmt::format("{}FLOP", prefix.letter), prefix.scale, flop);
        add(fmt::format("{}Hz", prefix.letter), prefix.scale, hertz);
    }
    add("KiB", 1024.0, byte);
    add("MiB", 1048576.0, byte);
    add("GiB", 1073741824.0, byte);
    add("TiB", 1099511627776.0, byte);
    add("ms", 1e-3, second);
    add("us", 1e-6, second);
    add("ns", 1e-9, second);
    add("kW", 1e3, Dimension::of(BaseUnit::watt));
    const Dimension joule = Dimension::of(BaseUnit::watt) * second;
    add("J", 1.0, joule);
    add("nJ", 1e-9, joule);
    add("pJ", 1e-12, joule);
    add("x", 1.0, Dimension{});  // a ratio: "2 x"
    return symbols;
}

const std::vector<Symbol>& symbols() {
    static const std::vector<Symbol> table = make_symbols();
    return table;
}

const Symbol* find_symbol(std::string_view name) {
    const auto named = [&](std::string_view wanted) -> const Symbol* {
        const auto found = std::find_if(symbols().begin(), symbols().end(),
                                        [&](const Symbol& s) { return s.name == wanted; });
        return found == symbols().end() ? nullptr : &*found;
    };
    if (const Symbol* found = named(name)) {
        return found;
    }
    // Nouns take a plural; "Bs" or "clks" are not words.
    const bool noun = name == "SMs" || name == "CTAs" || name == "registers" || name == "threads" ||
                      name == "columns" || name == "instructions" || name == "slots" ||
                      name == "partitions";
    return noun ? named(name.substr(0, name.size() - 1)) : nullptr;
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Result<Symbol> parse_symbol(std::string_view name) {
    if (const Symbol* found = find_symbol(name)) {
        return *found;
    }
    const std::string nearest = nearest_name(name, unit_symbols());
    return fail(FailureKind::input, fmt::format("unknown unit '{}'", name),
                nearest.empty() ? "units are e.g. B, KiB, GB, clk, B/clk, /clk, MHz, us, TB/s, W"
                                : fmt::format("did you mean '{}'?", nearest));
}

}  // namespace

const std::vector<std::string>& unit_symbols() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Symbol& symbol : symbols()) {
            all.push_back(symbol.name);
        }
        return all;
    }();
    return names;
}

Result<MeasurementUnit> parse_unit(std::string_view text) {
    const std::string_view whole = trim(text);
    if (whole.empty()) {
        return fail(FailureKind::input, "a unit is missing");
    }
    const auto slash = whole.find('/');
    MeasurementUnit unit;
    const std::string_view numerator = trim(whole.substr(0, slash));
    if (!numerator.empty()) {
        auto symbol = parse_symbol(numerator);
        if (!symbol) {
            return tl::unexpected<Failure>(std::move(symbol.error()));
        }
        unit = {symbol->name, symbol->scale, symbol->dimension};
    }
    if (slash != std::string_view::npos) {
        auto symbol = parse_symbol(trim(whole.substr(slash + 1)));
        if (!symbol) {
            return tl::unexpected<Failure>(std::move(symbol.error()));
        }
        unit.text += "/" + symbol->name;
        unit.scale /= symbol->scale;
        unit.dimension = unit.dimension / symbol->dimension;
    }
    return unit;
}

std::string dimension_text(const Dimension& dimension) {
    if (dimension == Dimension{}) {
        return "a plain ratio (x)";
    }
    if (dimension == Dimension::of(BaseUnit::clock) / Dimension::of(BaseUnit::second)) {
        return "Hz";
    }
    std::string above;
    std::string below;
    for (std::size_t i = 0; i < base_unit_count; ++i) {
        const int exponent = +dimension.exponents.at(i);  // a number, not a character
        const std::string power = std::abs(exponent) > 1
                                      ? fmt::format("{}^{}", base_names.at(i), std::abs(exponent))
                                      : std::string(base_names.at(i));
        std::string& side = exponent > 0 ? above : below;
        if (exponent != 0) {
            side += side.empty() ? power : " " + power;
        }
    }
    return below.empty() ? above : fmt::format("{}/{}", above, below);
}

}  // namespace warpline
