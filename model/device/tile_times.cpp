#include "warpline/device/tile_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

/// Of n tiles that the run showed to repeat, the cost of n - 1.
[[nodiscard]] TileCost without_last(TileCost cost, const Schedule& schedule, double clusters) {
    const TileRepeat& repeat = schedule.repeat;
    cost.alone -= static_cast<double>(repeat.period);
    for (std::size_t i = 0; i < schedule.units.size(); ++i) {
        const UnitUsage& usage = schedule.units[i];
        cost.busy[static_cast<std::size_t>(usage.unit)] -=
            static_cast<double>(repeat.busy[i]) * usage.instances / clusters;
    }
    cost.bytes_read -= static_cast<double>(repeat.bytes_read) / clusters;
    cost.bytes_written -= static_cast<double>(repeat.bytes_written) / clusters;
    cost.flops -= static_cast<double>(repeat.flops) / clusters;
    return cost;
}

[[nodiscard]] TripPeriod period_of(const Schedule& schedule) {
    if (!schedule.steady.found) {
        return {0, 0.0};
    }
    return {schedule.steady.blocks, static_cast<double>(schedule.steady.period)};
}

[[nodiscard]] TileTimes::Phases phases_of(const Schedule& three) {
    TileTimes::Phases phases;
    if (three.tile_ends.size() >= 3) {
        const auto first = static_cast<double>(three.tile_ends[0]);
        const auto second = static_cast<double>(three.tile_ends[1]);
        phases = {first, second - first, static_cast<double>(three.makespan) - second};
    }
    return phases;
}

/// Measures one class: alone or, for a persistent kernel, in sequences.
class ClassSampler {
  public:
    ClassSampler(const TileRunner& run, bool persistent, int ctas_per_sm)
        : run_(run), persistent_(persistent), clusters_(ctas_per_sm) {}

    [[nodiscard]] Result<TripSample> sample(const TileClass& tile) {
        if (persistent_) {
            return sample_sequence(tile);
        }
        const auto one = run(tile, 1);
        if (!one) {
            return tl::unexpected(one.error());
        }
        return TripSample{cost_of(*one, clusters_), period_of(*one)};
    }

    [[nodiscard]] Result<Schedule> run(const TileClass& tile, std::int64_t count) {
        ++runs_;
        return run_(tile, count);
    }

    /// Of a class that was sampled in a sequence: how a cluster gets through three, and by how much
    /// a fourth departs from the third.
    struct Sequence {
        TileTimes::Phases phases;
        double departure = 0.0;
    };
    [[nodiscard]] Result<Sequence> sequence(const TileClass& tile) {
        Sequence& known = sequences_.at(key(tile)).sequence;
        if (!sequences_.at(key(tile)).repeats) {
            const auto four = run(tile, 4);
            if (!four) {
                return tl::unexpected(four.error());
            }
            const TileCost& cost = sequences_.at(key(tile)).cost;
            known.departure =
                std::abs(static_cast<double>(four->makespan) - cost.three - cost.middle());
        }
        return known;
    }

    [[nodiscard]] int runs() const { return runs_; }

  private:
    using Key = std::array<std::int64_t, 3>;
    struct Sampled {
        TileCost cost;
        bool repeats = false;  ///< from the second or third tile on
        Sequence sequence;
    };

    [[nodiscard]] static Key key(const TileClass& tile) {
        return {tile.blocks, tile.masked_first, tile.masked_last};
    }

    /// Two tiles tell everything when the second repeats the first; else one and three are run,
    /// too, and four by sequence() when the third does not repeat the second either.
    [[nodiscard]] Result<TripSample> sample_sequence(const TileClass& tile) {
        const auto two = run(tile, 2);
        if (!two) {
            return tl::unexpected(two.error());
        }
        Sampled sampled;
        sampled.repeats = two->repeat.found;
        if (sampled.repeats) {
            const auto period = static_cast<double>(two->repeat.period);
            const auto makespan = static_cast<double>(two->makespan);
            const auto first = static_cast<double>(two->tile_ends.front());
            TileCost both = cost_of(*two, clusters_);
            sampled.cost = without_last(both, *two, clusters_);
            sampled.cost.two = makespan;
            sampled.cost.three = makespan + period;
            sampled.sequence.phases = {first, period, makespan - first};
            sequences_[key(tile)] = sampled;
            return TripSample{sampled.cost, period_of(*two)};
        }
        const auto one = run(tile, 1);
        const auto three = run(tile, 3);
        if (!one || !three) {
            return tl::unexpected(!one ? one.error() : three.error());
        }
        sampled.cost = cost_of(*one, clusters_);
        sampled.cost.two = static_cast<double>(two->makespan);
        sampled.cost.three = static_cast<double>(three->makespan);
        sampled.sequence.phases = phases_of(*three);
        sampled.repeats = three->repeat.found;
        if (sampled.repeats) {
            sampled.sequence.departure =
                std::abs(static_cast<double>(three->repeat.period) - sampled.cost.middle());
        }
        sequences_[key(tile)] = sampled;
        return TripSample{sampled.cost, period_of(*one)};
    }

    const TileRunner& run_;
    bool persistent_;
    double clusters_;
    int runs_ = 0;
    std::map<Key, Sampled> sequences_;
};

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
        const auto sequence = sampler.sequence(*times.longest_);
        if (!sequence) {
            return tl::unexpected(sequence.error());
        }
        times.phases_ = sequence->phases;
        times.tile_rate_departure_ = sequence->departure;
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

double TileTimes::value(const TileClass& tile, double TileCost::*quantity) const {
    return curves_.at({tile.masked_first, tile.masked_last}).value(tile.blocks, quantity);
}

std::int64_t TileTimes::cycle(const TileClass& tile, std::int64_t step) const {
    const std::int64_t period = curves_.at({tile.masked_first, tile.masked_last}).period();
    return period / std::gcd(period, step);
}

std::int64_t TileTimes::on_one_line(const TileClass& tile, std::int64_t step,
                                    std::int64_t count) const {
    return curves_.at({tile.masked_first, tile.masked_last})
        .on_one_line({tile.blocks, step, count});
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
