#include "warpline/validate/step_times.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace warpline {
namespace {

constexpr std::size_t most_whole = 8;  // executions of a tile up to which all are averaged

/// Sums and a count; empty as long as nothing was added.
class Mean {
  public:
    void add(double value) {
        sum_ += value;
        ++count_;
    }
    [[nodiscard]] std::optional<double> value() const {
        return count_ > 0 ? std::optional(sum_ / static_cast<double>(count_)) : std::nullopt;
    }

  private:
    double sum_ = 0.0;
    std::int64_t count_ = 0;
};

using StepKey = std::pair<std::string, std::string>;                  // role and step
using Executions = std::map<std::int64_t, std::vector<const Span*>>;  // of each tile

/// [first, last) of the middle half, or everything when there are few.
std::pair<std::size_t, std::size_t> middle(std::size_t count) {
    return count > most_whole ? std::pair{count / 4, count - count / 4}
                              : std::pair{std::size_t{0}, count};
}

bool repeats(const Executions& executions) {
    return std::any_of(executions.begin(), executions.end(),
                       [](const auto& tile) { return tile.second.size() > most_whole; });
}

/// The begins of a role's first repeating step, in order: what others are placed against.
std::vector<double> anchor_of(const std::map<StepKey, Executions>& steps, const std::string& role) {
    std::vector<double> earliest;
    for (const auto& [key, executions] : steps) {
        if (key.first != role || !repeats(executions)) {
            continue;
        }
        std::vector<double> begins;
        for (const auto& tile : executions) {
            for (const Span* span : tile.second) {
                begins.push_back(span->begin);
            }
        }
        std::sort(begins.begin(), begins.end());
        if (earliest.empty() || begins.front() < earliest.front()) {
            earliest = std::move(begins);
        }
    }
    return earliest;
}

/// How long before `instant` the latest anchor was.
std::optional<double> since(const std::vector<double>& anchor, double instant) {
    const auto later = std::upper_bound(anchor.begin(), anchor.end(), instant);
    return later == anchor.begin() ? std::nullopt : std::optional(instant - *std::prev(later));
}

StepTime average(const StepKey& key, const Executions& executions,
                 const std::vector<double>& anchor) {
    StepTime step{key.first, key.second};
    step.repeats = repeats(executions);
    Mean duration, issue, interval, offset;
    for (const auto& [tile, spans] : executions) {
        const auto [first, last] = middle(spans.size());
        for (std::size_t i = first; i < last; ++i) {
            const Span& span = *spans[i];
            ++step.count;
            if (span.end) {
                duration.add(*span.end - span.begin);
            }
            if (span.issued) {
                issue.add(*span.issued - span.begin);
            }
            if (step.repeats && i + 1 < last) {
                interval.add(spans[i + 1]->begin - span.begin);
            }
            if (const auto after = since(anchor, span.begin); step.repeats && after) {
                offset.add(*after);
            }
        }
    }
    step.duration = duration.value();
    step.issue = issue.value();
    step.interval = interval.value();
    step.offset = offset.value();
    return step;
}

std::string base_name(const std::string& role) {
    return role.substr(0, role.find('['));
}

/// Copies of a role against its first copy, from the middle half of their anchors.
std::vector<RoleSkew> skews_of(const std::map<std::string, std::vector<double>>& anchors) {
    std::vector<RoleSkew> skews;
    for (const auto& [role, begins] : anchors) {
        const auto reference = anchors.find(base_name(role) + "[0]");
        if (reference == anchors.end() || reference->first == role) {
            continue;
        }
        Mean skew;
        const auto [first, last] = middle(begins.size());
        for (std::size_t i = first; i < last; ++i) {
            if (const auto after = since(reference->second, begins[i])) {
                skew.add(*after);
            }
        }
        if (skew.value()) {
            skews.push_back({role, *skew.value()});
        }
    }
    return skews;
}

double mean_tile(const std::vector<Span>& spans) {
    std::map<std::int64_t, std::pair<double, double>> tiles;  // first begin and last end
    for (const Span& span : spans) {
        if (!span.end) {
            continue;
        }
        auto& [begin, end] = tiles.try_emplace(span.tile, span.begin, *span.end).first->second;
        begin = std::min(begin, span.begin);
        end = std::max(end, *span.end);
    }
    Mean mean;
    for (const auto& [tile, range] : tiles) {
        if (tile != tiles.begin()->first || tiles.size() == 1) {
            mean.add(range.second - range.first);
        }
    }
    return mean.value().value_or(0.0);
}

/// The part of a label before ": ", which names the step.
std::string step_of(const std::string& label) {
    return label.substr(0, label.find(": "));
}

/// For each operation of a program, the operation that begins its innermost loop, or -1.
std::vector<int> innermost_loops(const Program& program) {
    std::vector<int> loops;
    std::vector<int> open = {-1};
    for (std::size_t i = 0; i < program.size(); ++i) {
        if (std::holds_alternative<LoopEnd>(program[i].body)) {
            open.pop_back();
        }
        loops.push_back(open.back());
        if (std::holds_alternative<LoopBegin>(program[i].body)) {
            open.push_back(static_cast<int>(i));
        }
    }
    return loops;
}

}  // namespace

