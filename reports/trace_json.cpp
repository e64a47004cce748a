#include "warpline/reports/trace_json.hpp"

#include "warpline/reports/occupancy.hpp"
#include "warpline/reports/phrases.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include <boost/rational.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline {
namespace {

using Kind = ChartSlice::Kind;

/// A JSON string. Bytes that are not UTF-8 are replaced.
std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string_view category(Kind kind) {
    switch (kind) {
        case Kind::issue:
            return "issue";
        case Kind::async:
            return "unit";
        case Kind::wait:
            return "wait";
        case Kind::arrive:
            return "arrive";
    }
    return "other";
}

class TraceWriter {
  public:
    TraceWriter(const KernelPlan& plan, const Schedule& schedule, const SliceChart& chart,
                const TraceOptions& options)
        : plan_(plan),
          schedule_(schedule),
          chart_(chart),
          options_(options),
          hertz_(boost::rational_cast<double>(options.clock)) {}

    std::string text() {
        out_.reserve(trace_size_estimate(chart_, options_));
        head();
        processes();
        slices();
        flows();
        counters();
        memory();
        measured();
        folds();
        out_ += "\n]}\n";
        return std::move(out_);
    }

  private:
    /// On the axis, whose unit the format calls microseconds.
    [[nodiscard]] double at(Tick time) const {
        const double cycles = cycles_from_ticks(time);
        return options_.base == TimeBase::cycles ? cycles : cycles / hertz_ * 1e6;
    }
    [[nodiscard]] double microseconds(Tick time) const {
        return cycles_from_ticks(time) / hertz_ * 1e6;
    }

    template <typename... Arguments>
    void event(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        out_ += first_ ? "\n" : ",\n";
        first_ = false;
        fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
    }

    void head() {
        const std::string base =
            options_.base == TimeBase::cycles
                ? fmt::format("1 us on the axis is 1 SM cycle, {:.4f} ns at {:.0f} MHz",
                              1e9 / hertz_, hertz_ * 1e-6)
                : fmt::format("microseconds at {:.0f} MHz; 1 SM cycle is {:.4f} ns", hertz_ * 1e-6,
                              1e9 / hertz_);
        out_ += fmt::format(
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"title\":{},\"generator\":{},"
            "\"time_base\":{},\"clock_mhz\":{},\"folded_cycles\":{}}},\"traceEvents\":[",
            json_text(options_.title), json_text("warpline " + options_.version), json_text(base),
            hertz_ * 1e-6, cycles_from_ticks(folded_time(chart_)));
        time_base_ = base;
    }

    /// Warps of one resident cluster on one SM, or the units of one SM.
    [[nodiscard]] int process_of(const ChartLane& lane) const {
        const int each = plan_.ctas_per_sm + 1;
        return 1 + lane.sm * each + (lane.unit ? plan_.ctas_per_sm : lane.resident);
    }
    [[nodiscard]] int units_process(int sm) const {
        return 1 + sm * (plan_.ctas_per_sm + 1) + plan_.ctas_per_sm;
    }

