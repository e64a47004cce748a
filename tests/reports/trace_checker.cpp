#include "trace_checker.hpp"

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline::test {
namespace {

using Json = nlohmann::json;
using Thread = std::pair<int, int>;

struct Slice {
    double start = 0.0, end = 0.0;
};
struct FlowEnd {
    Thread thread;
    double at = 0.0;
};

class Checker {
  public:
    std::vector<std::string> found;

    void check(const Json& trace) {
        for (const char* key : {"title", "generator", "time_base", "clock_mhz"}) {
            report(!trace.at("otherData").contains(key), fmt::format("otherData lacks {}", key));
        }
        for (const Json& event : trace.at("traceEvents")) {
            check_event(event);
        }
        check_flows();
    }

  private:
    void report(bool violated, const std::string& what) {
        if (violated) {
            found.push_back(what);
        }
    }

    void check_event(const Json& event) {
        static const std::map<std::string, std::set<std::string>> keys = {
            {"M", {"ph", "name", "pid", "tid", "args"}},
            {"X", {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}},
            {"s", {"ph", "name", "cat", "id", "pid", "tid", "ts"}},
            {"f", {"ph", "name", "cat", "id", "pid", "tid", "ts", "bp"}},
            {"C", {"ph", "name", "pid", "tid", "ts", "args"}},
            {"i", {"ph", "name", "cat", "s", "pid", "tid", "ts"}}};
        const std::string kind = event.at("ph");
        std::set<std::string> present;
        for (const auto& [key, value] : event.items()) {
            present.insert(key);
        }
        if (keys.count(kind) == 0 || keys.at(kind) != present) {
            found.push_back("fields of " + event.dump());
            return;
        }
        const Thread thread{event["pid"], event["tid"]};
        report(kind != "M" && event["ts"] < 0.0, "before the start: " + event.dump());
        if (kind == "M") {
            named_.insert({event["name"], thread});
        } else if (kind == "X") {
            check_slice(thread, event);
        } else if (kind == "s" || kind == "f") {
            auto& ends = kind == "s" ? starts_ : ends_;
            const bool added = ends.insert({event["id"], {thread, event["ts"]}}).second;
            report(!added, "second " + event.dump());
        } else if (kind == "C") {
            auto& last = counters_[{event["name"], thread.first}];
            report(!last.empty() && event["ts"] <= last.back(), "out of order " + event.dump());
            last.push_back(event["ts"]);
            report(event["args"].size() != 1 || !(*event["args"].begin() >= 0.0),
                   "counter " + event.dump());
        }
    }

    void check_slice(const Thread& thread, const Json& event) {
        report(named_.count({"thread_name", thread}) == 0, "unnamed thread of " + event.dump());
        report(named_.count({"process_name", {thread.first, 0}}) == 0,
               "unnamed process of " + event.dump());
        const double start = event["ts"];
        const double length = event["dur"];
        report(!(length > 0.0), "no length: " + event.dump());
        std::vector<Slice>& lane = slices_[thread];
        // Perfetto keeps whole nanoseconds and drops slices that partly overlap.
        auto& taken = nanoseconds_[thread];
        const double first = whole(start);
        const bool overlaps = !lane.empty() && start < lane.back().end - rounding;
        report(overlaps || first < taken, "overlaps: " + event.dump());
        taken = first + whole(length);
        lane.push_back({start, start + length});
    }

    void check_flows() {
        for (const auto& [id, start] : starts_) {
            report(ends_.count(id) == 0, fmt::format("flow {} has no end", id));
            report(!inside(start), fmt::format("flow {} starts outside slices", id));
        }
        for (const auto& [id, end] : ends_) {
            const auto start = starts_.find(id);
            report(start == starts_.end(), fmt::format("flow {} has no start", id));
            report(!inside(end), fmt::format("flow {} ends outside slices", id));
            report(start != starts_.end() && end.at < start->second.at,
                   fmt::format("flow {} goes back in time", id));
        }
    }

    [[nodiscard]] bool inside(const FlowEnd& flow) const {
        const auto lane = slices_.find(flow.thread);
        if (lane == slices_.end()) {
            return false;
        }
        for (const Slice& slice : lane->second) {
            if (slice.start <= flow.at + rounding && flow.at < slice.end) {
                return true;
            }
        }
        return false;
    }

    /// Nanoseconds of a time in microseconds, cut off.
    [[nodiscard]] static double whole(double microseconds) {
        return std::floor(microseconds * 1e3 + 1e-6);
    }

    static constexpr double rounding = 1e-9;
    std::map<Thread, double> nanoseconds_;
    std::set<std::pair<std::string, Thread>> named_;
    std::map<Thread, std::vector<Slice>> slices_;
    std::map<int, FlowEnd> starts_, ends_;
    std::map<std::pair<std::string, int>, std::vector<double>> counters_;
};

}  // namespace

std::vector<std::string> trace_violations(const std::string& text) {
    const Json trace = Json::parse(text, nullptr, false);
    if (trace.is_discarded()) {
        return {"not JSON"};
    }
    Checker checker;
    try {
        checker.check(trace);
    } catch (const Json::exception& error) {
        checker.found.emplace_back(error.what());
    }
    return checker.found;
}

}  // namespace warpline::test
