#include "warpline/reports/summary_sections.hpp"

#include "warpline/reports/accounts.hpp"
#include "warpline/reports/comparison_summary.hpp"
#include "warpline/reports/phrases.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double bar_cells = 20.0;
constexpr std::size_t shown_stalls = 3;
constexpr std::size_t shown_stretches = 14;
constexpr double least_share = 0.005;  ///< would be printed as 0 %

std::string bar(double share) {
    const auto cells =
        static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * bar_cells));
    return std::string(cells, '#') + std::string(static_cast<std::size_t>(bar_cells) - cells, '.');
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

/// Keeps the longest stretches in order of the cycle; the others are added up.
std::vector<CycleStretch> longest_stretches(std::vector<CycleStretch> stretches, double& left_out) {
    left_out = 0.0;
    if (stretches.size() <= shown_stretches) {
        return stretches;
    }
    std::vector<double> sorted;
    for (const CycleStretch& stretch : stretches) {
        sorted.push_back(stretch.cycles);
    }
    std::sort(sorted.rbegin(), sorted.rend());
    const double least = sorted[shown_stretches - 1];
    std::vector<CycleStretch> kept;
    for (CycleStretch& stretch : stretches) {
        if (stretch.cycles >= least && kept.size() < shown_stretches) {
            kept.push_back(std::move(stretch));
        } else {
            left_out += stretch.cycles;
        }
    }
    return kept;
}

}  // namespace

std::string kernel_section(const Prediction& prediction, const Style& style) {
    if (prediction.kernels.empty()) {
        return "";
    }
    Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
                 Align::left});
    table.add({"", "time", "share", "counted", "executed", "of peak", "bound by"});
    const auto share = [&](double seconds) {
        return percent(prediction.seconds > 0.0 ? seconds / prediction.seconds : 0.0);
    };
    const auto sides = [&](bool after) {
        for (const SideTime& side : prediction.side_times) {
            if (side.after == after) {
                table.add({cut_to(printable(side.name), 20), time_text(side.seconds),
                           share(side.seconds)});
            }
        }
    };
    sides(false);
    for (const Prediction& kernel : prediction.kernels) {
        table.add({cut_to(printable(kernel.kernel), 20), time_text(kernel.seconds),
                   share(kernel.seconds), fmt::format("{:.1f}", kernel.tflops),
                   fmt::format("{:.1f}", executed_tflops(kernel)), percent(kernel.utilization),
                   cut_to(printable(kernel.bound_by), 38)});
    }
    sides(true);
    const std::string more = fmt::format(
        "{:.3f} times the counted work is executed. `warpline predict {}` shows one "
        "kernel's critical cycle, roles, waves and budgets, and takes --gantt.",
        prediction.counted_flops > 0.0 ? prediction.executed_flops / prediction.counted_flops : 0.0,
        prediction.kernels.front().kernel);
    return style.bold("Kernels, one after the other; TFLOP/s counted and executed") + "\n" +
           table.text("  ") + wrap(printable(more), summary_width, "  ");
}

std::string unit_section(const Prediction& prediction, const Style& style) {
    Table table({Align::left, Align::right, Align::left, Align::right, Align::right, Align::left});
    table.add({"unit", "busy", "", "cycles/step", "only this limits", ""});
    bool any = false;
    for (const UnitReport& unit : prediction.units) {
        if (!(unit.demand_cycles > 0.0) && !(unit.busy > 0.0)) {
            continue;
        }
        any = true;
        const bool binds = unit.unit == prediction.steady_roofline.bound;
        const std::string name(unit_name(unit.unit));
        table.add({binds ? style.bold(name) : name, percent(unit.busy), bar(unit.busy),
                   fmt::format("{:.1f}", unit.demand_cycles),
                   std::isfinite(unit.only_this_limits)
                       ? fmt::format("{:.0f} TFLOP/s", unit.only_this_limits)
                       : std::string("-"),
                   style.dim(unit_phrase(unit.unit))});
    }
    return any ? style.bold("Units in the steady loop") + "\n" + table.text("  ") : "";
}

std::string cycle_section(const Prediction& prediction, const Style& style) {
    const RecurrenceBound& bound = prediction.recurrence;
    if (bound.critical_cycle.empty()) {
        return "";
    }
    double left_out = 0.0;
    const auto all = cycle_stretches(bound);
    double total = 0.0;
    for (const CycleStretch& stretch : all) {
        total += stretch.cycles;
    }
    Table table({Align::right, Align::left, Align::left});
    for (const CycleStretch& stretch : longest_stretches(all, left_out)) {
        table.add({fmt::format("{:.1f}", stretch.cycles), cut_to(printable(stretch.label), 44),
                   cut_to(printable(stretch.reason), 38)});
    }
    if (left_out > 0.0) {
        table.add({fmt::format("{:.1f}", left_out), "in shorter stretches", ""});
    }
    return style.bold(fmt::format("Critical cycle: each needs the one before, {:.1f} cycles around",
                                  total)) +
           fmt::format(" ({:.1f} a step)\n",
                       bound.cycle_ticks_per_block / static_cast<double>(ticks_per_cycle)) +
           table.text("  ");
}

