#include "warpline/reports/whatif_page.hpp"

#include "warpline/device/bound_phrase.hpp"
#include "warpline/reports/provenance.hpp"
#include "warpline/reports/script_json.hpp"
#include "warpline/reports/shape_label.hpp"
#include "warpline/reports/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline {
namespace {

using Json = nlohmann::ordered_json;

constexpr double shown_effect = 0.0005;
constexpr double shown_busy = 0.02;
constexpr std::size_t most_rows = 60;  // in a figure; tables have all

/// The parts of a shape that tell it from others: the kernel where there are several.
std::string shape_of(const WhatIfRow& row, bool several_kernels) {
    return printable(fmt::format("{}d{} s{} {}", several_kernels ? row.kernel + " " : "",
                                 head_dim_label(row.problem), length_label(row.problem),
                                 mask_label(row.problem.mask)));
}

bool several_kernels(const WhatIf& whatif) {
    return std::any_of(whatif.rows.begin(), whatif.rows.end(), [&](const WhatIfRow& row) {
        return row.kernel != whatif.rows.front().kernel;
    });
}

/// Geometric mean over the rows that have one; nothing when none has.
std::optional<double> mean_of(const std::vector<std::optional<double>>& speedups) {
    double sum = 0.0;
    int count = 0;
    for (const auto& speedup : speedups) {
        if (speedup && *speedup > 0.0) {
            sum += std::log(*speedup);
            ++count;
        }
    }
    return count > 0 ? std::optional(std::exp(sum / count)) : std::nullopt;
}

std::string text_of(const Json& json) {
    return script_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json rows_json(const WhatIf& whatif) {
    Json rows = Json::array();
    const bool kernels = several_kernels(whatif);
    for (const WhatIfRow& row : whatif.rows) {
        if (row.speedup() && rows.size() < most_rows) {
            rows.push_back({{"name", shape_of(row, kernels)},
                            {"before", row.before->tflops},
                            {"after", row.after->tflops}});
        }
    }
    return rows;
}

std::string from_to(const SpecDifference& difference) {
    return fmt::format("{} to {}", difference.from.empty() ? "none" : difference.from,
                       difference.to.empty() ? "none" : difference.to);
}

Json effects_json(const WhatIf& whatif) {
    Json effects = Json::array();
    for (const Attribution& one : whatif.attributions) {
        const auto mean = mean_of(one.speedups);
        if (mean && one.largest_effect() >= shown_effect) {
            effects.push_back({{"name", printable(one.difference.key)},
                               {"change", printable(from_to(one.difference))},
                               {"speedup", *mean}});
        }
    }
    const auto add_sum = [&](const std::string& name, const std::optional<double>& speedup) {
        if (speedup && !whatif.attributions.empty()) {
            effects.push_back({{"name", name}, {"speedup", *speedup}});
        }
    };
    add_sum("all of them together", mean_of(whatif.together));
    add_sum(printable(whatif.after), whatif.mean_speedup());
    return effects;
}

Json whatif_json(const WhatIf& whatif, Json rows) {
    return {{"before", printable(whatif.before)},
            {"after", printable(whatif.after)},
            {"rows", std::move(rows)},
            {"effects", effects_json(whatif)}};
}

TableCell number_or_none(const std::optional<double>& number) {
    return number ? number_cell(*number) : TableCell{"", true};
}

ReportTable shapes_table(const WhatIf& whatif) {
    ReportTable table{
        "shapes",
        "Shape by shape",
        {"kernel", "head dim", "tokens", "mask", "before, ms", "after, ms", "before, TFLOP/s",
         "after, TFLOP/s", "speed-up", "bound before", "bound after"},
        {}};
    for (const WhatIfRow& row : whatif.rows) {
        const auto of = [](const std::optional<Prediction>& p, double value) {
            return p ? number_cell(value) : TableCell{"", true};
        };
        const std::optional<Prediction>& a = row.before;
        const std::optional<Prediction>& b = row.after;
        table.rows.push_back(
            {text_cell(row.kernel), text_cell(head_dim_label(row.problem)),
             text_cell(length_label(row.problem)), text_cell(mask_label(row.problem.mask)),
             of(a, a ? a->seconds * 1e3 : 0.0), of(b, b ? b->seconds * 1e3 : 0.0),
             of(a, a ? a->tflops : 0.0), of(b, b ? b->tflops : 0.0), number_or_none(row.speedup()),
             text_cell(a ? a->bound_by : row.reason), text_cell(b ? b->bound_by : row.reason)});
    }
    return table;
}

ReportTable busy_table(const WhatIf& whatif) {
    ReportTable table{
        "busy", "Units, percent of a steady step busy", {"shape", "unit", "before", "after"}, {}};
    const bool kernels = several_kernels(whatif);
    for (const WhatIfRow& row : whatif.rows) {
        for (std::size_t i = 0; row.speedup() && i < row.before->units.size(); ++i) {
            const UnitReport& before = row.before->units[i];
            const double after = row.after->units.at(i).busy;
            if (std::max(before.busy, after) >= shown_busy) {
                table.rows.push_back(
                    {text_cell(shape_of(row, kernels)), text_cell(unit_phrase(before.unit)),
                     number_cell(100.0 * before.busy), number_cell(100.0 * after)});
            }
        }
    }
    return table;
}

ReportTable effects_table(const WhatIf& whatif) {
    ReportTable table{"effects",
                      "What each difference does alone on " + whatif.before,
                      {"difference", "from", "to", "mean speed-up", "why not"},
                      {}};
    for (const Attribution& one : whatif.attributions) {
        table.rows.push_back({text_cell(one.difference.key), text_cell(one.difference.from),
                              text_cell(one.difference.to), number_or_none(mean_of(one.speedups)),
                              text_cell(one.reason)});
    }
    return table;
}

ReportCard extreme_card(const char* title, const WhatIfRow& row, bool kernels) {
    return {title,
            fmt::format("{:.3f} times as fast", *row.speedup()),
            {shape_of(row, kernels), "then bound by " + row.after->bound_by}};
}

std::vector<ReportCard> cards(const WhatIf& whatif) {
    std::vector<const WhatIfRow*> answered;
    for (const WhatIfRow& row : whatif.rows) {
        if (row.speedup()) {
            answered.push_back(&row);
        }
    }
    if (answered.empty()) {
        return {{whatif.after + " against " + whatif.before,
                 "no answer",
                 {"No shape can be answered on both sides."}}};
    }
    std::vector<ReportCard> cards = {
        {whatif.after + " against " + whatif.before,
         fmt::format("{:.3f} times as fast", *whatif.mean_speedup()),
         {answered.size() == 1 ? shape_of(*answered.front(), several_kernels(whatif))
                               : fmt::format("geometric mean over {} shapes", answered.size())}}};
    const auto [least, most] = std::minmax_element(
        answered.begin(), answered.end(),
        [](const auto* a, const auto* b) { return *a->speedup() < *b->speedup(); });
    if (answered.size() > 1) {
        cards.push_back(extreme_card("Where it brings most", **most, several_kernels(whatif)));
        cards.push_back(extreme_card("Where it brings least", **least, several_kernels(whatif)));
    }
    return cards;
}

}  // namespace

std::optional<EffectsPart> effects_part(const WhatIf& whatif) {
    if (whatif.attributions.empty()) {
        return std::nullopt;
    }
    EffectsPart part;
    part.section = {
        "What each difference brings",
        {{"effects",
          fmt::format("Each difference of {} made alone on {}; then all together, which "
                      "is not their sum where one hides another. Below 0.05 % it is in "
                      "the table only.",
                      whatif.after, whatif.before),
          true}},
        {"effects"}};
    part.table = effects_table(whatif);
    part.data = text_of(whatif_json(whatif, Json::array()));
    return part;
}

ReportPage whatif_page(const WhatIf& whatif, const std::string& version,
                       const std::string& command) {
    ReportPage page;
    page.title = whatif.after + " against " + whatif.before;
    std::set<std::string> kernels;
    for (const WhatIfRow& row : whatif.rows) {
        kernels.insert(printable(row.kernel));
    }
    page.subtitle = fmt::format("{}: {} shape{}", fmt::join(kernels, ", "), whatif.rows.size(),
                                whatif.rows.size() == 1 ? "" : "s");
    page.cards = cards(whatif);
    Json rows = rows_json(whatif);
    page.sections = {{"Before and after",
                      {{"whatif",
                        rows.size() < most_rows
                            ? std::string("Rates, and how many times as fast the second is.")
                            : fmt::format("Rates of the first {} shapes, and how many times as "
                                          "fast the second is. The table has all.",
                                          most_rows),
                        true}},
                      {"shapes", "busy"}}};
    page.tables = {shapes_table(whatif), busy_table(whatif)};
    if (auto effects = effects_part(whatif)) {
        page.sections.push_back(std::move(effects->section));
        page.tables.push_back(std::move(effects->table));
    }
    page.data =
        "{\"predictions\":[],\"whatif\":" + text_of(whatif_json(whatif, std::move(rows))) + "}";
    for (const WhatIfRow& row : whatif.rows) {
        for (const auto* const side : {&row.before, &row.after}) {
            if (side->has_value()) {
                add_new_lines(page.provenance, provenance_lines(**side, version));
            }
        }
    }
    add_new_lines(page.provenance, {flop_convention(), command});
    return page;
}

}  // namespace warpline
