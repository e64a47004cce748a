#include "warpline/reports/subject_page.hpp"

#include "warpline/reports/comparison_figures.hpp"
#include "warpline/reports/phrases.hpp"
#include "warpline/reports/provenance.hpp"
#include "warpline/reports/text.hpp"
#include "warpline/reports/whatif_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

ReportCard card(const ReportSubject& subject) {
    const Prediction& p = subject.prediction;
    return {p.kernel + " on " + subject.name,
            time_text(p.seconds),
            {fmt::format("{:.1f} TFLOP/s counted, {:.1f} % of the peak executed at {:.0f} MHz",
                         p.tflops, 100.0 * p.utilization, megahertz(p.clock.hz)),
             "bound by " + p.bound_by}};
}

/// What the first subject's time is to the second's, in words.
ReportCard difference(const ReportSubject& before, const ReportSubject& after) {
    const Prediction& first = before.prediction;
    const Prediction& second = after.prediction;
    ReportCard card{after.name + " against " + before.name, "", {}};
    if (first.seconds > 0.0 && second.seconds > 0.0) {
        card.headline = fmt::format("{:.2f} times as fast", first.seconds / second.seconds);
        const double clock = megahertz(second.clock.hz) / megahertz(first.clock.hz);
        card.lines.push_back(fmt::format("{:.3f} by the clock, {:.0f} against {:.0f} MHz", clock,
                                         megahertz(second.clock.hz), megahertz(first.clock.hz)));
        card.lines.push_back(fmt::format("{:.3f} by cycles: {:.0f} a step against {:.0f}",
                                         first.seconds / second.seconds / clock,
                                         second.steady.simulated, first.steady.simulated));
    }
    return card;
}

/// Those of subjects whose buffers are known.
std::vector<ReportFigure> memory_maps(const std::vector<ReportSubject>& subjects) {
    std::vector<ReportFigure> figures;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        if (!subjects[i].storage.touches.empty()) {
            figures.push_back(
                {fmt::format("memory-{}", i),
                 fmt::format(
                     "{}: shared and tensor memory of the first CTA. A row for each copy or "
                     "ring stage of a buffer; full colour is being written, pale is held "
                     "for a later reader, a dark line below is being read. Moves with the "
                     "timeline above. What only single instructions touch is left out.",
                     subjects[i].name),
                 true});
        }
    }
    return figures;
}

std::vector<ReportFigure> timelines(const std::vector<ReportSubject>& subjects) {
    std::vector<ReportFigure> figures;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        figures.push_back(
            {fmt::format("gantt-{}", i),
             fmt::format("{}: the longest tile on one cluster. A row for each warp role, then one "
                         "for each unit; thin grey is waiting, red frames are on the critical "
                         "cycle. Drag, Ctrl and wheel, the buttons or the keys + - 0 and arrows "
                         "move it; hovering says what an operation waited for.",
                         subjects[i].name),
             true});
    }
    return figures;
}

std::vector<ReportCard> comparison_cards(const Comparison& comparison) {
    std::vector<ReportCard> cards = {
        {"Mean size of the error",
         fmt::format("{:.1f} %", 100.0 * comparison.overall.mean_absolute),
         {fmt::format("of the durations of {} rows", comparison.rows.size())}},
        {"Bias",
         fmt::format("{:+.1f} %", 100.0 * comparison.overall.bias),
         {"positive is predicted too slow"}}};
    const auto worst = std::max_element(
        comparison.rows.begin(), comparison.rows.end(),
        [](const auto& a, const auto& b) { return std::abs(a.error) < std::abs(b.error); });
    if (worst != comparison.rows.end()) {
        cards.push_back({"Largest error",
                         fmt::format("{:+.1f} %", 100.0 * worst->error),
                         {fmt::format("{} on {}: {}", worst->kernel, worst->row.gpu,
                                      describe(worst->row.problem))}});
    }
    return cards;
}

