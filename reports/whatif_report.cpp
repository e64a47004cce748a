#include "warpline/reports/whatif_report.hpp"

#include "warpline/device/bound_phrase.hpp"
#include "warpline/reports/shape_label.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t width = 100;
constexpr std::size_t bound_width = 42;
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
    Table table({Align::left, Align::right, Align::left, Align::right, Align::right, Align::right,
                 Align::left});
    table.add({"d", "tokens", "mask", "before", "after", "speed-up", "bound by"});
    for (const WhatIfRow& row : whatif.rows) {
        const auto time = [](const std::optional<Prediction>& p) {
            return p ? time_text(p->seconds) : std::string("-");
        };
        const bool moved = row.before && row.after && row.before->bound_by != row.after->bound_by;
        const std::string bound = !row.speedup() ? printable(row.reason) : row.before->bound_by;
        table.add({head_dim_label(row.problem), length_label(row.problem),
                   mask_label(row.problem.mask), time(row.before), time(row.after),
                   colored(row.speedup(), style), cut_to(bound, bound_width)});
        if (moved) {
            table.add({"", "", "", "", "", "now", cut_to(row.after->bound_by, bound_width)});
        }
    }
    return table.text("");
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
        head.push_back(head_dim_label(row->problem) + " " + length_label(row->problem));
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
        head.push_back(head_dim_label(whatif.rows[i].problem) + " " +
                       length_label(whatif.rows[i].problem));
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
            cut_to(difference.key, 24),
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
                       row_table(whatif, style);
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
