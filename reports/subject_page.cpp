#include "warpline/reports/subject_page.hpp"

#include "warpline/reports/comparison_figures.hpp"
#include "warpline/reports/phrases.hpp"
#include "warpline/reports/summary.hpp"
#include "warpline/reports/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr const char* convention =
    "TFLOP/s counts work by flash-attention's convention: 2 queries x mean keys x (d_qk + d_v) per "
    "head and sequence, backward 2.5 times that; utilization is of executed work at the stated "
    "clock.";

ReportCard card(const ReportSubject& subject) {
    const Prediction& p = subject.prediction;
    const SteadyAnswers& steady = p.steady;
    return {p.kernel + " on " + subject.name,
            time_text(p.seconds),
            {headline(p), "bound by " + p.bound_by,
             fmt::format("Cycles per step of {} x {}: roofline {:.0f}, recurrence {:.0f}, "
                         "simulated {:.0f}",
                         steady.rows, steady.block, steady.roofline, steady.recurrence,
                         steady.simulated)}};
}

/// What the first subject's time is to the second's, in words.
ReportCard difference(const ReportSubject& before, const ReportSubject& after) {
    const Prediction& first = before.prediction;
    const Prediction& second = after.prediction;
    ReportCard card{after.name + " against " + before.name, "", {}};
    if (first.seconds > 0.0 && second.seconds > 0.0) {
        card.headline = fmt::format("{:.2f} times as fast", first.seconds / second.seconds);
        card.lines.push_back(
            fmt::format("per step {:.0f} cycles against {:.0f}; at {:.0f} against {:.0f} MHz",
                        second.steady.simulated, first.steady.simulated, megahertz(second.clock.hz),
                        megahertz(first.clock.hz)));
    }
    return card;
}

std::vector<std::string> provenance(const Prediction& p) {
    std::string clock = fmt::format("{}: {:.0f} MHz", p.gpu, megahertz(p.clock.hz));
    if (p.clock.low && p.clock.high) {
        clock +=
            fmt::format(" ({:.0f} to {:.0f})", megahertz(*p.clock.low), megahertz(*p.clock.high));
    }
    return {clock + "; " + p.clock.origin,
            fmt::format("warpline {}; {} constants {}; {} pipeline {}", p.version, p.gpu,
                        p.spec_hash, p.plan.kernel, p.plan.hash)};
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
                     "for a later reader, a dark line is being read. Moves with the "
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
                         "for each unit; grey is waiting, red frames are on the critical cycle. "
                         "Drag, Ctrl and wheel, the buttons or the keys + - 0 and arrows move it.",
                         subjects[i].name),
             true});
    }
    return figures;
}

}  // namespace

ReportPage subject_page(const std::vector<ReportSubject>& subjects, const std::string& command) {
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
        for (std::string& line : provenance(subject.prediction)) {
            page.provenance.push_back(std::move(line));
        }
    }
    page.data += "]}";
    page.provenance.emplace_back(convention);
    page.provenance.push_back(command);
    return page;
}

ReportPage comparison_page(const Comparison& comparison, const std::string& version,
                           const std::string& command) {
    ReportPage page;
    page.title = "Measured against predicted";
    page.subtitle = fmt::format("{} rows compared, {} not used", comparison.rows.size(),
                                comparison.unusable.size());
    page.cards = {
        {"Mean size of the error",
         fmt::format("{:.1f} %", 100.0 * comparison.overall.mean_absolute),
         {fmt::format("largest {:.1f} %, bias {:+.1f} %", 100.0 * comparison.overall.max_absolute,
                      100.0 * comparison.overall.bias)}}};
    page.sections = {
        {"Every row",
         {{"scatter", "Each point is a measured row; dashed lines are 10 % off.", true},
          {"errors", "Mean size, largest and signed mean of each group.", true}},
         {"errors", "rows", "unused"}}};
    page.tables = comparison_tables(comparison);
    page.data = "{\"predictions\":[],\"comparison\":" + comparison_figure_json(comparison) + "}";
    page.provenance = {"warpline " + version, convention, command};
    return page;
}

}  // namespace warpline
