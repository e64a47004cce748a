// The cost of a tile as a function of its trip count, known exactly at a few trip counts.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/unit.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace warpline {

/// What one tile of one cluster costs. Times and busy times are ticks; `busy` is summed over the
/// unit's instances in the cluster.
struct TileCost {
    double alone = 0.0;  ///< a cluster that works on this tile only, first to last operation
    double two = 0.0;    ///< on two such tiles; twice `alone` unless the kernel is persistent
    double three = 0.0;  ///< on three
    std::array<double, unit_count> busy{};
    double bytes_read = 0.0;     ///< from L2
    double bytes_written = 0.0;  ///< to L2
    double flops = 0.0;          ///< on tensor cores

    /// Time each further tile of this class adds in a persistent cluster.
    [[nodiscard]] double middle() const { return three - two; }

    friend bool operator==(const TileCost&, const TileCost&) = default;
};

/// sum += factor * cost, in every quantity.
void add_scaled(TileCost& sum, const TileCost& cost, double factor);

/// Trip counts first, first + step, ..., `count` of them. `step` may be negative or zero.
struct TripCounts {
    std::int64_t first = 0;
    std::int64_t step = 0;
    std::int64_t count = 1;
};

/// A long loop's repetition: `blocks` more trips take `ticks` more.
struct TripPeriod {
    std::int64_t blocks = 1;
    double ticks = 0.0;
};

/// Piecewise linear in the trip count within each residue class of the period.
class TripCurve {
  public:
    /// A line rises by whole steps each period, so that sums of its values are exact.
    static constexpr double steps_per_tick = 256.0;

    explicit TripCurve(std::int64_t period = 1) : period_(period) {}

    void set(std::int64_t trips, const TileCost& cost);
    /// The cost at `trips`: exact at a known count, else on the line between the known neighbours
    /// of its residue class (beyond the last: continued). Precondition: the class has a member.
    [[nodiscard]] TileCost at(std::int64_t trips) const;
    /// One quantity of at(), the same to the last bit.
    [[nodiscard]] double value(std::int64_t trips, double TileCost::*quantity) const;
    /// How many of the counts, the first included, lie between the same two known counts, the left
    /// one included; 1 where the progression changes its residue class. Their values are an
    /// arithmetic progression, but for the first where it is known itself.
    [[nodiscard]] std::int64_t on_one_line(const TripCounts& trips) const;
    /// The sum over a progression, in time that does not depend on its length.
    [[nodiscard]] TileCost sum(const TripCounts& trips) const;

    [[nodiscard]] std::int64_t period() const { return period_; }
    using Known = std::map<std::int64_t, TileCost>;
    [[nodiscard]] const std::map<std::int64_t, Known>& classes() const { return classes_; }

    friend bool operator==(const TripCurve&, const TripCurve&) = default;

  private:
    [[nodiscard]] double periods(std::int64_t from, std::int64_t to) const;
    void add_monotone(TileCost& total, const TripCounts& trips) const;

    std::int64_t period_;
    std::map<std::int64_t, Known> classes_;  // by trips % period
};

/// One measurement: the tile's cost, and the loop's period when the engine found one.
struct TripSample {
    TileCost cost;
    TripPeriod period{0, 0.0};  ///< blocks = 0: none found
};
using TripSampler = std::function<Result<TripSample>(std::int64_t trips)>;

struct MeasuredCurve {
    TripCurve curve;
    int samples = 0;
    /// Every needed trip count was measured, or lies between two measured ones of its residue
    /// class that differ by exactly the period's time.
    bool exact = true;
    /// Otherwise: departure, in ticks, of the last count measured from the line between its
    /// neighbours then known; an interpolated time is off by about as much or less.
    double interpolation_error = 0.0;
};

/// Measures a curve that covers `needed` with at most about `budget` samples. Trip counts below
/// the period's transient are measured one by one as far as the budget goes. Errors: the sampler's.
[[nodiscard]] Result<MeasuredCurve> measure_curve(const std::vector<TripCounts>& needed,
                                                  const TripSampler& sample, int budget);

}  // namespace warpline
