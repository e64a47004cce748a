// A map of shared and tensor memory over time as data for a report's figure.
#pragma once

#include "warpline/reports/storage_chart.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpline {

/// A part of a timeline by name, in its own (folded) time.
struct TimelineView {
    std::string name;
    Tick from = 0, to = 0;
};

/// One JSON object: labels, lanes with sizes, and spans as rows of numbers (lane, label, kind,
/// start, end, iteration). Of more than `most` spans, those that reach into a view.
[[nodiscard]] std::string memory_json(const StorageChart& chart,
                                      const std::vector<TimelineView>& views, std::size_t most);

}  // namespace warpline
