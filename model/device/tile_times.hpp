// What each class of tile of a problem costs, from as few engine runs as give it exactly.
#pragma once

#include "warpline/device/trip_curve.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/tiling.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpline {

/// Runs `count` equal tiles one after the other on each resident cluster.
using TileRunner = std::function<Result<Schedule>(const TileClass& tile, std::int64_t count)>;

/// Costs of all tile classes of a problem. Classes that differ only in `blocks` share a curve.
class TileTimes {
  public:
    /// Errors: the runner's.
    [[nodiscard]] static Result<TileTimes> measure(const std::vector<HeadTiles>& tiles,
                                                   TileScheduler scheduler, int ctas_per_sm,
                                                   const TileRunner& run);

    [[nodiscard]] TileCost at(const TileClass& tile) const;
    /// One quantity of at(), for those who ask often.
    [[nodiscard]] double value(const TileClass& tile, double TileCost::*quantity) const;
    /// Tiles of which each has `step` more blocks: after how many one is on the first one's line.
    [[nodiscard]] std::int64_t cycle(const TileClass& tile, std::int64_t step) const;
    /// See TripCurve::on_one_line(): `count` tiles of which each has `step` more blocks.
    [[nodiscard]] std::int64_t on_one_line(const TileClass& tile, std::int64_t step,
                                           std::int64_t count) const;
    /// Over all tiles of the section, repeats included.
    [[nodiscard]] TileCost total(const TileSection& section) const;
    /// Over the whole problem.
    [[nodiscard]] TileCost total(const std::vector<HeadTiles>& tiles) const;

    /// The class with the most blocks; nothing when there is no tile.
    [[nodiscard]] std::optional<TileClass> longest() const { return longest_; }
    [[nodiscard]] int engine_runs() const { return engine_runs_; }
    [[nodiscard]] bool exact() const { return exact_; }
    /// When not exact(): ticks by which the curve was off at the trip count measured last, where it
    /// was refined. An indication, no bound. 0 when exact.
    [[nodiscard]] double interpolation_error() const { return interpolation_error_; }
    /// Ticks by which a fourth tile of the longest class in a persistent cluster departs from the
    /// third: 0 when tiles have reached their steady rate.
    [[nodiscard]] double tile_rate_departure() const { return tile_rate_departure_; }
    /// End of the first tile, spacing of the middle ones, and the rest of the run after the last
    /// but one: of three tiles of the longest class, ticks.
    struct Phases {
        double first = 0.0, middle = 0.0, last = 0.0;

        friend bool operator==(const Phases&, const Phases&) = default;
    };
    [[nodiscard]] const Phases& phases() const { return phases_; }

    friend bool operator==(const TileTimes&, const TileTimes&) = default;

  private:
    using Masks = std::pair<std::int64_t, std::int64_t>;  // masked_first, masked_last
    std::map<Masks, TripCurve> curves_;
    std::optional<TileClass> longest_;
    int engine_runs_ = 0;
    bool exact_ = true;
    double interpolation_error_ = 0.0;
    double tile_rate_departure_ = 0.0;
    Phases phases_;
};

}  // namespace warpline
