#include "warpline/reports/slice_chart.hpp"

#include "warpline/reports/lanes.hpp"
#include "warpline/reports/phrases.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace warpline {
namespace {

using Kind = ChartSlice::Kind;

/// Where a row stands: SM by SM, warps in order, then units.
struct Row {
    int sm = 0;
    bool unit = false;
    int resident = 0;
    int index = 0;  ///< usage, or unit
    int sub_partition = -1;

    friend bool operator<(const Row& a, const Row& b) {
        return std::tie(a.sm, a.unit, a.resident, a.index, a.sub_partition) <
               std::tie(b.sm, b.unit, b.resident, b.index, b.sub_partition);
    }
};

/// An operation or an arrival, to be found again by who did it and when.
using Deed = std::tuple<int, int, Tick>;  // usage, op, time

class ChartBuilder {
  public:
    ChartBuilder(const KernelPlan& plan, const Recording& recording)
        : plan_(plan), recording_(recording), schedule_(recording.schedule) {}

    SliceChart build() {
        Tick before = 0;
        for (const SkippedTime& skip : recording_.skips) {
            out_.folds.push_back({skip.at - before, skip.time});
            before += skip.time;
        }
        for (const Release& release : recording_.releases) {
            releases_[{release.waiter, release.wait, release.resumed}] = &release;
        }
        for (const ScheduleEvent& event : schedule_.events) {
            const auto usage = static_cast<std::size_t>(event.usage);
            if (event.usage >= 0 && usage < schedule_.roles.size()) {
                add(event, skipped_before(recording_, event.completed));
            }
        }
        place();
        connect();
        return std::move(out_);
    }

  private:
    struct Placed {
        ChartSlice slice;
        std::optional<Deed> released_by;
        bool findable = true;  ///< false: the other half of a pair's MMA
    };

    int label(const std::string& text) {
        const auto [entry, added] = labels_.try_emplace(text, static_cast<int>(labels_.size()));
        if (added) {
            out_.labels.push_back(text);
        }
        return entry->second;
    }

    void add(const ScheduleEvent& event, Tick skipped) {
        if (event.end <= event.start) {
            return;
        }
        const RoleUsage& usage = schedule_.roles[static_cast<std::size_t>(event.usage)];
        Placed placed;
        ChartSlice& slice = placed.slice;
        slice.kind = event.kind == ScheduleEvent::Kind::issue   ? Kind::issue
                     : event.kind == ScheduleEvent::Kind::async ? Kind::async
                                                                : Kind::wait;
        slice.label = label(op_label(plan_, usage.role, event.op));
        slice.usage = event.usage;
        slice.op = event.op;
        slice.tile = event.tile;
        slice.iteration = event.iteration;
        slice.start = event.start - skipped;
        slice.end = event.end - skipped;
        slice.requested = event.requested - skipped;
        slice.completed = event.completed - skipped;
        slice.cause = event.cause;
        if (slice.kind == Kind::async) {
            add_served(event, usage, std::move(placed));
            return;
        }
        const auto release = releases_.find({event.usage, event.op, event.end});
        if (slice.kind == Kind::wait && release != releases_.end()) {
            const Release& by = *release->second;
            placed.released_by = Deed{by.usage, by.op, by.at - skipped};
            add_arrival(*placed.released_by, event.tile);
        }
        rows_[{usage.sm, false, usage.resident, event.usage, -1}].push_back(std::move(placed));
    }

    void add_served(const ScheduleEvent& event, const RoleUsage& usage, Placed placed) {
        const UnitKey key = unit_key(plan_, usage, event.unit);
        const Row row{key.sm, true, 0, static_cast<int>(key.unit), key.sub_partition};
        if (pairs(usage.role, event.op)) {
            Placed other = placed;
            other.findable = false;
            Row peer = row;
            peer.sm = 1 - row.sm;
            rows_[peer].push_back(std::move(other));
        }
        rows_[row].push_back(std::move(placed));
    }

    /// The cycle in which a warp arrived or committed. Completions have slices of their own.
    void add_arrival(const Deed& deed, std::int64_t tile) {
        const auto& [by, op_index, at] = deed;
        const auto index = static_cast<std::size_t>(by);
        if (by < 0 || index >= schedule_.roles.size()) {
            return;
        }
        const RoleUsage& usage = schedule_.roles[index];
        const Op* const op = find_op(usage.role, op_index);
        if (op == nullptr || std::holds_alternative<AsyncOp>(op->body) ||
            !arrivals_.insert(deed).second) {
            return;
        }
        Placed placed;
        ChartSlice& slice = placed.slice;
        slice.kind = Kind::arrive;
        slice.label = label(op_label(plan_, usage.role, op_index));
        slice.usage = by;
        slice.op = op_index;
        slice.tile = tile;
        slice.start = slice.requested = at;
        slice.end = slice.completed = at + ticks_per_cycle;
        rows_[{usage.sm, false, usage.resident, by, -1}].push_back(std::move(placed));
    }

    [[nodiscard]] const Op* find_op(int role, int op) const {
        if (role < 0 || static_cast<std::size_t>(role) >= plan_.roles.size() || op < 0) {
            return nullptr;
        }
        const Program& program = plan_.roles[static_cast<std::size_t>(role)].program;
        return static_cast<std::size_t>(op) < program.size()
                   ? &program[static_cast<std::size_t>(op)]
                   : nullptr;
    }