    void processes() {
        std::map<int, std::string> names;
        for (const ChartLane& lane : chart_.lanes) {
            std::string name = fmt::format("SM {}{}", lane.sm, lane.unit ? " units" : " warps");
            if (!lane.unit && plan_.ctas_per_sm > 1) {
                name += fmt::format(" of resident {}", lane.resident);
            }
            names.emplace(process_of(lane), std::move(name));
        }
        for (const auto& [process, name] : names) {
            event(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})",
                  process, json_text(name + "; " + time_base_));
            event(R"({{"ph":"M","name":"process_sort_index","pid":{0},"tid":0,)"
                  R"("args":{{"sort_index":{0}}}}})",
                  process);
        }
        for (std::size_t i = 0; i < chart_.lanes.size(); ++i) {
            const ChartLane& lane = chart_.lanes[i];
            event(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                  process_of(lane), i + 1, json_text(lane.name));
            event(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},)"
                  R"("args":{{"sort_index":{}}}}})",
                  process_of(lane), i + 1, i);
        }
    }

    void slices() {
        std::vector<std::string> labels;
        for (const std::string& label : chart_.labels) {
            labels.push_back(json_text(label));
        }
        for (const ChartSlice& slice : chart_.slices) {
            const ChartLane& lane = chart_.lanes[static_cast<std::size_t>(slice.lane)];
            std::string arguments = fmt::format(
                R"("start_cycle":{},"cycles":{},"us":{:.6f},"tile":{})",
                cycles_from_ticks(slice.start), cycles_from_ticks(slice.end - slice.start),
                microseconds(slice.end - slice.start), slice.tile);
            if (slice.iteration >= 0) {
                arguments += fmt::format(R"(,"iteration":{})", slice.iteration);
            }
            if (slice.kind == Kind::async) {
                arguments += fmt::format(R"(,"role":{},"issued_at":{},"complete_at":{})",
                                         json_text(role_label(plan_, usage(slice).role)),
                                         cycles_from_ticks(slice.requested),
                                         cycles_from_ticks(slice.completed));
            }
            if (slice.cause.kind != Cause::Kind::none) {
                arguments += fmt::format(R"(,"{}":{})",
                                         slice.kind == Kind::wait ? "waits_for" : "started_after",
                                         json_text(cause_phrase(plan_, slice.cause)));
            }
            event(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
                  R"("args":{{{}}}}})",
                  labels[static_cast<std::size_t>(slice.label)], category(slice.kind),
                  process_of(lane), slice.lane + 1, at(slice.start),
                  at(slice.end) - at(slice.start), arguments);
        }
    }

    [[nodiscard]] const RoleUsage& usage(const ChartSlice& slice) const {
        return schedule_.roles[static_cast<std::size_t>(slice.usage)];
    }

    /// Bound to the slices that enclose them: a tick before their ends.
    void flows() {
        for (std::size_t i = 0; i < chart_.flows.size(); ++i) {
            const ChartSlice& from = chart_.slices[chart_.flows[i].from];
            const ChartSlice& to = chart_.slices[chart_.flows[i].to];
            const Tick leaves = std::max(from.start, from.end - 1);
            const Tick reaches = std::max({leaves, to.start, to.end - 1});
            for (const bool end : {false, true}) {
                const ChartSlice& slice = end ? to : from;
                event(R"({{"ph":"{}",{}"name":{},"cat":"releases","id":{},"pid":{},"tid":{},)"
                      R"("ts":{}}})",
                      end ? "f" : "s", end ? R"("bp":"e",)" : "", json_text(flow_name(to)), i + 1,
                      process_of(chart_.lanes[static_cast<std::size_t>(slice.lane)]),
                      slice.lane + 1, at(end ? reaches : leaves));
            }
        }
    }

    [[nodiscard]] std::string flow_name(const ChartSlice& wait) const {
        return cause_phrase(plan_, wait.cause);
    }

    void counters() {
        const Occupancy occupancy = occupancy_of(plan_, schedule_, chart_);
        const auto write = [&](const char* name, const std::vector<OccupancyCurve>& curves) {
            for (const OccupancyCurve& curve : curves) {
                for (const OccupancyStep& step : curve.steps) {
                    event(R"({{"ph":"C","name":"{}","pid":{},"tid":0,"ts":{},)"
                          R"("args":{{"percent":{:.1f}}}}})",
                          name, units_process(curve.sm), at(step.at), 100.0 * step.share);
                }
            }
        };
        write("tensor cores busy", occupancy.tensor);
        write("SMEM port asked for", occupancy.smem);
    }

    [[nodiscard]] bool wanted(Tick start, Tick end) const {
        return start < options_.to && end > options_.from;
    }

    void memory() {
        const bool first_sm =
            std::any_of(chart_.lanes.begin(), chart_.lanes.end(),
                        [](const ChartLane& lane) { return lane.unit && lane.sm == 0; });
        if (options_.memory == nullptr || !first_sm) {
            return;
        }
        for (const bool tensor : {false, true}) {
            const char* const name = tensor ? "TMEM in use" : "SMEM in use";
            const char* const unit = tensor ? "columns" : "bytes";
            for (const StorageStep& step : storage_in_use(*options_.memory, tensor)) {
                if (wanted(step.at, step.at + 1)) {
                    event(R"({{"ph":"C","name":"{}","pid":{},"tid":0,"ts":{},"args":{{"{}":{}}}}})",
                          name, units_process(0), at(step.at), unit, step.size);
                }
            }
        }
    }

    /// In a process after all others.
    void measured() {
        if (options_.measured == nullptr) {
            return;
        }
        const int process = units_process(plan_.cluster);
        const auto head = [&](const char* what, std::size_t lane, const std::string& name) {
            event(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what,
                  process, lane, json_text(name));
        };
        head("process_name", 0, "measured, from its first stamp; " + time_base_);
        event(R"({{"ph":"M","name":"process_sort_index","pid":{0},"tid":0,)"
              R"("args":{{"sort_index":{0}}}}})",
              process);
        const MeasuredLanes& lanes = *options_.measured;
        for (std::size_t i = 0; i < lanes.lanes.size(); ++i) {
            head("thread_name", i + 1, lanes.lanes[i]);
        }
        for (const MeasuredSlice& slice : lanes.slices) {
            const Tick start = round_to_ticks(slice.begin), end = round_to_ticks(slice.end);
            if (wanted(start, end)) {
                event(
                    R"({{"ph":"X","name":{},"cat":"measured{}","pid":{},"tid":{},"ts":{},)"
                    R"("dur":{},"args":{{"stamped_cycle":{},"cycles":{},"tile":{},"block":{}}}}})",
                    json_text(slice.step), slice.in_flight ? ",unit" : "", process, slice.lane + 1,
                    at(start), at(end) - at(start), slice.stamped, slice.end - slice.begin,
                    slice.tile, slice.block);
            }
        }
    }

    void folds() {
        for (const SkippedTime& fold : chart_.folds) {
            event(R"({{"ph":"i","s":"g","name":{},"cat":"fold","pid":1,"tid":0,"ts":{}}})",
                  json_text(fmt::format("{} cycles of the same left out here",
                                        cycles_from_ticks(fold.time))),
                  at(fold.at));
        }
    }

    const KernelPlan& plan_;
    const Schedule& schedule_;
    const SliceChart& chart_;
    const TraceOptions& options_;
    double hertz_;
    std::string out_;
    std::string time_base_;
    bool first_ = true;
};

}  // namespace

std::size_t trace_size_estimate(const SliceChart& chart, const TraceOptions& options) {
    constexpr std::size_t head = 1000, lane = 250, slice = 260, flow = 250, step = 90;
    // Each slice that a counter follows begins and ends a step.
    std::size_t steps = 0;
    for (const ChartSlice& each : chart.slices) {
        steps += each.kind == Kind::async ? 2 : 0;
    }
    // And each span of memory may.
    if (options.memory != nullptr) {
        for (const StorageSpan& span : options.memory->spans) {
            steps += span.start < options.to && span.end > options.from ? 1U : 0U;
        }
    }
    std::size_t measured = 0;
    if (options.measured != nullptr) {
        for (const MeasuredSlice& each : options.measured->slices) {
            measured +=
                round_to_ticks(each.begin) < options.to && round_to_ticks(each.end) > options.from
                    ? 1U
                    : 0U;
        }
    }
    return head + lane * chart.lanes.size() + measured * step * 2 + slice * chart.slices.size() +
           flow * chart.flows.size() + step * steps;
}

std::string trace_json(const KernelPlan& plan, const Schedule& schedule, const SliceChart& chart,
                       const TraceOptions& options) {
    return TraceWriter(plan, schedule, chart, options).text();
}

}  // namespace warpline
