#include "warpline/reports/accounts.hpp"
#include "warpline/reports/memory_json.hpp"
#include "warpline/reports/phrases.hpp"
#include "warpline/reports/report_subject.hpp"
#include "warpline/reports/script_json.hpp"
#include "warpline/reports/slice_chart.hpp"
#include "warpline/reports/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_slices = 20'000;

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json causes_json(const KernelPlan& plan, const std::vector<RoleAccount::Stall>& stalls) {
    Json json = Json::array();
    for (const auto& [cause, share] : stalls) {
        json.push_back({{"cause", cause_phrase(plan, cause)}, {"share", number(share)}});
    }
    return json;
}

Json units_json(const Prediction& p) {
    Json json = Json::array();
    for (const UnitReport& unit : p.units) {
        const UnitOverRun run = unit_over_run(p.schedule, unit.unit);
        json.push_back({{"unit", unit_name(unit.unit)},
                        {"phrase", unit_phrase(unit.unit)},
                        {"busy", number(unit.busy)},
                        {"demand", number(unit.demand_cycles)},
                        {"run_busy", number(run.busy)},
                        {"idle", causes_json(p.plan, run.idle)}});
    }
    return json;
}

Json roles_json(const Prediction& p) {
    Json json = Json::array();
    for (const RoleAccount& account : role_accounts(p.schedule)) {
        json.push_back({{"role", printable(role_label(p.plan, account.role))},
                        {"issuing", number(account.busy)},
                        {"stalls", causes_json(p.plan, account.stalls)}});
    }
    return json;
}

Json storage_json(const KernelPlan& plan) {
    Json json = Json::array();
    for (const Budget& budget : plan.budgets) {
        Json parts = Json::array();
        for (const BudgetPart& part : budget_parts(budget)) {
            parts.push_back({{"name", part.name}, {"size", part.size}});
        }
        if (!parts.empty()) {
            json.push_back(
                {{"name", budget.name}, {"limit", budget.limit}, {"parts", std::move(parts)}});
        }
    }
    return json;
}

Json peak_json(const Prediction& p) {
    Json json = Json::array();
    for (const auto& [what, share] : named_shares(peak_shares(p))) {
        json.push_back({{"name", what}, {"share", number(share)}});
    }
    return json;
}

std::vector<TimelineView> views(const SliceChart& chart, const ReportSubject& subject) {
    const SteadyState& steady = subject.recording.schedule.steady;
    const Tick step = steady.found && steady.blocks > 0
                          ? steady.period / steady.blocks
                          : round_to_ticks(std::max(1.0, subject.prediction.steady.simulated));
    const Tick loop = steady.found ? steady.from : chart.end / 2;
    return {{"start of the tile", 0, std::min(std::max(loop, 2 * step), chart.end)},
            {"two steady steps", std::min(loop, chart.end), std::min(loop + 2 * step, chart.end)},
            {"end of the tile", std::max<Tick>(0, chart.end - 2 * step), chart.end}};
}

bool in_any(const std::vector<TimelineView>& views, const ChartSlice& slice) {
    return std::any_of(views.begin(), views.end(), [&](const TimelineView& view) {
        return slice.start < view.to && slice.end > view.from;
    });
}

/// The chart's slices as rows of numbers: lane, label, kind, start, end, iteration, issued, result,
/// cause, on the critical cycle, slice that ended it.
class GanttJson {
  public:
    GanttJson(const ReportSubject& subject, const SliceChart& chart)
        : subject_(subject), chart_(chart) {
        for (const CycleStep& step : subject.prediction.recurrence.critical_cycle) {
            critical_.insert({step.role, step.op});
        }
    }

    Json json(const std::vector<TimelineView>& shown) {
        const bool all = chart_.slices.size() <= most_slices;
        std::vector<int> kept(chart_.slices.size(), -1);
        int count = 0;
        for (std::size_t i = 0; i < chart_.slices.size(); ++i) {
            if (all || in_any(shown, chart_.slices[i])) {
                kept[i] = count++;
            }
        }
        std::map<std::size_t, int> ended_by;
        for (const ChartFlow& flow : chart_.flows) {
            ended_by[flow.to] = kept[flow.from];
        }
        Json slices = Json::array();
        for (std::size_t i = 0; i < chart_.slices.size(); ++i) {
            if (kept[i] >= 0) {
                const auto by = ended_by.find(i);
                slices.push_back(row(chart_.slices[i], by == ended_by.end() ? -1 : by->second));
            }
        }
        return {{"labels", labels()},
                {"lanes", lanes()},
                {"windows", windows(shown)},
                {"folds", folds()},
                {"end", cycles_from_ticks(chart_.end)},
                {"causes", causes_},
                {"slices", std::move(slices)}};
    }

  private:
    Json row(const ChartSlice& slice, int ended_by) {
        const int role =
            subject_.recording.schedule.roles[static_cast<std::size_t>(slice.usage)].role;
        return Json::array({slice.lane, slice.label, static_cast<int>(slice.kind),
                            cycles_from_ticks(slice.start), cycles_from_ticks(slice.end),
                            slice.iteration, cycles_from_ticks(slice.requested),
                            cycles_from_ticks(slice.completed), cause(slice.cause),
                            critical_.count({role, slice.op}) != 0 ? 1 : 0, ended_by});
    }