    [[nodiscard]] bool pairs(int role, int op) const {
        const Op* const found = find_op(role, op);
        const auto* const async = found != nullptr ? std::get_if<AsyncOp>(&found->body) : nullptr;
        const auto* const mma = async != nullptr ? std::get_if<MmaOp>(&async->work) : nullptr;
        return mma != nullptr && mma->pair && plan_.cluster == 2;
    }

    [[nodiscard]] std::string row_name(const Row& row) const {
        return row.unit
                   ? unit_row_name({static_cast<Unit>(row.index), row.sm, row.sub_partition})
                   : warp_row_name(plan_, schedule_.roles[static_cast<std::size_t>(row.index)]);
    }

    /// First fit: the lowest slot of the row that is free. A slice longer than the gap it was put
    /// in cannot be: they are placed in order of start.
    void place() {
        for (auto& [row, placed] : rows_) {
            std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
                return a.slice.start < b.slice.start;
            });
            std::vector<Tick> free;
            std::vector<std::size_t> slots(placed.size());
            for (std::size_t i = 0; i < placed.size(); ++i) {
                const auto slot = static_cast<std::size_t>(
                    std::find_if(free.begin(), free.end(),
                                 [&](Tick time) { return time <= placed[i].slice.start; }) -
                    free.begin());
                free.resize(std::max(free.size(), slot + 1));
                free[slot] = placed[i].slice.end;
                slots[i] = slot;
            }
            const std::string name = row_name(row);
            const auto first = static_cast<int>(out_.lanes.size());
            for (std::size_t slot = 0; slot < free.size(); ++slot) {
                out_.lanes.push_back({free.size() > 1 ? fmt::format("{} {}", name, slot) : name,
                                      row.sm, row.resident, row.unit});
                for (std::size_t i = 0; i < placed.size(); ++i) {
                    if (slots[i] == slot) {
                        take(placed[i], first + static_cast<int>(slot));
                    }
                }
            }
        }
    }

    void take(const Placed& placed, int lane) {
        const std::size_t index = out_.slices.size();
        out_.slices.push_back(placed.slice);
        ChartSlice& slice = out_.slices.back();
        slice.lane = lane;
        out_.end = std::max(out_.end, slice.end);
        if (placed.released_by) {
            waits_.emplace_back(index, *placed.released_by);
        }
        if (!placed.findable) {
            return;
        }
        if (slice.kind == Kind::async) {
            deeds_.insert_or_assign({slice.usage, slice.op, slice.completed}, index);
        } else if (slice.kind == Kind::arrive) {
            deeds_.insert_or_assign({slice.usage, slice.op, slice.start}, index);
        }
    }

    void connect() {
        for (const auto& [to, deed] : waits_) {
            if (const auto found = deeds_.find(deed); found != deeds_.end()) {
                out_.flows.push_back({found->second, to});
            }
        }
    }

    const KernelPlan& plan_;
    const Recording& recording_;
    const Schedule& schedule_;
    SliceChart out_;
    std::map<Deed, const Release*> releases_;  ///< by waiter, wait and its end
    std::map<std::string, int> labels_;
    std::map<Row, std::vector<Placed>> rows_;
    std::set<Deed> arrivals_;  ///< those that have a slice
    std::map<Deed, std::size_t> deeds_;
    std::vector<std::pair<std::size_t, Deed>> waits_;
};

}  // namespace

SliceChart slice_chart(const KernelPlan& plan, const Recording& recording) {
    return ChartBuilder(plan, recording).build();
}

Tick skipped_before(const Recording& recording, Tick time) {
    Tick skipped = 0;
    for (const SkippedTime& skip : recording.skips) {
        skipped += time >= skip.at + skip.time ? skip.time : 0;
    }
    return skipped;
}

Tick folded_time(const SliceChart& chart) {
    Tick time = 0;
    for (const SkippedTime& fold : chart.folds) {
        time += fold.time;
    }
    return time;
}

SliceChart part_of(const SliceChart& chart, int sm, Tick from, Tick to) {
    SliceChart part = chart;
    part.lanes.clear();
    part.slices.clear();
    part.flows.clear();
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<int> lanes(chart.lanes.size(), -1);
    std::vector<std::size_t> kept(chart.slices.size(), none);
    for (std::size_t i = 0; i < chart.slices.size(); ++i) {
        ChartSlice slice = chart.slices[i];
        const auto lane = static_cast<std::size_t>(slice.lane);
        if ((sm >= 0 && chart.lanes[lane].sm != sm) || slice.end <= from || slice.start >= to) {
            continue;
        }
        if (lanes[lane] < 0) {
            lanes[lane] = static_cast<int>(part.lanes.size());
            part.lanes.push_back(chart.lanes[lane]);
        }
        slice.lane = lanes[lane];
        kept[i] = part.slices.size();
        part.slices.push_back(slice);
    }
    for (const ChartFlow& flow : chart.flows) {
        if (kept[flow.from] != none && kept[flow.to] != none) {
            part.flows.push_back({kept[flow.from], kept[flow.to]});
        }
    }
    return part;
}

}  // namespace warpline
