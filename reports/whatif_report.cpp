#include "warpline/reports/whatif_report.hpp"

#include "warpline/device/bound_phrase.hpp"
#include "warpline/reports/shape_label.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t width = 100;
constexpr std::size_t key_width = 30;
constexpr double shown_busy = 0.02;
constexpr double shown_effect = 0.0005;
constexpr double notable = 0.005;
constexpr std::size_t most_columns = 6;  // shapes side by side

std::string factor(const std::optional<double>& speedup) {
    return speedup ? fmt::format("{:.3f}x", *speedup) : "-";
}

std::string colored(const std::optional<double>& speedup, const Style& style) {
    const std::string text = factor(speedup);
    if (!speedup || std::abs(*speedup - 1.0) < notable) {
        return text;
    }
    return *speedup > 1.0 ? style.good(text) : style.warn(text);
}

std::string shape_of(const WhatIfRow& row) {
    return fmt::format("d {} s {} {}", head_dim_label(row.problem), length_label(row.problem),
                       mask_label(row.problem.mask));
}

const WhatIfRow* extreme(const WhatIf& whatif, bool most) {
    const WhatIfRow* found = nullptr;
    for (const WhatIfRow& row : whatif.rows) {
        const auto speedup = row.speedup();
        if (speedup && (found == nullptr ||
                        (most ? *speedup > *found->speedup() : *speedup < *found->speedup()))) {
            found = &row;
        }
    }
    return found;
}

std::string verdict(const WhatIf& whatif) {
    const auto mean = whatif.mean_speedup();
    if (!mean) {
        return "No shape can be answered on both sides.";
    }
    const WhatIfRow* const most = extreme(whatif, true);
    const WhatIfRow* const least = extreme(whatif, false);
    std::string text = std::abs(*mean - 1.0) < notable
                           ? fmt::format("{} makes no difference on the mean", whatif.after)
                           : fmt::format("{} is {:.3f}x as fast on the mean", whatif.after, *mean);
    if (most != least) {
        text += fmt::format(", {} ({}) to {} ({})", factor(least->speedup()), shape_of(*least),
                            factor(most->speedup()), shape_of(*most));
    }
    return fmt::format("{}; then bound by {}.", text, most->after->bound_by);
}

std::string row_table(const WhatIf& whatif, const Style& style) {
    Table table({Align::left, Align::right, Align::left, Align::right, Align::right, Align::right});
    table.add({"d", "tokens", "mask", "before", "after", "speed-up"});
    for (const WhatIfRow& row : whatif.rows) {
        const auto time = [](const std::optional<Prediction>& p) {
            return p ? time_text(p->seconds) : std::string("-");
        };
        table.add({head_dim_label(row.problem), length_label(row.problem),
                   mask_label(row.problem.mask), time(row.before), time(row.after),
                   colored(row.speedup(), style)});
    }
    return table.text("");
}

std::string column_label(const WhatIfRow& row) {
    return head_dim_label(row.problem) + " " + length_label(row.problem);
}

/// What binds each shape, before and after where it moved, or why there is no answer.
std::string bound_list(const WhatIf& whatif) {
    const auto label_of = [](const WhatIfRow& row) {
        return column_label(row) + " " + mask_label(row.problem.mask);
    };
    std::size_t widest = 0;
    for (const WhatIfRow& row : whatif.rows) {
        widest = std::max(widest, display_width(label_of(row)));
    }
    std::string text;
    for (const WhatIfRow& row : whatif.rows) {
        std::string label = "  " + label_of(row);
        label += std::string(widest + 4 - display_width(label), ' ');
        if (!row.speedup()) {
            text += wrap(printable(row.reason), width, label);
            continue;
        }
        text += wrap(row.before->bound_by, width, label);
        if (row.before->bound_by != row.after->bound_by) {
            const std::string now = "now ";
            text += wrap(row.after->bound_by, width,
                         std::string(display_width(label) - now.size(), ' ') + now);
        }
    }
    return text;
}

std::vector<const WhatIfRow*> answered(const WhatIf& whatif) {
    std::vector<const WhatIfRow*> rows;
    for (const WhatIfRow& row : whatif.rows) {
        if (row.speedup() && rows.size() < most_columns) {
            rows.push_back(&row);
        }
    }
    return rows;
}

std::string unit_table(const std::vector<const WhatIfRow*>& rows) {
    std::vector<Align> columns(rows.size() + 1, Align::right);
    columns.front() = Align::left;
    Table table(columns);
    std::vector<std::string> head = {"busy, %"};
    for (const WhatIfRow* const row : rows) {
        head.push_back(column_label(*row));
    }
    table.add(std::move(head));
    for (std::size_t unit = 0; unit < unit_count; ++unit) {
        std::vector<std::string> cells = {std::string(unit_phrase(all_units().at(unit)))};
        bool shown = false;
        for (const WhatIfRow* const row : rows) {
            const double before = row->before->units.at(unit).busy;
            const double after = row->after->units.at(unit).busy;
            shown = shown || std::max(before, after) >= shown_busy;
            cells.push_back(fmt::format("{:.0f} > {:.0f}", 100.0 * before, 100.0 * after));
        }
        if (shown) {
            table.add(std::move(cells));
        }
    }
    return table.text("  ");
}

std::string attribution_table(const WhatIf& whatif) {
    const std::size_t count = std::min(whatif.rows.size(), most_columns);
    std::vector<Align> columns(count + 2, Align::right);
    columns[0] = columns[1] = Align::left;
    Table table(columns);
    std::vector<std::string> head = {"alone on " + whatif.before, "from > to"};
    for (std::size_t i = 0; i < count; ++i) {
        head.push_back(column_label(whatif.rows[i]));
    }
    table.add(std::move(head));
    std::string without;
    for (const Attribution& one : whatif.attributions) {
        const SpecDifference& difference = one.difference;
        if (one.largest_effect() < shown_effect) {
            without += (without.empty() ? "" : ", ") + difference.key;
            without += one.reason.empty() ? "" : " (" + printable(one.reason) + ")";
            continue;
        }
        std::vector<std::string> cells = {
            cut_to(difference.key, key_width),
            cut_to((difference.from.empty() ? "-" : difference.from) + " > " + difference.to, 22)};
        for (std::size_t i = 0; i < count; ++i) {
            cells.push_back(factor(one.speedups[i]));
        }
        table.add(std::move(cells));
    }
    std::vector<std::string> all = {"all together", ""};
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(factor(whatif.together[i]));
    }
    table.add(std::move(all));
    std::string text = table.text("  ");
    if (!without.empty()) {
        text += wrap("Without effect here: " + without + ".", width, "  ");
    }
    return text;
}

}  // namespace

std::string whatif_text(const WhatIf& whatif, const Style& style) {
    std::string text = style.bold(fmt::format("{} against {}", whatif.before, whatif.after)) +
                       "\n\n" + wrap(verdict(whatif), width, "  ") + "\n" +
                       row_table(whatif, style) + "\n" + style.bold("Bound by") + "\n" +
                       bound_list(whatif);
    const auto rows = answered(whatif);
    if (!rows.empty()) {
        text += "\n" + style.bold("Units, before > after") + "\n" + unit_table(rows);
    }
    if (!whatif.attributions.empty()) {
        text += "\n" + style.bold("Speed-up of each difference alone") + "\n" +
                attribution_table(whatif);
    }
    return text;
}

}  // namespace warpline