std::string stall_section(const Prediction& prediction, const Style& style) {
    const std::vector<RoleAccount> accounts = role_accounts(prediction.schedule);
    if (accounts.empty()) {
        return "";
    }
    Table table({Align::left, Align::right, Align::left});
    table.add({"role", "issuing", "waits for"});
    for (const RoleAccount& account : accounts) {
        std::string waits;
        for (std::size_t i = 0; i < std::min(shown_stalls, account.stalls.size()); ++i) {
            const auto& [cause, share] = account.stalls[i];
            if (share < least_share) {
                break;
            }
            waits += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ",
                                 cause_phrase(prediction.plan, cause), 100.0 * share);
        }
        table.add({cut_to(printable(role_label(prediction.plan, account.role)), 16),
                   percent(account.busy), cut_to(printable(waits), 70)});
    }
    return style.bold("Roles, over the whole simulated run") + "\n" + table.text("  ");
}

std::string wave_section(const Prediction& prediction, const Style& style) {
    const WaveSummary& waves = prediction.waves;
    std::string text = style.bold("Waves") + "\n";
    text += fmt::format("  {} tiles on {} slots: {:.2f} waves; SMs busy {} of the kernel's time\n",
                        grouped(static_cast<double>(waves.tiles)),
                        grouped(static_cast<double>(waves.slots)), waves.waves,
                        prediction.makespan_cycles > 0.0
                            ? percent(waves.mean_active_cycles / prediction.makespan_cycles)
                            : std::string("-"));
    text += fmt::format("  tile of the longest class: first {}, middle {}, last {} cycles\n",
                        grouped(waves.first_tile_cycles), grouped(waves.middle_tile_cycles),
                        grouped(waves.last_tile_cycles));
    if (waves.turn_wait_cycles > 0.0) {
        text += fmt::format("  turns: waiting for them is {} of the kernel's time\n",
                            percent(waves.turn_wait_cycles / prediction.makespan_cycles));
    }
    text += fmt::format("  memory: {} from HBM, {} through L2{}\n", byte_text(waves.hbm_bytes),
                        byte_text(waves.l2_bytes),
                        !waves.memory_bound ? ""
                        : waves.l2_bound    ? "; L2 sets the time"
                                            : "; HBM sets the time");
    if (waves.fetched_code_share > 0.0) {
        text += fmt::format("  machine code: {} a tile, {} of it fetched again for each{}\n",
                            byte_text(waves.code_bytes), percent(waves.fetched_code_share),
                            waves.fetch_bound ? "; that sets the time" : "");
    }
    return text;
}

std::string power_section(const Prediction& prediction, const Style& style) {
    if (!prediction.power) {
        return "";
    }
    const PowerAccount& power = *prediction.power;
    Table table({Align::left, Align::right, Align::right});
    for (const PowerAccount::Part& part : power.parts) {
        table.add({part.name, fmt::format("{:.0f} W", part.watts),
                   percent(power.watts > 0.0 ? part.watts / power.watts : 0.0)});
    }
    const bool held = prediction.clock.hz < power.ceiling;
    return style.bold(fmt::format("Power: {:.0f} of {:.0f} W{}", power.watts, power.limit_watts,
                                  held ? fmt::format(", which holds the clock under {:.0f} MHz",
                                                     megahertz(power.ceiling))
                                       : std::string())) +
           "\n" + table.text("  ");
}

std::string budget_section(const Prediction& prediction, const Style& style) {
    if (prediction.plan.budgets.empty()) {
        return "";
    }
    Table table({Align::left, Align::right, Align::left, Align::right, Align::left});
    for (const Budget& budget : prediction.plan.budgets) {
        const double share =
            budget.limit > 0 ? static_cast<double>(budget.used) / static_cast<double>(budget.limit)
                             : 0.0;
        table.add({printable(budget.name), grouped(static_cast<double>(budget.used)),
                   fmt::format("of {} {}", grouped(static_cast<double>(budget.limit)),
                               printable(budget.unit)),
                   fmt::format("{:.0f} %", 100.0 * share), cut_to(printable(budget.detail), 44)});
    }
    return style.bold("Budgets") + "\n" + table.text("  ");
}

std::string nearest_section(const std::vector<ComparedRow>& rows, const Style& style) {
    if (rows.empty()) {
        return "";
    }
    Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::left});
    table.add({"", "", "measured", "predicted", "error", ""});
    bool guessed_clock = false;
    for (const ComparedRow& row : rows) {
        guessed_clock = guessed_clock || row.clock_source != ClockSource::measured;
        const auto value = [&](double ms, double cycles) {
            return row.by_time ? fmt::format("{:.4g} ms", ms) : grouped(cycles) + " cyc";
        };
        table.add({cut_to(printable(row.row.gpu), 10), cut_to(describe(row.row.problem), 46),
                   value(row.measured_ms, row.measured_cycles),
                   value(row.predicted_ms, row.predicted_cycles),
                   fmt::format("{:+.1f} %", 100.0 * row.error),
                   row.clock_source == ClockSource::measured ? "" : "*"});
    }
    std::string text =
        style.bold("Nearest measurements, and the model's error on them") + "\n" + table.text("  ");
    if (guessed_clock) {
        text += style.dim("  * its clock is not known: " + assumed_clocks(rows)) + "\n";
    }
    return text;
}

std::string assumption_section(const Prediction& prediction, const Style& style) {
    if (prediction.assumptions.empty()) {
        return "";
    }
    std::string text = style.bold("Assumptions") + "\n";
    for (const std::string& assumption : prediction.assumptions) {
        text += wrap(printable(assumption), summary_width, "  - ");
    }
    return text;
}

std::string provenance_section(const Prediction& prediction, const Style& style) {
    const std::string text = fmt::format("warpline {}; {} constants {}; {} pipeline {}",
                                         prediction.version, prediction.gpu, prediction.spec_hash,
                                         prediction.plan.kernel, prediction.plan.hash);
    return style.dim(cut_to(printable(text), summary_width)) + "\n";
}

}  // namespace warpline
