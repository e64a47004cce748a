#include "warpline/reports/tune_report.hpp"

#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t width = 100;

std::string choice_text(const Tuning& tuning, const TunedPoint& point) {
    std::string text;
    for (std::size_t i = 0; i < tuning.axes.size(); ++i) {
        text += (i == 0 ? "" : " ") + tuning.axes[i].name + "=" + point.values[i];
    }
    return printable(text);
}

std::string axis_text(const TunedAxis& axis, double best) {
    Table table({Align::right, Align::right, Align::left});
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const auto& seconds = axis.seconds[i];
        table.add({printable(axis.values[i]),
                   seconds ? fmt::format("{:+.2f} %", 100.0 * (*seconds / best - 1.0)) : "-",
                   seconds && *seconds == best ? "<" : ""});
    }
    return table.text("    ");
}

}  // namespace

std::string tune_text(const Tuning& tuning, const Style& style) {
    const TunedPoint& best = tuning.best;
    std::string text = style.bold(choice_text(tuning, best)) + "\n\n";
    text += fmt::format("  {}   {:.3f}x of {} as the kernel is; bound by {}\n",
                        time_text(best.seconds), tuning.default_seconds / best.seconds,
                        time_text(tuning.default_seconds), best.bound_by);
    if (tuning.runner_up) {
        text += fmt::format("  runner-up {}   {:+.2f} %\n", choice_text(tuning, *tuning.runner_up),
                            100.0 * (tuning.runner_up->seconds / best.seconds - 1.0));
    }
    const std::string points =
        tuning.points < 0 ? "more than 2^62" : fmt::format("{}", tuning.points);
    text +=
        wrap(tuning.proved
                 ? fmt::format("Proved: all {} points were tried; {} cannot be, {} are within "
                               "1 % of the best.",
                               points, tuning.impossible, tuning.within_1_percent)
                 : fmt::format("Best found, not proved: coordinate descent from five starts "
                               "tried {} of {} points; {} cannot be, {} are within 1 % of the "
                               "best.",
                               tuning.tried, points, tuning.impossible, tuning.within_1_percent),
             width, "  ");
    text += "\n" + style.bold("Along each axis, the others at the optimum") + "\n";
    for (const TunedAxis& axis : tuning.axes) {
        text += "  " + printable(axis.name) + "\n" + axis_text(axis, best.seconds);
    }
    return text;
}

}  // namespace warpline
