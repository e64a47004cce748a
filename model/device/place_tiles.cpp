#include "warpline/device/place_tiles.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace warpline {
namespace {

constexpr double step_limit = 1 << 20;  // placements made one by one; about 50 ms

/// Calls f for every run of the problem, in launch order, with its cost, until f returns false.
template <typename F>
void for_each_run(const std::vector<HeadTiles>& tiles, const TileTimes& times, F&& f) {
    for (const HeadTiles& head : tiles) {
        for (std::int64_t group = 0; group < head.groups; ++group) {
            for (const TileSection& section : head.sections) {
                for (std::int64_t i = 0; i < section.repeats; ++i) {
                    for (const TileRun& run : section.runs) {
                        TileClass tile = run.tile;
                        tile.blocks += i * section.step;
                        if (!f(times.at(tile), run.count)) {
                            return;
                        }
                    }
                }
            }
        }
    }
}

/// Placements that for_each_run leads to, a run of equal tiles costing at most `most`.
[[nodiscard]] double steps(const std::vector<HeadTiles>& tiles, std::int64_t most) {
    double total = 0.0;
    for (const HeadTiles& head : tiles) {
        for (const TileSection& section : head.sections) {
            for (const TileRun& run : section.runs) {
                total += static_cast<double>(std::min(run.count, most)) *
                         static_cast<double>(section.repeats) * static_cast<double>(head.groups);
            }
        }
    }
    return total;
}

/// What one persistent cluster has been given so far.
struct Sequence {
    std::int64_t tiles = 0;
    double steady = 0.0;  ///< sum of the tiles' steady times
    TileCost last;

    void add(const TileCost& cost, std::int64_t count) {
        tiles += count;
        steady += cost.middle() * static_cast<double>(count);
        last = cost;
    }

    /// Filling and draining add what a sequence of the last tile's class takes beyond its steady
    /// time; sequences of three and more add the same.
    [[nodiscard]] double duration() const {
        if (tiles == 0) {
            return 0.0;
        }
        const double middle = last.middle();
        const double beyond = tiles == 1   ? last.alone - middle
                              : tiles == 2 ? last.two - 2.0 * middle
                                           : last.three - 3.0 * middle;
        return steady + beyond;
    }
};

/// Slots by the time at which they are free.
class FreeSlots {
  public:
    explicit FreeSlots(std::int64_t slots) : sequences_(static_cast<std::size_t>(slots)) {
        for (std::int64_t slot = 0; slot < slots; ++slot) {
            heap_.push_back({0.0, slot});
        }
    }

    /// Gives `count` tiles, which keep a slot for `duration` each, to whoever is free first. False
    /// when too many placements had to be made one by one.
    [[nodiscard]] bool place(const TileCost& cost, double duration, std::int64_t count) {
        const auto slots = static_cast<std::int64_t>(heap_.size());
        while (count > 0) {
            // When the free times lie within one duration, a round gives every slot one tile and
            // leaves their order as it was.
            if (count >= slots && latest_ - heap_.front().time <= duration) {
                const std::int64_t rounds = count / slots;
                const double added = duration * static_cast<double>(rounds);
                for (Slot& slot : heap_) {
                    slot.time += added;
                    sequence(slot).add(cost, rounds);
                }
                latest_ += added;
                count -= rounds * slots;
                continue;
            }
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
            heap_.back().time += duration;
            sequence(heap_.back()).add(cost, 1);
            latest_ = std::max(latest_, heap_.back().time);
            std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
            --count;
            steps_ += 1.0;
            if (steps_ > step_limit) {
                return false;
            }
        }
        return true;
    }

    /// When each slot is free for good.
    [[nodiscard]] std::vector<double> ends() const {
        std::vector<double> ends(heap_.size());
        for (const Slot& slot : heap_) {
            ends[static_cast<std::size_t>(slot.index)] = slot.time;
        }
        return ends;
    }

