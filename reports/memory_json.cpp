#include "warpline/reports/memory_json.hpp"

#include "warpline/reports/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline {
namespace {

using Json = nlohmann::ordered_json;

std::string size_text(const StorageLane& lane) {
    return lane.tensor ? fmt::format("{} columns", lane.size)
                       : fmt::format("{:.4g} KiB", static_cast<double>(lane.size) / 1024.0);
}

}  // namespace

std::string memory_json(const StorageChart& chart, const std::vector<TimelineView>& views,
                        std::size_t most) {
    Json labels = Json::array(), lanes = Json::array(), spans = Json::array();
    for (const std::string& label : chart.labels) {
        labels.push_back(printable(label));
    }
    for (const StorageLane& lane : chart.lanes) {
        lanes.push_back({{"name", printable(lane.name)},
                         {"space", lane.tensor ? "TMEM" : "SMEM"},
                         {"size", size_text(lane)}});
    }
    const bool all = chart.spans.size() <= most;
    for (const StorageSpan& span : chart.spans) {
        const bool seen = std::any_of(views.begin(), views.end(), [&](const TimelineView& view) {
            return span.start < view.to && span.end > view.from;
        });
        if (all || seen) {
            spans.push_back({span.lane, span.label, static_cast<int>(span.kind),
                             cycles_from_ticks(span.start), cycles_from_ticks(span.end),
                             span.iteration});
        }
    }
    const Json json = {
        {"labels", std::move(labels)}, {"lanes", std::move(lanes)}, {"spans", std::move(spans)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace warpline
