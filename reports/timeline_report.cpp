#include "warpline/reports/timeline_report.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double large_difference = 0.10;  ///< shown in colour

std::string cycles(const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : "-";
}

std::string difference(const std::optional<double>& measured,
                       const std::optional<double>& simulated, const Style& style) {
    if (!measured || !simulated || *measured <= 0.0) {
        return "";
    }
    const double relative = *simulated / *measured - 1.0;
    const std::string text = fmt::format("{:+.1f} %", 100.0 * relative);
    return std::abs(relative) > large_difference ? style.warn(text) : text;
}

/// What stamps left of the kernel's own pace: the time without them, where that is known.
std::optional<double> deducted(const TimelineComparison& comparison,
                               const std::optional<double>& measured) {
    const auto cost = stamp_cost(comparison.measured);
    return measured && cost ? std::optional(*measured / cost->slowdown) : std::nullopt;
}

/// One quantity: as stamped, with stamps deducted where what they cost is known, and simulated. The
/// difference is that of the simulation from the kernel without stamps.
std::string pace_line(const std::string& name, const TimelineComparison& comparison,
                      const std::optional<double>& measured, const std::optional<double>& simulated,
                      const Style& style) {
    const auto plain = deducted(comparison, measured);
    return fmt::format("{:<18}  {} measured{}, {} simulated  {}\n", name, cycles(measured),
                       plain ? fmt::format(" with stamps, {} without", cycles(plain)) : "",
                       cycles(simulated), difference(plain ? plain : measured, simulated, style));
}

std::string stamp_text(const TimelineComparison& comparison) {
    const auto cost = stamp_cost(comparison.measured);
    if (!cost) {
        return "";
    }
    std::string text = fmt::format(
        "stamps slow a launch down by {:.1f} % ({:.0f} cycles for {:.0f}), which \"without\" "
        "deducts",
        100.0 * (cost->slowdown - 1.0), *comparison.measured.stamped_cycles,
        *comparison.measured.plain_cycles);
    return text +
           (cost->stamp > 0.0
                ? fmt::format(";\na step below includes one stamp, {:.0f} cycles\n", cost->stamp)
                : "\n");
}

/// How long a step takes on both sides: until its end where both know it, else until it is issued.
struct Durations {
    std::optional<double> measured, simulated;
    bool until_issued = false;
};

Durations durations(const StepTime& measured, const StepTime* simulated) {
    const bool ends = measured.duration.has_value();
    Durations both{ends ? measured.duration : measured.issue, std::nullopt, !ends};
    if (simulated != nullptr) {
        both.simulated = ends ? simulated->duration : simulated->issue;
    }
    return both;
}

std::string step_table(const TimelineComparison& comparison, const Style& style) {
    Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                 Align::right, Align::right});
    table.add({"role", "step", "takes", "simulated", "", "begins at", "simulated", "by"});
    bool issued = false;
    for (const StepTime& measured : comparison.measured_times.steps) {
        const StepTime* const simulated =
            comparison.simulated_times.find(measured.role, measured.step);
        const Durations both = durations(measured, simulated);
        issued = issued || both.until_issued;
        const std::optional<double> offset =
            simulated != nullptr ? simulated->offset : std::nullopt;
        table.add(
            {printable(measured.role), printable(measured.step) + (both.until_issued ? " *" : ""),
             cycles(both.measured), cycles(both.simulated),
             difference(both.measured, both.simulated, style), cycles(measured.offset),
             measured.offset ? cycles(offset) : "-",
             measured.offset && offset ? fmt::format("{:+.0f}", *offset - *measured.offset) : ""});
    }
    return table.text("") +
           (issued ? style.dim("* until it is issued: its end is not stamped") + "\n" : "");
}

std::string unit_table(const TimelineComparison& comparison) {
    const auto stamped = comparison.measured_times.interval;
    const auto plain = deducted(comparison, stamped);
    const auto measured = plain ? plain : stamped;
    const auto simulated = comparison.simulated_times.interval;
    if (!measured || !simulated || comparison.simulated_steps == 0) {
        return "";
    }
    Table table({Align::left, Align::right, Align::right, Align::right});
    table.add({"unit", "cycles a step", "busy, measured", "busy, simulated"});
    for (const UnitBusy& unit : comparison.units) {
        const double work = unit.cycles / static_cast<double>(comparison.simulated_steps);
        table.add({std::string(unit_name(unit.unit)), fmt::format("{:.0f}", work),
                   fmt::format("{:.1f} %", 100.0 * work / *measured),
                   fmt::format("{:.1f} %", 100.0 * work / *simulated)});
    }
    return fmt::format("\nUnits: the simulated work of a step over both intervals{}\n",
                       plain ? ", stamps deducted" : "") +
           table.text("  ");
}

}  // namespace

std::string timeline_text(const TimelineComparison& comparison, const Style& style) {
    const Timeline& measured = comparison.measured;
    std::string text =
        style.bold(fmt::format("{} on {}   {}", printable(measured.kernel), printable(measured.gpu),
                               describe(measured.problem))) +
        "\n";
    for (const std::string& note : measured.notes) {
        text += wrap(printable(note), 100, "  ");
        text += text.back() == '\n' ? "" : "\n";
    }
    const auto& before = comparison.measured_times;
    const auto& after = comparison.simulated_times;
    text +=
        "\n" + pace_line("interval of a step", comparison, before.interval, after.interval, style);
    text += pace_line("a whole tile", comparison, before.tile, after.tile, style);
    text += stamp_text(comparison);
    for (const RoleSkew& skew : before.skews) {
        for (const RoleSkew& other : after.skews) {
            if (other.role == skew.role) {
                text += fmt::format("{} after copy 0  {:.0f} measured, {:.0f} simulated\n",
                                    printable(skew.role), skew.skew, other.skew);
            }
        }
    }
    text += "\nCycles, in the middle of a tile's loop; begins are after the role's first step\n";
    return text + step_table(comparison, style) + unit_table(comparison);
}

std::string timeline_csv(const TimelineComparison& comparison) {
    const auto field = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.1f}", *value) : std::string();
    };
    std::string text =
        "role,step,count,measured_duration,simulated_duration,measured_issue,simulated_issue,"
        "measured_begin,simulated_begin,measured_interval,simulated_interval\n";
    for (const StepTime& m : comparison.measured_times.steps) {
        const StepTime* const found = comparison.simulated_times.find(m.role, m.step);
        const StepTime s = found != nullptr ? *found : StepTime{};
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{}\n",
                       csv_text(m.role), csv_text(m.step), m.count, field(m.duration),
                       field(s.duration), field(m.issue), field(s.issue), field(m.offset),
                       field(s.offset), field(m.interval), field(s.interval));
    }
    return text;
}

}  // namespace warpline