const StepTime* StepTimes::find(const std::string& role, const std::string& step) const {
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const StepTime& candidate) {
        return candidate.role == role && candidate.step == step;
    });
    return found == steps.end() ? nullptr : &*found;
}

StepTimes step_times(std::vector<Span> spans) {
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return a.begin < b.begin; });
    std::map<StepKey, Executions> executions;
    std::vector<StepKey> order;
    for (const Span& span : spans) {
        auto& of_tile = executions[{span.role, span.step}];
        if (of_tile.empty()) {
            order.emplace_back(span.role, span.step);
        }
        of_tile[span.tile].push_back(&span);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const StepKey& a, const StepKey& b) { return a.first < b.first; });
    StepTimes times;
    std::map<std::string, std::vector<double>> anchors;
    Mean interval;
    for (const StepKey& key : order) {
        const auto anchor =
            anchors.find(key.first) != anchors.end()
                ? anchors.find(key.first)
                : anchors.emplace(key.first, anchor_of(executions, key.first)).first;
        times.steps.push_back(average(key, executions[key], anchor->second));
        if (times.steps.back().interval) {
            interval.add(*times.steps.back().interval);
        }
    }
    times.skews = skews_of(anchors);
    times.interval = interval.value();
    times.tile = mean_tile(spans);
    return times;
}

std::optional<StampCost> stamp_cost(const Timeline& timeline) {
    if (!timeline.plain_cycles || !timeline.stamped_cycles) {
        return std::nullopt;
    }
    Mean stamp;
    for (const Span& span : timeline.spans) {
        if (span.step == "stamp cost" && span.end) {  // two stamps with nothing between
            stamp.add(*span.end - span.begin);
        }
    }
    return StampCost{*timeline.stamped_cycles / *timeline.plain_cycles, stamp.value().value_or(0)};
}

std::vector<Span> spans_of(const KernelPlan& plan, const Schedule& schedule) {
    std::set<int> seen;
    std::map<int, bool> first_warp;  // by index into Schedule::roles
    for (std::size_t i = 0; i < schedule.roles.size(); ++i) {
        const RoleUsage& usage = schedule.roles[i];
        first_warp[static_cast<int>(i)] =
            usage.sm == 0 && usage.resident == 0 && seen.insert(usage.role).second;
    }
    std::vector<std::vector<int>> loops;
    for (const Role& role : plan.roles) {
        loops.push_back(innermost_loops(role.program));
    }
    std::vector<Span> spans;
    using Key = std::tuple<int, std::string, std::int64_t, std::int64_t, int>;
    std::map<Key, std::size_t> known;
    for (const ScheduleEvent& event : schedule.events) {
        if (!first_warp[event.usage]) {
            continue;
        }
        const auto role =
            static_cast<std::size_t>(schedule.roles[static_cast<std::size_t>(event.usage)].role);
        const std::string step =
            step_of(plan.roles[role].program[static_cast<std::size_t>(event.op)].label);
        if (step.empty()) {
            continue;
        }
        const bool async = event.kind == ScheduleEvent::Kind::async;
        const double begin = cycles_from_ticks(async ? event.requested : event.start);
        const double end = cycles_from_ticks(event.completed);
        const auto [place, fresh] =
            known.try_emplace(Key{event.usage, step, event.tile, event.iteration,
                                  loops[role][static_cast<std::size_t>(event.op)]},
                              spans.size());
        if (fresh) {
            spans.push_back({plan.roles[role].name, step, event.tile, event.iteration, begin});
        }
        Span& span = spans[place->second];
        span.begin = std::min(span.begin, begin);
        span.end = std::max(span.end.value_or(end), end);
        if (async) {
            span.issued = std::max(span.issued.value_or(begin), begin);
        }
    }
    return spans;
}

std::int64_t most_executions(const std::vector<Span>& spans) {
    std::map<StepKey, std::int64_t> counts;
    std::int64_t most = 0;
    for (const Span& span : spans) {
        most = std::max(most, ++counts[{span.role, span.step}]);
    }
    return most;
}

std::vector<UnitBusy> busy_units(const Schedule& schedule) {
    std::map<Unit, Tick> busiest;
    for (const UnitUsage& usage : schedule.units) {
        Tick& busy = busiest[usage.unit];
        busy = std::max(busy, usage.busy);
    }
    std::vector<UnitBusy> units;
    for (const auto& [unit, busy] : busiest) {
        if (busy > 0) {
            units.push_back({unit, cycles_from_ticks(busy)});
        }
    }
    return units;
}

}  // namespace warpline
