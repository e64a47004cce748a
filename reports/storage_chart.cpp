#include "warpline/reports/storage_chart.hpp"

#include "warpline/reports/phrases.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace warpline {
namespace {

using Kind = StorageSpan::Kind;

class StorageBuilder {
  public:
    StorageBuilder(const KernelPlan& plan, const StoragePlan& storage, const Recording& recording,
                   const SliceChart& chart)
        : plan_(plan), storage_(storage), recording_(recording), chart_(chart) {}

    StorageChart build() {
        add_lanes(false);
        add_lanes(true);
        for (StorageLane& lane : out_.lanes) {
            lane.root = root_of(lane);
        }
        collect_touches();
        for (auto& [lane, spans] : touches_) {
            hold_touched(lane, spans);
        }
        collect_stages();
        std::stable_sort(out_.spans.begin(), out_.spans.end(), [](const auto& a, const auto& b) {
            return std::tie(a.lane, a.start) < std::tie(b.lane, b.start);
        });
        drop_idle_lanes();
        return std::move(out_);
    }

  private:
    /// Buffer, copy (-1: all of them), stage.
    using Place = std::tuple<int, int, int>;

    [[nodiscard]] bool by_copy(int buffer) const {
        return std::all_of(
            storage_.touches.begin(), storage_.touches.end(),
            [&](const BufferTouch& touch) { return touch.buffer != buffer || touch.copy >= 0; });
    }

    void add_lanes(bool tensor) {
        for (std::size_t i = 0; i < storage_.buffers.size(); ++i) {
            const StoredBuffer& buffer = storage_.buffers[i];
            if (buffer.tensor != tensor || buffer.stage_bytes.empty()) {
                continue;
            }
            const auto index = static_cast<int>(i);
            const std::int64_t whole = std::accumulate(buffer.stage_bytes.begin(),
                                                       buffer.stage_bytes.end(), std::int64_t{0});
            if (buffer.ring >= 0) {
                for (int copy = 0; copy < buffer.copies; ++copy) {
                    for (std::size_t stage = 0; stage < buffer.stage_bytes.size(); ++stage) {
                        const std::string of = buffer.copies > 1 ? fmt::format(" {}", copy) : "";
                        add_lane({index, copy, static_cast<int>(stage)},
                                 fmt::format("{}{} {}", buffer.name, of, stage),
                                 buffer.stage_bytes[stage]);
                    }
                }
            } else if (buffer.copies > 1 && by_copy(index)) {
                for (int copy = 0; copy < buffer.copies; ++copy) {
                    add_lane({index, copy, 0}, fmt::format("{} {}", buffer.name, copy), whole);
                }
            } else {
                add_lane({index, -1, 0}, buffer.name, whole * buffer.copies);
            }
        }
    }

    void add_lane(const Place& place, std::string name, std::int64_t size) {
        lanes_[place] = static_cast<int>(out_.lanes.size());
        places_.push_back(place);
        const auto& buffer = storage_.buffers[static_cast<std::size_t>(std::get<0>(place))];
        out_.lanes.push_back({std::move(name), buffer.tensor, size, 0});
    }

