#include "warpline/reports/sensitivity_report.hpp"

#include "warpline/device/bound_phrase.hpp"
#include "warpline/reports/summary.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t width = 100;
constexpr std::size_t name_width = 28;
constexpr std::size_t most_contributors = 8;
constexpr double least_reach = 5e-5;

std::string slope_text(const std::optional<double>& slope) {
    return slope ? fmt::format("{:+.3f}", *slope + 0.0) : "-";
}

/// "at 1: 1.034x": of a number that has no elasticity, since it is 0.
std::string jump_text(const SensitivityRow& row, double seconds) {
    const SensitivityStep& step = row.up.reason.empty() ? row.up : row.down;
    return fmt::format("at {:.4g}: {:.3f}x", step.value, step.seconds / seconds);
}

std::string effect_table(const Sensitivity& found, const Style& style) {
    Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
                 Align::left});
    table.add({"number", "value", "elasticity", "up", "down", "ideal", ""});
    for (const SensitivityRow& row : found.rows) {
        if (!row.has_effect(found.base.seconds)) {
            continue;
        }
        const bool known = row.slope_up || row.slope_down;
        table.add({cut_to(row.name, name_width), fmt::format("{:.4g} {}", row.value, row.unit),
                   known ? style.bold(fmt::format("{:+.3f}", row.elasticity())) : "-",
                   slope_text(row.slope_up), slope_text(row.slope_down),
                   row.removed ? fmt::format("{:.3f}x", *row.removed) : "-",
                   known ? (row.kinked() ? "kink" : "") : jump_text(row, found.base.seconds)});
    }
    return table.text("");
}

std::string listed(const Sensitivity& found, bool movable) {
    std::string names;
    for (const SensitivityRow& row : found.rows) {
        const bool moved = row.up.reason.empty() || row.down.reason.empty();
        if (!row.has_effect(found.base.seconds) && moved == movable) {
            names += (names.empty() ? "" : ", ") + row.name;
        }
    }
    return names;
}

std::string only_table(const Prediction& base) {
    Table table({Align::left, Align::right, Align::right});
    table.add({"if only this limits", "TFLOP/s", "busy"});
    for (const UnitReport& unit : base.units) {
        if (std::isfinite(unit.only_this_limits) && unit.only_this_limits > 0.0) {
            table.add({std::string(unit_phrase(unit.unit)),
                       fmt::format("{:.0f}", unit.only_this_limits),
                       fmt::format("{:.0f} %", 100.0 * unit.busy)});
        }
    }
    return table.text("");
}

std::string csv_number(const std::optional<double>& value) {
    return value ? fmt::format("{:.9g}", *value) : std::string();
}

}  // namespace

std::string sensitivity_text(const Sensitivity& found, const Style& style) {
    std::string text = style.bold(fmt::format("{} on {}", found.base.kernel, found.base.gpu)) +
                       "   " + describe(found.base.problem) + "\n  " + headline(found.base) +
                       "\n\n";
    text += wrap(fmt::format("Elasticity: d ln time / d ln number, from steps of {:.3g} % (whole "
                             "numbers: at least one) up and down. -1: twice the number halves the "
                             "time. Ideal: the time with the number a thousand times better, or "
                             "as much better as can be described, as a part of the time now. Kink: "
                             "the two sides differ by more than a tenth.",
                             100.0 * found.step),
                 width, "");
    text += "\n" + effect_table(found, style);
    text += "\n" + only_table(found.base);
    if (const std::string names = listed(found, true); !names.empty()) {
        text += "\n" + wrap("Without effect: " + names + ".", width, "");
    }
    if (const std::string names = listed(found, false); !names.empty()) {
        text += "\n" + wrap("Could not be moved: " + names + ".", width, "");
    }
    return text;
}

std::string sensitivity_csv(const Sensitivity& found) {
    std::string text =
        "name,value,unit,elasticity,slope_up,slope_down,value_up,ms_up,value_down,ms_down,ideal,"
        "reason\n";
    for (const SensitivityRow& row : found.rows) {
        const bool up = row.up.reason.empty(), down = row.down.reason.empty();
        const auto side = [](const SensitivityStep& step, bool there) {
            return there ? fmt::format("{:.9g},{:.9g}", step.value, 1e3 * step.seconds)
                         : std::string(",");
        };
        text += fmt::format("{},{:.9g},{},{:.6g},{},{},{},{},{},{}\n", csv_text(row.name),
                            row.value, csv_text(row.unit), row.elasticity(),
                            csv_number(row.slope_up), csv_number(row.slope_down), side(row.up, up),
                            side(row.down, down), csv_number(row.removed),
                            csv_text(printable(up ? row.down.reason : row.up.reason)));
    }
    return text;
}

std::string uncertainty_text(const Uncertainty& found, const Style& style) {
    std::string text = style.bold("What the specification leaves open") + "\n";
    text += fmt::format("  {} to {}   {:+.1f} % to {:+.1f} %\n", time_text(found.low),
                        time_text(found.high), 100.0 * (found.low / found.seconds - 1.0),
                        100.0 * (found.high / found.seconds - 1.0));
    Table table({Align::left, Align::right, Align::left, Align::right, Align::right});
    table.add({"constant", "value", "interval", "at its low end", "at its high end"});
    std::size_t shown = 0, small = 0;
    for (const UncertaintyRow& row : found.rows) {
        if (shown == most_contributors || row.reach(found.seconds) < least_reach) {
            ++small;
            continue;
        }
        ++shown;
        const auto change = [&](double seconds) {
            return fmt::format("{:+.2f} %", 100.0 * (seconds / found.seconds - 1.0));
        };
        table.add({row.key, fmt::format("{:.4g} {}", row.value, row.unit),
                   fmt::format("{:.4g} .. {:.4g}", row.low, row.high), change(row.seconds_low),
                   change(row.seconds_high)});
    }
    text += table.text("  ");
    text += wrap(fmt::format("Intervals taken as independent; {} more matter less, and {} numbers "
                             "have no interval.",
                             small, found.without_interval),
                 width, "  ");
    return text;
}

}  // namespace warpline