/// The range of clocks at which the rows of each GPU were predicted.
std::vector<std::string> clock_lines(const Comparison& comparison) {
    std::map<std::string, std::pair<double, double>> ranges;
    for (const ComparedRow& row : comparison.rows) {
        const double mhz = megahertz(row.clock.hz);
        const auto [entry, added] = ranges.try_emplace(row.row.gpu, mhz, mhz);
        auto& [low, high] = entry->second;
        low = std::min(low, mhz);
        high = std::max(high, mhz);
    }
    std::vector<std::string> lines;
    for (const auto& [gpu, range] : ranges) {
        lines.push_back(fmt::format("{}: rows at {:.0f} to {:.0f} MHz, as each states or as fitted",
                                    gpu, range.first, range.second));
    }
    return lines;
}

}  // namespace

ReportPage subject_page(const std::vector<ReportSubject>& subjects, const std::string& command,
                        const WhatIf* whatif) {
    ReportPage page;
    const Prediction& first = subjects.front().prediction;
    std::string names;
    for (const ReportSubject& subject : subjects) {
        names += (names.empty() ? "" : " and ") + subject.name;
    }
    page.title = first.kernel + " on " + names;
    page.subtitle = describe(first.problem) + ": " + first.plan.title;
    for (const ReportSubject& subject : subjects) {
        page.cards.push_back(card(subject));
        if (&subject != &subjects.front()) {
            page.cards.push_back(difference(subjects.front(), subject));
        }
    }
    page.sections = {
        {"Three answers",
         {{"answers",
           "Gaps between the answers say what to change: latency and buffers first, "
           "then contention.",
           true},
          {"peak", "What the tensor cores could have done in the predicted time.", true}},
         {"beside", "headline", "answers", "peak"}},
        {"Roofline",
         {{"unit-roofline", "Cycles of each unit per step; the dashed line is the simulated step."},
          {"flop-byte", "The classical view: executed work over compulsory HBM traffic."}},
         {"units"}},
        {"Timeline", timelines(subjects), {"cycle"}},
        {"Memory over time", memory_maps(subjects), {}},
        {"What units and roles do",
         {{"units-idle", "Each unit over a simulated tile: busy, and why it was not.", true},
          {"stalls", "Each role over a simulated tile: issuing, and what it waited for.", true}},
         {"stalls"}},
        {"Budgets",
         {{"storage", "Shared memory, tensor memory and registers of one CTA.", true}},
         {"budgets", "assumptions"}}};
    page.sections.erase(std::remove_if(page.sections.begin(), page.sections.end(),
                                       [](const ReportSection& section) {
                                           return section.figures.empty() && section.tables.empty();
                                       }),
                        page.sections.end());
    page.tables = subject_tables(subjects);
    page.data = "{\"predictions\":[";
    for (const ReportSubject& subject : subjects) {
        page.data += (&subject == &subjects.front() ? "" : ",") + subject_json(subject);
        add_new_lines(page.provenance,
                      provenance_lines(subject.prediction, subject.prediction.version));
    }
    page.data += "]";
    if (auto effects = whatif != nullptr ? effects_part(*whatif) : std::nullopt) {
        page.sections.insert(page.sections.begin() + 1, std::move(effects->section));
        page.tables.push_back(std::move(effects->table));
        page.data += ",\"whatif\":" + effects->data;
    }
    page.data += "}";
    add_new_lines(page.provenance, {flop_convention(), command});
    return page;
}

ReportPage comparison_page(const Comparison& comparison, const std::string& version,
                           const std::string& command) {
    ReportPage page;
    page.title = "Measured against predicted";
    page.subtitle = fmt::format("{} rows compared, {} not used", comparison.rows.size(),
                                comparison.unusable.size());
    page.cards = comparison_cards(comparison);
    page.sections = {
        {"Errors by group",
         {{"errors",
           "Mean size, largest and signed mean of each group; positive is predicted too slow.",
           true}},
         {"errors"},
         true},
        {"Every row",
         {{"scatter",
           "Each point is a measured row. On the solid line both agree; dashed lines are 10 % off.",
           true},
          {"residuals", "The same rows by their error: above the line is predicted too slow.",
           true}},
         {"rows", "unused"}}};
    page.tables = comparison_tables(comparison);
    page.data = "{\"predictions\":[],\"comparison\":" + comparison_figure_json(comparison) + "}";
    page.provenance = clock_lines(comparison);
    add_new_lines(page.provenance, {"warpline " + version, flop_convention(), command});
    return page;
}

}  // namespace warpline
