#include "warpline/reports/measured_lanes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

struct Row {
    std::string name;
    std::vector<MeasuredSlice> slices;
};

Row& row_named(std::vector<Row>& rows, const std::string& name) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    if (found != rows.end()) {
        return *found;
    }
    rows.push_back({name, {}});
    return rows.back();
}

/// First fit into as many lanes as overlap.
void place(Row row, MeasuredLanes& out) {
    std::stable_sort(row.slices.begin(), row.slices.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::vector<double> free;
    const auto first = static_cast<int>(out.lanes.size());
    for (MeasuredSlice& slice : row.slices) {
        const auto slot = static_cast<std::size_t>(
            std::find_if(free.begin(), free.end(), [&](double at) { return at <= slice.begin; }) -
            free.begin());
        free.resize(std::max(free.size(), slot + 1));
        free[slot] = slice.end;
        slice.lane = first + static_cast<int>(slot);
    }
    for (std::size_t slot = 0; slot < free.size(); ++slot) {
        out.lanes.push_back(free.size() > 1 ? fmt::format("{} {}", row.name, slot) : row.name);
    }
    std::stable_sort(row.slices.begin(), row.slices.end(),
                     [](const auto& a, const auto& b) { return a.lane < b.lane; });
    out.slices.insert(out.slices.end(), row.slices.begin(), row.slices.end());
}

}  // namespace

MeasuredLanes measured_lanes(const Timeline& timeline) {
    double zero = 0.0;
    if (!timeline.spans.empty()) {
        zero = std::min_element(timeline.spans.begin(), timeline.spans.end(),
                                [](const Span& a, const Span& b) { return a.begin < b.begin; })
                   ->begin;
    }
    std::vector<Row> rows;
    for (const Span& span : timeline.spans) {
        const auto add = [&](const std::string& row, double begin, double end, bool in_flight) {
            if (end > begin) {
                row_named(rows, row).slices.push_back({0, span.step, span.tile, span.block,
                                                       begin - zero, end - zero, begin, in_flight});
            }
        };
        if (span.issued) {
            add(span.role, span.begin, *span.issued, false);
            if (span.end) {
                add(span.role + " in flight", *span.issued, *span.end, true);
            }
        } else if (span.end) {
            add(span.role, span.begin, *span.end, false);
        }
    }
    MeasuredLanes out;
    for (Row& row : rows) {
        place(std::move(row), out);
    }
    return out;
}

}  // namespace warpline
