#include "warpline/device/place_tiles.hpp"

#include "warpline/device/free_slots.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace warpline {
namespace {

constexpr double step_limit = 1 << 20;  // placements made one by one; about 50 ms

/// Calls f for every run of a group, in launch order.
template <typename F>
void for_each_run(const HeadTiles& head, F&& f) {
    for (const TileSection& section : head.sections) {
        for (std::int64_t i = 0; i < section.repeats; ++i) {
            for (TileRun run : section.runs) {
                run.tile.blocks += i * section.step;
                f(run);
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
    TileClass last;

    /// Filling and draining add what a sequence of the last tile's class takes beyond its steady
    /// time; sequences of three and more add the same.
    [[nodiscard]] double duration(const TileTimes& times) const {
        if (tiles == 0) {
            return 0.0;
        }
        const TileCost cost = times.at(last);
        const double middle = cost.middle();
        const double beyond = tiles == 1   ? cost.alone - middle
                              : tiles == 2 ? cost.two - 2.0 * middle
                                           : cost.three - 3.0 * middle;
        return steady + beyond;
    }
};

/// Gives every tile to whoever is free first, each for duration(class) ticks. Nothing when there
/// are too many placements.
template <typename Duration>
[[nodiscard]] std::optional<FreeSlots> list_schedule(const std::vector<HeadTiles>& tiles,
                                                     std::int64_t slots, Duration&& duration) {
    FreeSlots free(slots, step_limit);
    std::vector<TimedRun> runs;
    for (const HeadTiles& head : tiles) {
        runs.clear();
        for_each_run(head, [&](const TileRun& run) {
            runs.push_back({run.tile, duration(run.tile), run.count});
        });
        for (std::int64_t group = 0; group < head.groups; ++group) {
            if (!free.place(runs)) {
                return std::nullopt;
            }
        }
    }
    return free;
}

/// Every tile with a cluster of its own: the end of each slot's last one.
[[nodiscard]] std::vector<double> launch_each(const std::vector<HeadTiles>& tiles,
                                              const TileTimes& times, std::int64_t slots,
                                              const LaunchCost& launch) {
    const auto placed = list_schedule(tiles, slots, [&](const TileClass& tile) {
        return launch.start + times.value(tile, &TileCost::alone) + launch.exit;
    });
    return placed ? placed->ends() : std::vector<double>();
}

/// The end of each persistent cluster, from its sequence of tiles.
[[nodiscard]] std::vector<double> persistent_ends(const std::vector<Sequence>& sequences,
                                                  const TileTimes& times,
                                                  const LaunchCost& launch) {
    std::vector<double> ends;
    ends.reserve(sequences.size());
    for (const Sequence& sequence : sequences) {
        ends.push_back(sequence.tiles == 0 ? 0.0
                                           : launch.start + sequence.duration(times) + launch.exit);
    }
    return ends;
}

/// Clusters that stay and take the next tile when they are free, going by the tiles' steady times:
/// the end of each, or nothing when there are too many placements.
[[nodiscard]] std::vector<double> take_next(const std::vector<HeadTiles>& tiles,
                                            const TileTimes& times, std::int64_t slots,
                                            const LaunchCost& launch) {
    const auto placed = list_schedule(tiles, slots, [&](const TileClass& tile) {
        return times.value(tile, &TileCost::three) - times.value(tile, &TileCost::two);
    });
    if (!placed) {
        return {};
    }
    const std::vector<double> steady = placed->ends();
    std::vector<Sequence> sequences;
    for (std::size_t slot = 0; slot < steady.size(); ++slot) {
        const FreeSlots::Given& given = placed->given()[slot];
        sequences.push_back({given.tiles, steady[slot], given.last});
    }
    return persistent_ends(sequences, times, launch);
}

/// Tile i to slot i % slots: the end of each persistent cluster.
[[nodiscard]] std::vector<double> round_robin(const std::vector<HeadTiles>& tiles,
                                              const TileTimes& times, std::int64_t slots,
                                              const LaunchCost& launch) {
    std::vector<Sequence> sequences(static_cast<std::size_t>(slots));
    std::int64_t next = 0;
    const auto deal = [&](const TileRun& run) {
        const double steady =
            times.value(run.tile, &TileCost::three) - times.value(run.tile, &TileCost::two);
        const std::int64_t touched = std::min(run.count, slots);
        for (std::int64_t i = 0; i < touched; ++i) {
            Sequence& sequence = sequences[static_cast<std::size_t>((next + i) % slots)];
            const std::int64_t tiles_here = (run.count - i + slots - 1) / slots;
            sequence.tiles += tiles_here;
            sequence.steady += steady * static_cast<double>(tiles_here);
            sequence.last = run.tile;
        }
        next = (next + run.count % slots) % slots;
    };
    for (const HeadTiles& head : tiles) {
        for (std::int64_t group = 0; group < head.groups; ++group) {
            for_each_run(head, deal);
        }
    }
    return persistent_ends(sequences, times, launch);
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

LaunchCost launch_cost(const GpuSpec& spec) {
    return {static_cast<double>(spec.sync.cta_start), static_cast<double>(spec.sync.cta_exit)};
}

// Slots are taken from the start on, so an SM is active until the last of its residents ends.
void summarize_ends(Placement& out, const std::vector<double>& ends, const ClusterSlots& slots) {
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
                   : launch_each(tiles, times, out.slots, launch);
    }
    if (ends.empty()) {
        bound(out, tiles, times, scheduler != TileScheduler::single_tile, slots, launch);
    } else {
        summarize_ends(out, ends, slots);
    }
    return out;
}

}  // namespace warpline
