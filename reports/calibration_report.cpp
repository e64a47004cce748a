#include "warpline/reports/calibration_report.hpp"

#include "warpline/reports/comparison_report.hpp"
#include "warpline/reports/phrases.hpp"

#include <vector>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t report_width = 100;

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

std::string interval_text(double low, double high) {
    return fmt::format("{:.4g} .. {:.4g}", low, high);
}

std::string mark(const CalibratedConstant& constant) {
    switch (constant.rests_on) {
        case RangeEnd::low:
            return "rests on the low end";
        case RangeEnd::high:
            return "rests on the high end";
        case RangeEnd::none:
            break;
    }
    return constant.determined() ? "" : "not determined: any of its range";
}

std::string constant_table(const Calibration& calibration, const Style& style) {
    Table table({Align::left, Align::right, Align::right, Align::left, Align::left, Align::left,
                 Align::left});
    table.add({"constant", "before", "fitted", "unit", "95 % interval", "range", ""});
    for (const CalibratedConstant& constant : calibration.constants) {
        const Constant& stated = constant.stated;
        table.add({stated.key, fmt::format("{:.4g}", stated.value),
                   fmt::format("{:.4g}", constant.fitted), stated.unit,
                   interval_text(constant.low, constant.high),
                   interval_text(*stated.low, *stated.high), style.warn(mark(constant))});
    }
    return table.text("");
}

std::string error_table(const Calibration& calibration) {
    Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
                 Align::right, Align::right});
    table.add({"rows", "", "mean |error|", "after", "largest", "after", "bias", "after"});
    const auto add = [&](const CalibratedSide& side, const char* role) {
        if (side.after.rows == 0) {
            return;
        }
        table.add({fmt::format("{} ({})", split_name(side.split), role),
                   fmt::format("{}", side.after.rows), percent(side.before.mean_absolute),
                   percent(side.after.mean_absolute), percent(side.before.max_absolute),
                   percent(side.after.max_absolute),
                   fmt::format("{:+.1f} %", 100 * side.before.bias),
                   fmt::format("{:+.1f} %", 100 * side.after.bias)});
    };
    add(calibration.fitted, "fitted");
    add(calibration.held_out, "held out");
    return table.text("");
}

std::string megahertz(const FittedClock& clock) {
    return fmt::format("{:.0f}{}", boost::rational_cast<double>(clock.clock) / 1e6,
                       clock.at_bound ? " !" : "");
}

std::string clock_table(const Calibration& calibration, const Style& style) {
    if (calibration.clocks.empty()) {
        return {};
    }
    Table table({Align::left, Align::left, Align::left, Align::left, Align::right, Align::right});
    table.add({"file", "kernel", "dir", "mask", "MHz before", "after"});
    bool bound = false;
    for (const CalibratedClock& clock : calibration.clocks) {
        bound = bound || clock.before.at_bound || clock.after.at_bound;
        table.add({cut_to(printable(clock.file), 44), cut_to(printable(clock.kernel), 16),
                   clock.direction == Direction::forward ? "fwd" : "bwd",
                   std::string(mask_name(clock.mask)), megahertz(clock.before),
                   megahertz(clock.after)});
    }
    return "\n" + style.bold("Clocks of rows that state none, fitted with the constants") + "\n" +
           table.text("") + (bound ? style.dim("! rests on the GPU's plausible range") + "\n" : "");
}

std::string verdict(const Calibration& calibration, const Style& style) {
    if (calibration.succeeded()) {
        return {};
    }
    std::string text = "\n" + style.warn("The calibration failed") + "\n";
    const auto add = [&](const std::string& reason) { text += wrap(reason, report_width, "  - "); };
    if (!calibration.settled) {
        add(fmt::format("not settled after {} iterations", calibration.iterations));
    }
    for (const CalibratedConstant& constant : calibration.constants) {
        if (constant.rests_on != RangeEnd::none) {
            add(
                fmt::format("{} rests on an end of its range: the range decided, not the rows; "
                            "another mechanism is wrong, or the range is",
                            constant.stated.key));
        }
    }
    for (const CalibratedClock& clock : calibration.clocks) {
        if (clock.after.at_bound) {
            add(
                fmt::format("the clock of {} {} in {} rests on an end of its range (wanted: {:.0f} "
                            "MHz)",
                            printable(clock.kernel), mask_name(clock.mask), printable(clock.file),
                            clock.after.wanted_mhz));
        }
    }
    return text;
}

}  // namespace

std::string calibration_text(const Calibration& calibration, const Style& style) {
    std::string text =
        style.bold(fmt::format("Constants of {} that bring predictions closest to {} rows",
                               printable(calibration.gpu), calibration.fitted.after.rows)) +
        "\n" + constant_table(calibration, style);
    text += "\n" + style.bold("Errors of durations: positive is predicted too slow") + "\n" +
            error_table(calibration);
    text += clock_table(calibration, style);
    if (!calibration.unusable.empty()) {
        text += "\n" + style.bold(fmt::format("{} rows not used", calibration.unusable.size())) +
                "\n" + unusable_rows_text(calibration.unusable);
    }
    return text + verdict(calibration, style);
}

}  // namespace warpline