    int cause(const Cause& cause) {
        if (cause.kind == Cause::Kind::none) {
            return -1;
        }
        const std::string phrase = cause_phrase(subject_.prediction.plan, cause);
        const auto [entry, added] = cause_index_.try_emplace(phrase, causes_.size());
        if (added) {
            causes_.push_back(phrase);
        }
        return static_cast<int>(entry->second);
    }

    [[nodiscard]] Json labels() const {
        Json json = Json::array();
        for (const std::string& label : chart_.labels) {
            json.push_back(printable(label));
        }
        return json;
    }

    [[nodiscard]] Json lanes() const {
        const bool several =
            std::any_of(chart_.lanes.begin(), chart_.lanes.end(),
                        [](const ChartLane& lane) { return lane.sm > 0 || lane.resident > 0; });
        Json json = Json::array();
        for (const ChartLane& lane : chart_.lanes) {
            std::string name = printable(lane.name);
            if (several) {
                name += fmt::format(" sm{}", lane.sm);
                name += lane.resident > 0 ? fmt::format(" r{}", lane.resident) : "";
            }
            json.push_back({{"name", name}, {"unit", lane.unit}});
        }
        return json;
    }

    [[nodiscard]] static Json windows(const std::vector<TimelineView>& shown) {
        Json json = Json::array();
        for (const TimelineView& view : shown) {
            json.push_back({{"name", view.name},
                            {"from", cycles_from_ticks(view.from)},
                            {"to", cycles_from_ticks(view.to)}});
        }
        return json;
    }

    [[nodiscard]] Json folds() const {
        Json json = Json::array();
        for (const SkippedTime& fold : chart_.folds) {
            json.push_back(
                {{"at", cycles_from_ticks(fold.at)}, {"time", cycles_from_ticks(fold.time)}});
        }
        return json;
    }

    const ReportSubject& subject_;
    const SliceChart& chart_;
    std::set<std::pair<int, int>> critical_;  ///< role, operation
    std::vector<std::string> causes_;
    std::map<std::string, std::size_t> cause_index_;
};

}  // namespace

std::vector<BudgetPart> budget_parts(const Budget& budget) {
    std::string_view text = budget.detail;
    if (const std::size_t prefix = text.find(": "); prefix != std::string_view::npos) {
        text.remove_prefix(prefix + 2);
    }
    text = text.substr(0, text.find(','));
    std::vector<BudgetPart> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(" + ");
        const std::string_view part = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 3);
        const std::size_t blank = part.find(' ');
        const std::string_view size = part.substr(std::min(blank, part.size()));
        double factors[2] = {0.0, 1.0};
        const char* const last = size.data() + size.size();
        auto read =
            std::from_chars(size.data() + std::min<std::size_t>(1, size.size()), last, factors[0]);
        if (read.ec == std::errc{} && last - read.ptr > 3 &&
            std::string_view(read.ptr, 3) == " x ") {
            read = std::from_chars(read.ptr + 3, last, factors[1]);
        }
        if (blank == std::string_view::npos || read.ec != std::errc{} || read.ptr != last) {
            return {};
        }
        parts.push_back({std::string(part.substr(0, blank)), factors[0] * factors[1]});
    }
    return parts;
}

std::string subject_json(const ReportSubject& subject) {
    const Prediction& p = subject.prediction;
    const double traffic = std::max(1.0, p.waves.hbm_bytes);
    const SliceChart chart = slice_chart(p.plan, subject.recording);
    const std::vector<TimelineView> shown = views(chart, subject);
    const StorageChart memory = storage_chart(p.plan, subject.storage, subject.recording, chart);
    const Json json = {
        {"name", printable(subject.name)},
        {"gpu", printable(p.gpu)},
        {"kernel", printable(p.kernel)},
        {"answers",
         {{"roofline", number(p.steady.roofline)},
          {"recurrence", number(p.steady.recurrence)},
          {"simulated", number(p.steady.simulated)},
          {"rows", p.steady.rows},
          {"block", p.steady.block}}},
        {"peak", peak_json(p)},
        {"units", units_json(p)},
        {"roles", roles_json(p)},
        {"classic",
         {{"flops_per_byte", number(p.executed_flops / traffic)},
          {"executed_tflops", number(p.seconds > 0.0 ? p.executed_flops / p.seconds / 1e12 : 0.0)},
          {"peak_tflops", number(subject.peak_flops / 1e12)},
          {"hbm_tb_per_s", number(subject.hbm_bytes_per_second / 1e12)}}},
        {"storage", storage_json(p.plan)},
        {"gantt", GanttJson(subject, chart).json(shown)}};
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.back() = ',';
    text += "\"memory\":" + memory_json(memory, shown, most_slices) + "}";
    return script_json(text);
}

}  // namespace warpline
