#include "warpline/reports/accounts.hpp"
#include "warpline/reports/phrases.hpp"
#include "warpline/reports/report_subject.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

using Rows = std::vector<std::vector<TableCell>>;
using RowsOf = std::function<Rows(const ReportSubject&)>;

Rows headline_rows(const ReportSubject& subject) {
    const Prediction& p = subject.prediction;
    const auto row = [](const char* what, double value, const char* unit) {
        return std::vector<TableCell>{text_cell(what), number_cell(value), text_cell(unit)};
    };
    return {row("time", p.seconds * 1e3, "ms"),
            row("rate, flash-attention's convention", p.tflops, "TFLOP/s"),
            row("peak executed", 100.0 * p.utilization, "%"),
            row("clock", megahertz(p.clock.hz), "MHz"),
            row("first launch to last exit", p.makespan_cycles, "cycles"),
            row("active on the mean SM", p.waves.mean_active_cycles, "cycles"),
            row("tiles", static_cast<double>(p.waves.tiles), ""),
            row("waves", p.waves.waves, ""),
            row("first tile", p.waves.first_tile_cycles, "cycles"),
            row("middle tile", p.waves.middle_tile_cycles, "cycles"),
            row("last tile", p.waves.last_tile_cycles, "cycles"),
            row("HBM traffic", p.waves.hbm_bytes, "B"),
            row("L2 traffic", p.waves.l2_bytes, "B")};
}

Rows answer_rows(const ReportSubject& subject) {
    const SteadyAnswers& steady = subject.prediction.steady;
    return {{text_cell("roofline"), number_cell(steady.roofline),
             text_cell(fmt::format("{} needed longest",
                                   unit_phrase(subject.prediction.steady_roofline.bound)))},
            {text_cell("recurrence"), number_cell(steady.recurrence),
             text_cell("what latency and buffering allow")},
            {text_cell("simulated"), number_cell(steady.simulated),
             text_cell("with contention and issue order")}};
}

Rows peak_rows(const ReportSubject& subject) {
    Rows rows;
    for (const auto& [what, share] : named_shares(peak_shares(subject.prediction))) {
        rows.push_back({text_cell(what), number_cell(share)});
    }
    return rows;
}

Rows unit_rows(const ReportSubject& subject) {
    Rows rows;
    for (const UnitReport& unit : subject.prediction.units) {
        if (unit.demand_cycles > 0.0 || unit.busy > 0.0) {
            rows.push_back({text_cell(unit_phrase(unit.unit)), number_cell(unit.busy),
                            number_cell(unit.demand_cycles), number_cell(unit.only_this_limits)});
        }
    }
    return rows;
}

Rows stall_rows(const ReportSubject& subject) {
    const Prediction& p = subject.prediction;
    Rows rows;
    for (const RoleAccount& account : role_accounts(p.schedule)) {
        rows.push_back({text_cell(role_label(p.plan, account.role)), text_cell("issuing"),
                        number_cell(account.busy)});
        for (const auto& [cause, share] : account.stalls) {
            rows.push_back({text_cell(role_label(p.plan, account.role)),
                            text_cell(cause_phrase(p.plan, cause)), number_cell(share)});
        }
    }
    return rows;
}

Rows cycle_rows(const ReportSubject& subject) {
    Rows rows;
    for (const CycleStretch& stretch : cycle_stretches(subject.prediction.recurrence)) {
        rows.push_back(
            {text_cell(stretch.label), text_cell(stretch.reason), number_cell(stretch.cycles)});
    }
    return rows;
}

Rows budget_rows(const ReportSubject& subject) {
    Rows rows;
    for (const Budget& budget : subject.prediction.plan.budgets) {
        rows.push_back({text_cell(budget.name), number_cell(static_cast<double>(budget.used)),
                        number_cell(static_cast<double>(budget.limit)), text_cell(budget.unit),
                        text_cell(budget.detail)});
    }
    return rows;
}

Rows assumption_rows(const ReportSubject& subject) {
    Rows rows;
    for (const std::string& assumption : subject.prediction.assumptions) {
        rows.push_back({text_cell(assumption)});
    }
    return rows;
}

/// What tells two subjects apart, in numbers and as a ratio.
ReportTable beside(const ReportSubject& first, const ReportSubject& second) {
    ReportTable table{"beside",
                      second.name + " beside " + first.name,
                      {"quantity", "unit", first.name, second.name, "second over first"},
                      {}};
    const auto add = [&](std::string_view what, const char* unit, double before, double after) {
        if (before > 0.0 || after > 0.0) {
            table.rows.push_back({text_cell(what), text_cell(unit), number_cell(before),
                                  number_cell(after), number_cell(after / before)});
        }
    };
    const Prediction& a = first.prediction;
    const Prediction& b = second.prediction;
    add("time", "ms", a.seconds * 1e3, b.seconds * 1e3);
    add("rate, flash-attention's convention", "TFLOP/s", a.tflops, b.tflops);
    add("peak executed", "%", 100.0 * a.utilization, 100.0 * b.utilization);
    add("clock", "MHz", megahertz(a.clock.hz), megahertz(b.clock.hz));
    add("roofline", "cycles per step", a.steady.roofline, b.steady.roofline);
    add("recurrence", "cycles per step", a.steady.recurrence, b.steady.recurrence);
    add("simulated", "cycles per step", a.steady.simulated, b.steady.simulated);
    for (const UnitReport& unit : a.units) {
        const auto other = std::find_if(b.units.begin(), b.units.end(),
                                        [&](const UnitReport& u) { return u.unit == unit.unit; });
        if (other != b.units.end()) {
            add(unit_phrase(unit.unit), "% of a steady step busy", 100.0 * unit.busy,
                100.0 * other->busy);
        }
    }
    return table;
}

}  // namespace

std::vector<ReportTable> subject_tables(const std::vector<ReportSubject>& subjects) {
    std::vector<ReportTable> tables;
    const auto add = [&](const char* id, const char* title, std::vector<std::string> columns,
                         const RowsOf& rows_of) {
        ReportTable table{id, title, std::move(columns), {}};
        const bool several = subjects.size() > 1;
        if (several) {
            table.columns.insert(table.columns.begin(), "case");
        }
        for (const ReportSubject& subject : subjects) {
            for (auto& row : rows_of(subject)) {
                if (several) {
                    row.insert(row.begin(), text_cell(subject.name));
                }
                table.rows.push_back(std::move(row));
            }
        }
        if (!table.rows.empty()) {
            tables.push_back(std::move(table));
        }
    };
    for (std::size_t i = 1; i < subjects.size(); ++i) {
        tables.push_back(beside(subjects.front(), subjects[i]));
    }
    add("headline", "The answer in numbers", {"quantity", "value", "unit"}, headline_rows);
    add("answers", "Cycles per loop step, three answers", {"answer", "cycles", "what it says"},
        answer_rows);
    add("peak", "Where the peak goes", {"what", "share"}, peak_rows);
    add("units", "Units in the steady loop",
        {"unit", "busy share", "cycles needed per step", "TFLOP/s if only this limits"}, unit_rows);
    add("stalls", "Roles over the simulated tile", {"role", "doing", "share"}, stall_rows);
    add("cycle", "The critical cycle: each needs the one before",
        {"operation", "what takes the time", "cycles"}, cycle_rows);
    add("budgets", "Budgets", {"resource", "used", "limit", "unit", "made of"}, budget_rows);
    add("assumptions", "Assumptions", {"assumption"}, assumption_rows);
    return tables;
}

}  // namespace warpline
