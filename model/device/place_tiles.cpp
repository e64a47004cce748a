#include "warpline/device/place_tiles.hpp"

#include "warpline/device/free_slots.hpp"
#include "warpline/device/timed_tiles.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace warpline {
namespace {

constexpr double step_limit = 1 << 20;     // placements made one by one; about 20 ms
constexpr double dealing_limit = 1 << 24;  // the same of tiles that are dealt out in turn

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
[[nodiscard]] std::optional<FreeSlots> list_schedule(const std::vector<HeadTiles>& tiles,
                                                     const TileTimes& times, std::int64_t slots,
                                                     FreeSlots::Keep keep,
                                                     const TileDuration& duration) {
    FreeSlots free(slots, step_limit, keep);
    double runs = 0.0;
    for (const HeadTiles& head : tiles) {
        const auto timed = time_tiles(head, times, duration, static_cast<std::size_t>(step_limit));
        if (!timed) {
            return std::nullopt;
        }
        for (const TimedSection& section : *timed) {
            runs += static_cast<double>(section.runs.size()) * static_cast<double>(head.groups);
        }
        if (runs > step_limit) {
            return std::nullopt;
        }
        for (std::int64_t group = 0; group < head.groups; ++group) {
            if (!free.place(*timed)) {
                return std::nullopt;
            }
        }
    }
    return free;
}

/// Ticks that each further tile of a class takes in a persistent cluster.
[[nodiscard]] TileDuration steady_time(const TileTimes& times) {
    return [&times](const TileClass& tile) {
        return times.value(tile, &TileCost::three) - times.value(tile, &TileCost::two);
    };
}

/// Every tile with a cluster of its own: the end of each slot's last one.
[[nodiscard]] std::vector<double> launch_each(const std::vector<HeadTiles>& tiles,
                                              const TileTimes& times, std::int64_t slots,
                                              const LaunchCost& launch) {
    const auto placed =
        list_schedule(tiles, times, slots, FreeSlots::Keep::ends, [&](const TileClass& tile) {
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
    const auto placed =
        list_schedule(tiles, times, slots, FreeSlots::Keep::ends_and_tiles, steady_time(times));
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

/// Tiles dealt to the slots in turn.
class Dealing {
  public:
    explicit Dealing(std::int64_t slots) : sequences_(static_cast<std::size_t>(slots)) {}

    [[nodiscard]] bool deal(const std::vector<TimedSection>& tiles) {
        for (const TimedSection& section : tiles) {
            if (section.tiles_a_repeat() == 1) {
                deal(section.runs.front(), section.repeats, section.block_step,
                     section.duration_step);
                continue;
            }
            for (std::int64_t i = 0; i < section.repeats && steps_ <= dealing_limit; ++i) {
                for (TimedRun run : section.runs) {
                    run.tile.blocks += i * section.block_step;
                    run.duration += static_cast<double>(i) * section.duration_step;
                    deal(run, run.count, 0, 0.0);
                }
            }
        }
        return steps_ <= dealing_limit;
    }

    /// Equal groups, one behind the other, one at least. After some of them the next tile is the
    /// same slot's again, and all that follows repeats.
    [[nodiscard]] bool deal(const std::vector<TimedSection>& group, std::int64_t groups) {
        const std::vector<Sequence> before = sequences_;
        const std::int64_t start = next_;
        std::int64_t cycle = 0;
        do {
            if (!deal(group)) {
                return false;
            }
            ++cycle;
        } while (cycle < groups && next_ != start);
        repeat(before, groups / cycle - 1);
        for (std::int64_t left = groups % cycle; left > 0; --left) {
            if (!deal(group)) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] const std::vector<Sequence>& sequences() const { return sequences_; }

  private:
    /// `count` tiles, each with `blocks` more and for `ticks` longer than the one before.
    void deal(const TimedRun& first, std::int64_t count, std::int64_t blocks, double ticks) {
        const auto slots = static_cast<std::int64_t>(sequences_.size());
        const std::int64_t touched = std::min(count, slots);
        for (std::int64_t i = 0; i < touched; ++i) {
            Sequence& sequence = sequences_[static_cast<std::size_t>((next_ + i) % slots)];
            const std::int64_t before = (count - i - 1) / slots;  // its tiles but for the last
            const auto here = static_cast<double>(before + 1);
            sequence.tiles += before + 1;
            sequence.steady +=
                here * (first.duration + static_cast<double>(i) * ticks) +
                ticks * static_cast<double>(slots) * (here * static_cast<double>(before) / 2.0);
            sequence.last = first.tile;
            sequence.last.blocks += (i + before * slots) * blocks;
        }
        next_ = (next_ + count % slots) % slots;
        steps_ += static_cast<double>(touched);
    }

    /// What the slots were given since `before`, `times` more.
    void repeat(const std::vector<Sequence>& before, std::int64_t times) {
        for (std::size_t i = 0; i < sequences_.size(); ++i) {
            sequences_[i].tiles += times * (sequences_[i].tiles - before[i].tiles);
            sequences_[i].steady +=
                static_cast<double>(times) * (sequences_[i].steady - before[i].steady);
        }
    }

    std::vector<Sequence> sequences_;
    std::int64_t next_ = 0;
    double steps_ = 0.0;
};

/// Tile i to slot i % slots: the end of each persistent cluster, or nothing when there are too many
/// placements.
[[nodiscard]] std::vector<double> round_robin(const std::vector<HeadTiles>& tiles,
                                              const TileTimes& times, std::int64_t slots,
                                              const LaunchCost& launch) {
    Dealing dealing(slots);
    for (const HeadTiles& head : tiles) {
        const auto timed =
            time_tiles(head, times, steady_time(times), static_cast<std::size_t>(step_limit));
        if (!timed || !dealing.deal(*timed, head.groups)) {
            return {};
        }
    }
    return persistent_ends(dealing.sequences(), times, launch);
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
           TileScheduler scheduler, const ClusterSlots& slots, const LaunchCost& launch) {
    const bool persistent = scheduler != TileScheduler::single_tile;
    const TileCost total = times.total(tiles);
    const TileCost longest = times.at(times.longest().value_or(TileClass{}));
    const auto count = static_cast<double>(slots.slots());
    const double ends = launch.start + launch.exit;
    const double clusters =
        persistent ? static_cast<double>(out.slots_used) : static_cast<double>(out.tiles);
    const double mean = ((persistent ? total.middle() : total.alone) + clusters * ends) / count;
    Bounds bounds = list_bounds(mean, longest.alone + ends);
    if (scheduler == TileScheduler::dynamic_persistent) {
        // Who is free first takes the next: Graham's for the steady times, and an end.
        bounds = list_bounds(mean - ends, longest.alone);
        bounds = {bounds.low + ends, bounds.high + ends};
    } else if (persistent) {
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
    std::vector<double> ends;
    switch (scheduler) {
        case TileScheduler::single_tile:
            ends = launch_each(tiles, times, out.slots, launch);
            break;
        case TileScheduler::static_persistent:
            ends = round_robin(tiles, times, out.slots, launch);
            break;
        case TileScheduler::dynamic_persistent:
            ends = take_next(tiles, times, out.slots, launch);
            break;
    }
    if (ends.empty()) {
        bound(out, tiles, times, scheduler, slots, launch);
    } else {
        summarize_ends(out, ends, slots);
    }
    return out;
}

}  // namespace warpline
