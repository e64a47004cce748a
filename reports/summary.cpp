#include "warpline/reports/summary.hpp"

#include "warpline/reports/accounts.hpp"
#include "warpline/reports/phrases.hpp"
#include "warpline/reports/summary_sections.hpp"

#include <algorithm>
#include <cmath>

#include <boost/rational.hpp>
#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t max_causes = 3;
constexpr double least_share = 0.005;  ///< would be printed as 0 %

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

std::string peak_section(const Prediction& prediction, const Style& style) {
    const PeakShares shares = peak_shares(prediction);
    Table table({Align::right, Align::left, Align::left, Align::left});
    const auto row = [&](double share, const char* what, std::string detail) {
        const auto cells = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 25));
        table.add({percent(share), what, std::string(cells, '#'), std::move(detail)});
    };
    row(shares.counted, "counted work",
        fmt::format("{:.1f} TFLOP/s by flash-attention's convention", prediction.tflops));
    const bool more_products = !prediction.kernels.empty() || prediction.plan.counted_share < 1.0;
    if (shares.not_counted < 0.0) {
        row(shares.not_counted, "not executed", "counted by the convention, not executed");
    } else if (more_products) {
        row(shares.not_counted, "not counted", "masked, padded, and products that are not counted");
    } else {
        row(shares.not_counted, "masked, padded", "executed but not counted");
    }
    if (shares.steady_idle) {
        row(*shares.steady_idle, "tensor core waits", "in the steady loop");
    }
    row(shares.other, "around the loop", "starts and ends of tiles, masked steps");
    row(shares.idle_sms, "SMs without work", "waves and tail");
    row(shares.launch, "launch", "outside the kernel");
    return style.bold("Where the peak goes") + "\n" + table.text("  ");
}

std::string blame(const std::vector<RoleAccount::Stall>& causes, const KernelPlan& plan) {
    std::string text;
    std::size_t named = 0;
    for (const auto& [cause, share] : causes) {
        if (cause.kind == Cause::Kind::finished || cause.kind == Cause::Kind::none ||
            share < least_share) {
            continue;
        }
        if (named++ == max_causes) {
            break;
        }
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", cause_phrase(plan, cause),
                            100.0 * share);
    }
    return text;
}

/// The first answer, and what each of the others adds to the one before it.
std::string answers_section(const Prediction& prediction, const Style& style) {
    const SteadyAnswers& steady = prediction.steady;
    const Unit bound = prediction.steady_roofline.bound;
    Table table({Align::left, Align::right, Align::right, Align::left});
    table.add({"roofline", fmt::format("{:.1f}", steady.roofline), "",
               fmt::format("{} needed longest", unit_phrase(bound))});
    const double latency = steady.recurrence - steady.roofline;
    table.add({"recurrence", fmt::format("{:.1f}", steady.recurrence),
               fmt::format("{:+.1f}", latency),
               prediction.recurrence.unit_bound || latency < 0.05
                   ? "latency and buffers allow the unit's rate"
                   : "latency, or too few buffers: the critical cycle"});
    const double contention = steady.simulated - steady.recurrence;
    table.add(
        {"simulated", fmt::format("{:.1f}", steady.simulated), fmt::format("{:+.1f}", contention),
         contention < 0.05 ? "no contention" : "contention for shared units and issue order"});
    std::string text = style.bold(fmt::format("Cycles per step of {} x {}, three answers",
                                              steady.rows, steady.block)) +
                       "\n" + table.text("  ");
    if (!prediction.waves.loop_runs) {
        text += "  This problem has no blocks: what its loop would take on a long tile.\n";
        return text;
    }
    const std::string causes =
        printable(blame(unit_over_run(prediction.schedule, bound).idle, prediction.plan));
    if (!causes.empty()) {
        text += wrap(causes, summary_width, fmt::format("  {} idle: ", unit_phrase(bound)));
    }
    return text;
}

std::string clock_line(const Prediction& prediction) {
    const ClockChoice& clock = prediction.clock;
    std::string text = fmt::format("clock {:.0f} MHz", megahertz(clock.hz));
    if (clock.low && clock.high) {
        text += fmt::format(" ({:.0f} to {:.0f})", megahertz(*clock.low), megahertz(*clock.high));
    }
    if (!clock.origin.empty()) {
        text += ": " + printable(clock.origin);
    }
    return wrap(text, summary_width, "  ");
}

std::string head_section(const Prediction& prediction, const Style& style) {
    std::string text =
        style.bold(printable(prediction.kernel) + " on " + printable(prediction.gpu)) + "   " +
        printable(describe(prediction.problem)) + "\n\n";
    text += "  " + style.bold(headline(prediction)) + "\n";
    text += wrap("bound by " + printable(prediction.bound_by), summary_width, "  ");
    text += wrap(fmt::format("{} cycles from first launch to last exit, {} active on the mean SM",
                             grouped(prediction.makespan_cycles),
                             grouped(prediction.waves.mean_active_cycles)),
                 summary_width, "  ");
    return text + clock_line(prediction);
}

void add(std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

std::string headline(const Prediction& prediction) {
    const std::string executed =
        prediction.kernels.empty() ? ""
                                   : fmt::format(", {:.1f} executed", executed_tflops(prediction));
    return fmt::format("{}   {:.1f} TFLOP/s counted{}   {} of peak executed @ {:.0f} MHz",
                       time_text(prediction.seconds), prediction.tflops, executed,
                       percent(prediction.utilization), megahertz(prediction.clock.hz));
}

std::string summary_text(const Prediction& prediction, const Style& style,
                         const std::vector<ComparedRow>& nearest) {
    std::vector<std::string> sections = {head_section(prediction, style),
                                         peak_section(prediction, style),
                                         kernel_section(prediction, style)};
    if (prediction.kernels.empty()) {
        add(sections, {answers_section(prediction, style), unit_section(prediction, style),
                       cycle_section(prediction, style), stall_section(prediction, style),
                       wave_section(prediction, style)});
    }
    for (const Prediction& kernel : prediction.kernels) {
        const std::string name = style.bold(printable(kernel.kernel)) + "\n";
        add(sections, {name + answers_section(kernel, style), unit_section(kernel, style)});
    }
    add(sections, {power_section(prediction, style), budget_section(prediction, style),
                   nearest_section(nearest, style), assumption_section(prediction, style),
                   provenance_section(prediction, style)});
    std::string text;
    for (const std::string& section : sections) {
        text += (text.empty() || section.empty() ? "" : "\n") + section;
    }
    return text;
}

}  // namespace warpline
