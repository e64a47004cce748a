#include "warpline/reports/timeline.hpp"

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

using Kind = TimelineSlice::Kind;

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

class TimelineBuilder {
  public:
    TimelineBuilder(const KernelPlan& plan, const Schedule& schedule)
        : plan_(plan), schedule_(schedule) {}

    Timeline build() {
        out_.folded_at = schedule_.steady.skipped_at;
        out_.folded = schedule_.steady.skipped;
        for (const ScheduleEvent& event : schedule_.events) {
            const auto usage = static_cast<std::size_t>(event.usage);
            if (event.usage >= 0 && usage < schedule_.roles.size()) {
                add(unfolded(event));
            }
        }
        place();
        connect();
        return std::move(out_);
    }

  private:
    struct Placed {
        TimelineSlice slice;
        std::optional<Deed> released_by;
        bool findable = true;  ///< false: the other half of a pair's MMA
    };

    /// With the time that was skipped before it taken away.
    [[nodiscard]] ScheduleEvent unfolded(ScheduleEvent event) const {
        const Tick skipped = schedule_.steady.skipped;
        if (skipped > 0 && event.end >= schedule_.steady.skipped_at + skipped) {
            for (Tick* const time : {&event.start, &event.end, &event.requested, &event.completed,
                                     &event.released_by.at}) {
                *time -= skipped;
            }
        }
        return event;
    }

    int label(const std::string& text) {
        const auto [entry, added] = labels_.try_emplace(text, static_cast<int>(labels_.size()));
        if (added) {
            out_.labels.push_back(text);
        }
        return entry->second;
    }

    void add(const ScheduleEvent& event) {
        if (event.end <= event.start) {
            return;
        }
        const RoleUsage& usage = schedule_.roles[static_cast<std::size_t>(event.usage)];
        Placed placed;
        TimelineSlice& slice = placed.slice;
        slice.kind = event.kind == ScheduleEvent::Kind::issue   ? Kind::issue
                     : event.kind == ScheduleEvent::Kind::async ? Kind::async
                                                                : Kind::wait;
        slice.label = label(op_label(plan_, usage.role, event.op));
        slice.usage = event.usage;
        slice.op = event.op;
        slice.tile = event.tile;
        slice.iteration = event.iteration;
        slice.start = event.start;
        slice.end = event.end;
        slice.requested = event.requested;
        slice.completed = event.completed;
        slice.cause = event.cause;
        if (slice.kind == Kind::async) {
            add_served(event, usage, std::move(placed));
            return;
        }
        if (event.released_by.usage >= 0) {
            placed.released_by =
                Deed{event.released_by.usage, event.released_by.op, event.released_by.at};
            add_arrival(event.released_by, event);
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
    void add_arrival(const Release& release, const ScheduleEvent& wait) {
        const auto index = static_cast<std::size_t>(release.usage);
        if (index >= schedule_.roles.size()) {
            return;
        }
        const RoleUsage& usage = schedule_.roles[index];
        const Op* const op = find_op(usage.role, release.op);
        const Deed deed{release.usage, release.op, release.at};
        if (op == nullptr || std::holds_alternative<AsyncOp>(op->body) ||
            !arrivals_.insert(deed).second) {
            return;
        }
        Placed placed;
        TimelineSlice& slice = placed.slice;
        slice.kind = Kind::arrive;
        slice.label = label(op_label(plan_, usage.role, release.op));
        slice.usage = release.usage;
        slice.op = release.op;
        slice.tile = wait.tile;
        slice.start = slice.requested = release.at;
        slice.end = slice.completed = release.at + ticks_per_cycle;
        rows_[{usage.sm, false, usage.resident, release.usage, -1}].push_back(std::move(placed));
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
        TimelineSlice& slice = out_.slices.back();
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
    const Schedule& schedule_;
    Timeline out_;
    std::map<std::string, int> labels_;
    std::map<Row, std::vector<Placed>> rows_;
    std::set<Deed> arrivals_;  ///< those that have a slice
    std::map<Deed, std::size_t> deeds_;
    std::vector<std::pair<std::size_t, Deed>> waits_;
};

}  // namespace

Timeline build_timeline(const KernelPlan& plan, const Schedule& schedule) {
    return TimelineBuilder(plan, schedule).build();
}

Timeline part_of(const Timeline& timeline, int sm, Tick from, Tick to) {
    Timeline part = timeline;
    part.lanes.clear();
    part.slices.clear();
    part.flows.clear();
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<int> lanes(timeline.lanes.size(), -1);
    std::vector<std::size_t> kept(timeline.slices.size(), none);
    for (std::size_t i = 0; i < timeline.slices.size(); ++i) {
        TimelineSlice slice = timeline.slices[i];
        const auto lane = static_cast<std::size_t>(slice.lane);
        if ((sm >= 0 && timeline.lanes[lane].sm != sm) || slice.end <= from || slice.start >= to) {
            continue;
        }
        if (lanes[lane] < 0) {
            lanes[lane] = static_cast<int>(part.lanes.size());
            part.lanes.push_back(timeline.lanes[lane]);
        }
        slice.lane = lanes[lane];
        kept[i] = part.slices.size();
        part.slices.push_back(slice);
    }
    for (const TimelineFlow& flow : timeline.flows) {
        if (kept[flow.from] != none && kept[flow.to] != none) {
            part.flows.push_back({kept[flow.from], kept[flow.to]});
        }
    }
    return part;
}

}  // namespace warpline