    /// What each slot has been given.
    [[nodiscard]] const std::vector<Sequence>& sequences() const { return sequences_; }

  private:
    struct Slot {
        double time = 0.0;
        std::int64_t index = 0;
        [[nodiscard]] bool operator>(const Slot& other) const {
            return time > other.time || (time == other.time && index > other.index);
        }
    };
    [[nodiscard]] Sequence& sequence(const Slot& slot) {
        return sequences_[static_cast<std::size_t>(slot.index)];
    }

    std::vector<Slot> heap_;
    std::vector<Sequence> sequences_;  // apart: the heap moves its entries about
    double latest_ = 0.0;
    double steps_ = 0.0;
};

/// The end of each slot's last cluster; empty when there are too many placements.
[[nodiscard]] std::vector<double> list_schedule(const std::vector<HeadTiles>& tiles,
                                                const TileTimes& times, std::int64_t slots,
                                                const LaunchCost& launch) {
    FreeSlots free(slots);
    bool within_limit = true;
    for_each_run(tiles, times, [&](const TileCost& cost, std::int64_t count) {
        within_limit = free.place(cost, launch.start + cost.alone + launch.exit, count);
        return within_limit;
    });
    return within_limit ? free.ends() : std::vector<double>();
}

/// The end of each persistent cluster, from its sequence of tiles.
[[nodiscard]] std::vector<double> persistent_ends(const std::vector<Sequence>& sequences,
                                                  const LaunchCost& launch) {
    std::vector<double> ends;
    ends.reserve(sequences.size());
    for (const Sequence& sequence : sequences) {
        ends.push_back(sequence.tiles == 0 ? 0.0
                                           : launch.start + sequence.duration() + launch.exit);
    }
    return ends;
}

/// Clusters that stay and take the next tile when they are free, going by the tiles' steady times:
/// the end of each, or nothing when there are too many placements.
[[nodiscard]] std::vector<double> take_next(const std::vector<HeadTiles>& tiles,
                                            const TileTimes& times, std::int64_t slots,
                                            const LaunchCost& launch) {
    FreeSlots free(slots);
    bool within_limit = true;
    for_each_run(tiles, times, [&](const TileCost& cost, std::int64_t count) {
        within_limit = free.place(cost, cost.middle(), count);
        return within_limit;
    });
    return within_limit ? persistent_ends(free.sequences(), launch) : std::vector<double>();
}

[[nodiscard]] std::vector<double> round_robin(const std::vector<HeadTiles>& tiles,
                                              const TileTimes& times, std::int64_t slots,
                                              const LaunchCost& launch) {
    std::vector<Sequence> sequences(static_cast<std::size_t>(slots));
    std::int64_t next = 0;
    for_each_run(tiles, times, [&](const TileCost& cost, std::int64_t count) {
        const std::int64_t touched = std::min(count, slots);
        for (std::int64_t i = 0; i < touched; ++i) {
            sequences[static_cast<std::size_t>((next + i) % slots)].add(
                cost, (count - i + slots - 1) / slots);
        }
        next = (next + count % slots) % slots;
        return true;
    });
    return persistent_ends(sequences, launch);
}

/// From the end of each slot's last cluster. Slots never wait before that, so an SM is active until
/// the last of its residents ends.
void summarize(Placement& out, const std::vector<double>& ends, const ClusterSlots& slots) {
    out.makespan = *std::max_element(ends.begin(), ends.end());
    double active = 0.0;
    for (std::int64_t position = 0; position < slots.positions; ++position) {
        double end = 0.0;
        for (std::int64_t i = position; i < slots.slots(); i += slots.positions) {
            end = std::max(end, ends[static_cast<std::size_t>(i)]);
        }
        active += end * static_cast<double>(slots.cluster);
    }
    out.mean_active = active / static_cast<double>(slots.sm_count);
    out.tail = out.makespan -
               std::accumulate(ends.begin(), ends.end(), 0.0) / static_cast<double>(ends.size());
}

/// The problem with count(run) tiles in place of each run's.
template <typename Count>
[[nodiscard]] std::vector<HeadTiles> recounted(std::vector<HeadTiles> tiles, Count&& count) {
    for (HeadTiles& head : tiles) {
        for (TileSection& section : head.sections) {
            for (TileRun& run : section.runs) {
                run.count = count(run.count);
            }
        }
    }
    return tiles;
}

struct Bounds {
    double low = 0.0, high = 0.0;
};

/// Graham's bounds on list scheduling.
[[nodiscard]] Bounds list_bounds(double mean, double longest) {
    return {std::max(mean, longest), mean + longest};
}

/// Dealing a run's tiles out in turn gives a slot the whole part of its share, or one tile more.
[[nodiscard]] Bounds dealt_bounds(const std::vector<HeadTiles>& tiles, const TileTimes& times,
                                  std::int64_t slots, double mean, const TileCost& longest) {
    const auto rounded_up = [slots](std::int64_t count) { return (count + slots - 1) / slots; };
    const double most = times.total(recounted(tiles, rounded_up)).middle();
    // Beyond its tiles' steady times, a sequence fills and drains once.
    const double beyond = std::max(0.0, longest.alone - longest.middle());
    return {mean, std::max(mean, most + beyond)};
}

/// When there are too many placements to make: the middle between two bounds.
void bound(Placement& out, const std::vector<HeadTiles>& tiles, const TileTimes& times,
           bool persistent, const ClusterSlots& slots, const LaunchCost& launch) {
    const TileCost total = times.total(tiles);
    const TileCost longest = times.at(times.longest().value_or(TileClass{}));
    const auto count = static_cast<double>(slots.slots());
    const double ends = launch.start + launch.exit;
    const double clusters =
        persistent ? static_cast<double>(out.slots_used) : static_cast<double>(out.tiles);
    const double mean = ((persistent ? total.middle() : total.alone) + clusters * ends) / count;
    Bounds bounds = list_bounds(mean, longest.alone + ends);
    if (persistent) {
        bounds = dealt_bounds(tiles, times, slots.slots(), mean - ends, longest);
        bounds = {bounds.low + ends, bounds.high + ends};
    }
    out.makespan = (bounds.low + bounds.high) / 2.0;
    out.makespan_error = (bounds.high - bounds.low) / 2.0;
    out.mean_active = mean * static_cast<double>(slots.positions * slots.cluster) /
                      static_cast<double>(slots.sm_count);
    out.tail = out.makespan - mean;
}

}  // namespace

Result<Placement> place_tiles(const std::vector<HeadTiles>& tiles, const TileTimes& times,
                              TileScheduler scheduler, const ClusterSlots& slots,
                              const LaunchCost& launch) {
    const auto count = count_tiles(tiles);
    if (!count) {
        return tl::unexpected(count.error());
    }
    Placement out;
    out.tiles = *count;
    out.slots = slots.slots();
    out.slots_used = std::min(*count, out.slots);
    out.waves = static_cast<double>(*count) / static_cast<double>(out.slots);
    if (*count == 0) {
        return out;
    }
    const bool in_turn = scheduler == TileScheduler::static_persistent;
    std::vector<double> ends;
    if (steps(tiles, in_turn ? out.slots : 1) <= step_limit) {
        ends = in_turn ? round_robin(tiles, times, out.slots, launch)
               : scheduler == TileScheduler::dynamic_persistent
                   ? take_next(tiles, times, out.slots, launch)
                   : list_schedule(tiles, times, out.slots, launch);
    }
    if (ends.empty()) {
        bound(out, tiles, times, scheduler != TileScheduler::single_tile, slots, launch);
    } else {
        summarize(out, ends, slots);
    }
    return out;
}

}  // namespace warpline
