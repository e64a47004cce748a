#include "warpline/device/tile_times.hpp"

#include <algorithm>
#include <cmath>

namespace warpline {
namespace {

constexpr int run_budget = 12;  // engine runs that a family of classes may take

/// Trip counts that the problem needs, by family.
template <typename Families>
void collect(const std::vector<HeadTiles>& tiles, Families& families) {
    for (const HeadTiles& head : tiles) {
        for (const TileSection& section : head.sections) {
            for (const TileRun& run : section.runs) {
                families[{run.tile.masked_first, run.tile.masked_last}].push_back(
                    {run.tile.blocks, section.step, section.repeats});
            }
        }
    }
}

[[nodiscard]] TileCost cost_of(const Schedule& schedule, double clusters) {
    TileCost cost;
    cost.alone = static_cast<double>(schedule.makespan);
    cost.two = 2.0 * cost.alone;  // without overlap, unless sequences are measured
    cost.three = 3.0 * cost.alone;
    for (const UnitUsage& usage : schedule.units) {
        cost.busy[static_cast<std::size_t>(usage.unit)] +=
            static_cast<double>(usage.busy) * usage.instances / clusters;
    }
    cost.bytes_read = static_cast<double>(schedule.bytes_read) / clusters;
    cost.bytes_written = static_cast<double>(schedule.bytes_written) / clusters;
    cost.flops = static_cast<double>(schedule.flops) / clusters;
    return cost;
}

/// Measures one class: alone and, for a persistent kernel, in sequences of two and three.
class ClassSampler {
  public:
    ClassSampler(const TileRunner& run, bool persistent, int ctas_per_sm)
        : run_(run), persistent_(persistent), clusters_(ctas_per_sm) {}

    [[nodiscard]] Result<TripSample> sample(const TileClass& tile) {
        const auto one = run(tile, 1);
        if (!one) {
            return tl::unexpected(one.error());
        }
        TripSample out{cost_of(*one, clusters_), {0, 0.0}};
        if (one->steady.found) {
            out.period = {one->steady.blocks, static_cast<double>(one->steady.period)};
        }
        if (persistent_) {
            const auto two = run(tile, 2);
            const auto three = run(tile, 3);
            if (!two || !three) {
                return tl::unexpected(!two ? two.error() : three.error());
            }
            out.cost.two = static_cast<double>(two->makespan);
            out.cost.three = static_cast<double>(three->makespan);
        }
        return out;
    }

    [[nodiscard]] Result<Schedule> run(const TileClass& tile, std::int64_t count) {
        ++runs_;
        return run_(tile, count);
    }

    [[nodiscard]] int runs() const { return runs_; }

  private:
    const TileRunner& run_;
    bool persistent_;
    double clusters_;
    int runs_ = 0;
};

[[nodiscard]] TileTimes::Phases phases_of(const Schedule& three) {
    TileTimes::Phases phases;
    if (three.tile_ends.size() >= 3) {
        const auto first = static_cast<double>(three.tile_ends[0]);
        const auto second = static_cast<double>(three.tile_ends[1]);
        phases = {first, second - first, static_cast<double>(three.makespan) - second};
    }
    return phases;
}

}  // namespace

Result<TileTimes> TileTimes::measure(const std::vector<HeadTiles>& tiles, TileScheduler scheduler,
                                     int ctas_per_sm, const TileRunner& run) {
    const bool persistent = scheduler != TileScheduler::single_tile;
    ClassSampler sampler(run, persistent, ctas_per_sm);
    std::map<Masks, std::vector<TripCounts>> families;
    collect(tiles, families);
    TileTimes times;
    for (const auto& [masks, needed] : families) {
        const auto at = [&, first = masks.first, last = masks.second](std::int64_t trips) {
            return sampler.sample({trips, first, last});
        };
        auto measured = measure_curve(needed, at, persistent ? run_budget / 3 : run_budget);
        if (!measured) {
            return tl::unexpected(measured.error());
        }
        times.exact_ = times.exact_ && measured->exact;
        times.interpolation_error_ =
            std::max(times.interpolation_error_, measured->interpolation_error);
        times.curves_.emplace(masks, std::move(measured->curve));
        for (const TripCounts& trips : needed) {
            for (const std::int64_t blocks :
                 {trips.first, trips.first + (trips.count - 1) * trips.step}) {
                if (!times.longest_ || blocks > times.longest_->blocks) {
                    times.longest_ = TileClass{blocks, masks.first, masks.second};
                }
            }
        }
    }
    if (times.longest_ && persistent) {
        const auto three = sampler.run(*times.longest_, 3);
        const auto four = sampler.run(*times.longest_, 4);
        if (!three || !four) {
            return tl::unexpected(!three ? three.error() : four.error());
        }
        times.phases_ = phases_of(*three);
        times.tile_rate_departure_ =
            std::abs(static_cast<double>(four->makespan - three->makespan) -
                     times.at(*times.longest_).middle());
    } else if (times.longest_) {
        const double alone = times.at(*times.longest_).alone;
        times.phases_ = {alone, alone, alone};
    }
    times.engine_runs_ = sampler.runs();
    return times;
}

TileCost TileTimes::at(const TileClass& tile) const {
    return curves_.at({tile.masked_first, tile.masked_last}).at(tile.blocks);
}

TileCost TileTimes::total(const TileSection& section) const {
    TileCost sum;
    for (const TileRun& run : section.runs) {
        const TripCurve& curve = curves_.at({run.tile.masked_first, run.tile.masked_last});
        add_scaled(sum, curve.sum({run.tile.blocks, section.step, section.repeats}),
                   static_cast<double>(run.count));
    }
    return sum;
}

TileCost TileTimes::total(const std::vector<HeadTiles>& tiles) const {
    TileCost sum;
    for (const HeadTiles& head : tiles) {
        for (const TileSection& section : head.sections) {
            add_scaled(sum, total(section), static_cast<double>(head.groups));
        }
    }
    return sum;
}

}  // namespace warpline
