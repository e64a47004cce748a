#include "warpline/reports/plan_report.hpp"

#include "warpline/reports/phrases.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t width = 100;
constexpr std::size_t longest_cause = 60;

/// Whether the designs differ in their i-th value.
bool varies(const DesignPlan& plan, std::size_t i) {
    return std::any_of(plan.ranked.begin(), plan.ranked.end(), [&](const PlannedDesign& design) {
        return design.values[i] != plan.ranked.front().values[i];
    });
}

std::string constant_values(const DesignPlan& plan) {
    std::string text;
    for (std::size_t i = 0; i < plan.names.size(); ++i) {
        if (!varies(plan, i)) {
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", printable(plan.names[i]),
                                plan.ranked.front().values[i]);
        }
    }
    return text;
}

std::string budget_cell(const Budget& budget) {
    return grouped(static_cast<double>(budget.used));
}

/// "153: 120 to 200 / 64 to 128": how many, and the range of each.
std::string splits_text(const PlannedDesign& design) {
    const auto& splits = design.register_splits;
    if (splits.empty()) {
        return "-";
    }
    std::string text = fmt::format("{}:", splits.size());
    for (std::size_t i = 0; i < splits.front().size(); ++i) {
        const auto [least, most] =
            std::minmax_element(splits.begin(), splits.end(),
                                [&](const auto& a, const auto& b) { return a[i] < b[i]; });
        text += fmt::format("{} {} to {}", i == 0 ? "" : " /", (*least)[i], (*most)[i]);
    }
    return text;
}

std::string table_text(const DesignPlan& plan, std::size_t shown) {
    std::vector<std::string> head = {"rank"};
    std::vector<Align> columns = {Align::right};
    const auto column = [&](std::string name, Align align) {
        head.push_back(std::move(name));
        columns.push_back(align);
    };
    std::vector<std::size_t> varying;
    for (std::size_t i = 0; i < plan.names.size(); ++i) {
        if (varies(plan, i)) {
            varying.push_back(i);
            column(printable(plan.names[i]), Align::right);
        }
    }
    for (const char* name : {"time", "TFLOP/s", "of peak"}) {
        column(name, Align::right);
    }
    for (const Budget& budget : plan.ranked.front().budgets) {
        column(printable(budget.name), Align::right);
    }
    column("bound by", Align::left);
    Table table(columns);
    table.add(head);
    std::vector<std::string> limits(4 + varying.size());
    limits[3 + varying.size()] = "of";
    for (const Budget& budget : plan.ranked.front().budgets) {
        limits.push_back(grouped(static_cast<double>(budget.limit)));
    }
    table.add(limits);
    for (std::size_t rank = 0; rank < shown; ++rank) {
        const PlannedDesign& design = plan.ranked[rank];
        std::vector<std::string> row = {fmt::format("{}{}", design.as_it_is ? "*" : "", rank + 1)};
        for (const std::size_t i : varying) {
            row.push_back(fmt::format("{}", design.values[i]));
        }
        row.push_back(time_text(design.seconds));
        row.push_back(fmt::format("{:.1f}", design.tflops));
        row.push_back(fmt::format("{:.1f} %", 100.0 * design.utilization));
        for (const Budget& budget : design.budgets) {
            row.push_back(budget_cell(budget));
        }
        row.push_back(cut_to(printable(design.bound_by), longest_cause));
        table.add(std::move(row));
    }
    return table.text("  ");
}

std::string registers_text(const DesignPlan& plan, std::size_t shown, const Style& style) {
    if (plan.register_names.empty()) {
        return {};
    }
    std::string names;
    for (const std::string& name : plan.register_names) {
        names += (names.empty() ? "" : " / ") + printable(name);
    }
    std::string text = "\n" + style.bold("Register splits that fit") + ": how many, and " + names +
                       "; they change no time\n";
    Table table({Align::right, Align::left});
    for (std::size_t rank = 0; rank < shown; ++rank) {
        if (!plan.ranked[rank].register_splits.empty()) {
            table.add({fmt::format("{}", rank + 1), splits_text(plan.ranked[rank])});
        }
    }
    return text + table.text("  ");
}

std::string refused_text(const DesignPlan& plan, const Style& style) {
    if (plan.refused.empty()) {
        return {};
    }
    std::string text = "\n" + style.bold("Designs that cannot be") + "\n";
    Table table({Align::right, Align::left});
    for (const RefusedDesigns& refused : plan.refused) {
        table.add({fmt::format("{}", refused.designs), cut_to(printable(refused.reason), width)});
        if (!refused.nearest.empty()) {
            table.add({"", "nearest: " + printable(refused.nearest)});
        }
    }
    return text + table.text("  ");
}

}  // namespace

std::string plan_headline(const DesignPlan& plan) {
    const PlannedDesign& best = plan.ranked.front();
    std::string text;
    for (std::size_t i = 0; i < plan.names.size(); ++i) {
        text += fmt::format("{}={} ", printable(plan.names[i]), best.values[i]);
    }
    text += fmt::format("  {}   {:.1f} TFLOP/s   {:.1f} % of peak  ", time_text(best.seconds),
                        best.tflops, 100.0 * best.utilization);
    for (const Budget& budget : best.budgets) {
        text += fmt::format(" {} {} of {},", printable(budget.name), budget.used, budget.limit);
    }
    return text + fmt::format(" {} of {} designs fit, bound by {}\n", plan.ranked.size(),
                              plan.tried, printable(best.bound_by));
}

std::string plan_text(const DesignPlan& plan, std::size_t top, const Style& style) {
    const std::size_t shown = std::min(top, plan.ranked.size());
    std::string text =
        style.bold(fmt::format("{} on {}", printable(plan.kernel), printable(plan.gpu))) + "   " +
        describe(plan.problem) + "\n\n";
    text += fmt::format("  {} designs, {} fit; the {} fastest at {:.0f} MHz{}\n", plan.tried,
                        plan.ranked.size(), shown, megahertz(plan.clock.hz),
                        std::any_of(plan.ranked.begin(), plan.ranked.end(),
                                    [](const auto& design) { return design.as_it_is; })
                            ? " (*: the kernel as it is)"
                            : "");
    if (const std::string constant = constant_values(plan); !constant.empty()) {
        text += "  all with " + constant + "\n";
    }
    text += "\n" + table_text(plan, shown) + registers_text(plan, shown, style) +
            refused_text(plan, style);
    const PlannedDesign& best = plan.ranked.front();
    if (!best.set.empty()) {
        text += "\n" + style.bold("The best, in full") + "\n  warpline predict " +
                printable(plan.kernel);
        for (const ParameterOverride& one : best.set) {
            text += fmt::format(" --set {}={}", printable(one.name), printable(one.expression));
        }
        text += " and the options of this call\n";
    }
    return text;
}

}  // namespace warpline