    [[nodiscard]] std::optional<int> lane_at(int buffer, int copy, int stage) const {
        for (const Place& place : {Place{buffer, copy, stage}, Place{buffer, -1, 0}}) {
            if (const auto found = lanes_.find(place); found != lanes_.end()) {
                return found->second;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] int root_of(const StorageLane& lane) const {
        const auto own = static_cast<int>(&lane - out_.lanes.data());
        auto [buffer, copy, stage] = places_[static_cast<std::size_t>(own)];
        const int alias = storage_.buffers[static_cast<std::size_t>(buffer)].alias;
        return alias < 0 ? own : lane_at(alias, copy, stage).value_or(own);
    }

    int label(const std::string& text) {
        const auto [entry, added] = labels_.try_emplace(text, static_cast<int>(labels_.size()));
        if (added) {
            out_.labels.push_back(text);
        }
        return entry->second;
    }

    [[nodiscard]] const RoleUsage& usage(const ChartSlice& slice) const {
        return recording_.schedule.roles[static_cast<std::size_t>(slice.usage)];
    }

    /// Whether a touch by an operation of CTA `sm` is one of CTA 0.
    [[nodiscard]] bool reaches_first(const BufferTouch& touch, const ChartSlice& slice) const {
        const int sm = usage(slice).sm;
        const Op& op = plan_.roles[static_cast<std::size_t>(touch.role)]
                           .program[static_cast<std::size_t>(touch.op)];
        const auto* const async = std::get_if<AsyncOp>(&op.body);
        const auto* const mma = async != nullptr ? std::get_if<MmaOp>(&async->work) : nullptr;
        return (mma != nullptr && mma->pair) || meant(touch.at, sm, 0, plan_.cluster);
    }

    /// Reads and writes of buffers that are no rings: which stage is meant, the rings' barriers
    /// say.
    void collect_touches() {
        std::map<std::pair<int, int>, std::vector<const BufferTouch*>> by_op;
        for (const BufferTouch& touch : storage_.touches) {
            if (storage_.buffers[static_cast<std::size_t>(touch.buffer)].ring < 0) {
                by_op[{touch.role, touch.op}].push_back(&touch);
            }
        }
        for (const ChartSlice& slice : chart_.slices) {
            const RoleUsage& by = usage(slice);
            const auto found = by_op.find({by.role, slice.op});
            if (slice.kind != ChartSlice::Kind::async || found == by_op.end() || by.resident != 0 ||
                chart_.lanes[static_cast<std::size_t>(slice.lane)].sm != by.sm) {
                continue;
            }
            for (const BufferTouch* const touch : found->second) {
                const auto lane = lane_at(touch->buffer, touch->copy, 0);
                if (lane && reaches_first(*touch, slice)) {
                    // What is written is there when it is complete; a read is over with the
                    // service.
                    touches_[*lane].push_back(
                        {touch->writes ? Kind::written : Kind::read, *lane,
                         label(op_label(plan_, by.role, slice.op)), slice.iteration, slice.start,
                         touch->writes ? std::max(slice.end, slice.completed) : slice.end});
                }
            }
        }
    }

    /// The spans of one lane, those of equal warps as one, with what is held between them.
    void hold_touched(int lane, std::vector<StorageSpan>& spans) {
        std::stable_sort(spans.begin(), spans.end(),
                         [](const auto& a, const auto& b) { return a.start < b.start; });
        std::vector<StorageSpan> merged;
        for (const StorageSpan& span : spans) {
            const auto same = std::find_if(merged.rbegin(), merged.rend(), [&](const auto& other) {
                return other.kind == span.kind && other.label == span.label;
            });
            if (same != merged.rend() && same->end > span.start) {
                same->end = std::max(same->end, span.end);
            } else {
                merged.push_back(span);
            }
        }
        const StorageSpan* written = nullptr;
        Tick from = 0, read_until = 0;
        const auto hold = [&](Tick until) {
            if (written != nullptr && until > from) {
                out_.spans.push_back(
                    {Kind::held, lane, written->label, written->iteration, from, until});
            }
        };
        for (const StorageSpan& span : merged) {
            if (span.kind == Kind::read) {
                read_until = std::max(read_until, span.end);
                continue;
            }
            // Without a read in between the next write adds to this one.
            hold(read_until > 0 ? read_until : span.start);
            written = &span;
            from = std::max(from, span.end);
            read_until = 0;
        }
        hold(read_until);
        out_.spans.insert(out_.spans.end(), merged.begin(), merged.end());
    }

    /// Stages of rings: filled by the arrival on a barrier that starts empty, freed by one on a
    /// barrier that starts complete.
    void collect_stages() {
        std::map<std::tuple<int, int, Tick>, const ChartSlice*> fills;  // usage, op, completed
        for (const ChartSlice& slice : chart_.slices) {
            if (slice.kind == ChartSlice::Kind::async) {
                fills[{slice.usage, slice.op, slice.completed}] = &slice;
            }
        }
        std::map<int, std::size_t> open;  // lane -> index of the span that holds it
        for (const StageFlip& flip : recording_.flips) {
            const Barrier& barrier = plan_.barriers[static_cast<std::size_t>(flip.barrier)];
            const auto buffer =
                std::find_if(storage_.buffers.begin(), storage_.buffers.end(),
                             [&](const StoredBuffer& each) { return each.ring == barrier.ring; });
            if (flip.cta != 0 || buffer == storage_.buffers.end()) {
                continue;
            }
            const auto lane = lane_at(static_cast<int>(buffer - storage_.buffers.begin()),
                                      buffer->copies > 1 ? flip.copy : 0, flip.stage);
            if (!lane) {
                continue;
            }
            const Tick at = flip.at - skipped_before(recording_, flip.at);
            if (barrier.initially_complete > 0) {
                if (const auto held = open.find(*lane); held != open.end()) {
                    out_.spans[held->second].end = at;
                    open.erase(held);
                }
                continue;
            }
            if (open.count(*lane) == 0) {
                open[*lane] = filled(flip, *lane, at, fills);
            }
        }
        std::vector<StorageSpan> kept;
        for (const StorageSpan& span : out_.spans) {
            if (span.start < span.end) {
                kept.push_back(span);
            }
        }
        out_.spans = std::move(kept);
    }

    /// Adds what filled a stage, and the span that holds it from `at`, open to the chart's end.
    std::size_t filled(const StageFlip& flip, int lane, Tick at,
                       const std::map<std::tuple<int, int, Tick>, const ChartSlice*>& fills) {
        const int role =
            flip.by.usage < 0
                ? -1
                : recording_.schedule.roles[static_cast<std::size_t>(flip.by.usage)].role;
        const auto fill = fills.find(
            {flip.by.usage, flip.by.op, flip.by.at - skipped_before(recording_, flip.by.at)});
        const int what = label(flip.by.op < 0 ? std::string() : op_label(plan_, role, flip.by.op));
        std::int64_t iteration = -1;
        if (fill != fills.end()) {
            iteration = fill->second->iteration;
            const Tick start = std::min(fill->second->requested, at);
            out_.spans.push_back({Kind::written, lane, what, iteration, start, at});
        }
        out_.spans.push_back({Kind::held, lane, what, iteration, at, std::max(at, chart_.end)});
        return out_.spans.size() - 1;
    }

    void drop_idle_lanes() {
        std::vector<int> kept(out_.lanes.size(), -1);
        for (const StorageSpan& span : out_.spans) {
            kept[static_cast<std::size_t>(span.lane)] = 0;
            kept[static_cast<std::size_t>(out_.lanes[static_cast<std::size_t>(span.lane)].root)] =
                0;
        }
        std::vector<StorageLane> lanes;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (kept[i] == 0) {
                kept[i] = static_cast<int>(lanes.size());
                lanes.push_back(out_.lanes[i]);
            }
        }
        for (StorageLane& lane : lanes) {
            lane.root = kept[static_cast<std::size_t>(lane.root)];
        }
        for (StorageSpan& span : out_.spans) {
            span.lane = kept[static_cast<std::size_t>(span.lane)];
        }
        out_.lanes = std::move(lanes);
    }

    const KernelPlan& plan_;
    const StoragePlan& storage_;
    const Recording& recording_;
    const SliceChart& chart_;
    StorageChart out_;
    std::map<Place, int> lanes_;
    std::vector<Place> places_;  ///< by lane
    std::map<std::string, int> labels_;
    std::map<int, std::vector<StorageSpan>> touches_;  ///< by lane
};

}  // namespace

StorageChart storage_chart(const KernelPlan& plan, const StoragePlan& storage,
                           const Recording& recording, const SliceChart& chart) {
    return StorageBuilder(plan, storage, recording, chart).build();
}

std::vector<StorageStep> storage_in_use(const StorageChart& chart, bool tensor) {
    // Spans open in the storage of each root, by time.
    std::map<Tick, std::map<int, int>> changes;
    for (const StorageSpan& span : chart.spans) {
        const StorageLane& lane = chart.lanes[static_cast<std::size_t>(span.lane)];
        if (lane.tensor == tensor) {
            ++changes[span.start][lane.root];
            --changes[span.end][lane.root];
        }
    }
    std::vector<StorageStep> steps;
    std::map<int, int> open;
    for (const auto& [at, roots] : changes) {
        std::int64_t size = 0;
        for (const auto& [root, change] : roots) {
            open[root] += change;
        }
        for (const auto& [root, count] : open) {
            size += count > 0 ? chart.lanes[static_cast<std::size_t>(root)].size : 0;
        }
        if (steps.empty() || steps.back().size != size) {
            steps.push_back({at, size});
        }
    }
    return steps;
}

}  // namespace warpline
