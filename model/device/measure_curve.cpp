// Chooses the trip counts to measure: as few as verify the loop's period, rather than assume it.
#include "warpline/device/trip_curve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

namespace warpline {
namespace {

/// Distinct trip counts, unless there are more than `limit`.
[[nodiscard]] std::optional<std::set<std::int64_t>> distinct(const std::vector<TripCounts>& needed,
                                                             std::size_t limit) {
    std::set<std::int64_t> all;
    for (const TripCounts& trips : needed) {
        const std::int64_t count = trips.step == 0 ? 1 : trips.count;
        for (std::int64_t i = 0; i < count; ++i) {
            all.insert(trips.first + i * trips.step);
            if (all.size() > limit) {
                return std::nullopt;
            }
        }
    }
    return all;
}

struct Range {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

/// Lowest and highest needed count of each residue class; none when there are more than `limit`.
[[nodiscard]] std::optional<std::map<std::int64_t, Range>> class_ranges(
    const std::vector<TripCounts>& needed, std::int64_t period, std::size_t limit) {
    std::map<std::int64_t, Range> ranges;
    for (const TripCounts& trips : needed) {
        const std::int64_t count = trips.step == 0 ? 1 : trips.count;
        const std::int64_t cycle =
            trips.step == 0 ? 1 : period / std::gcd(period, std::abs(trips.step));
        for (std::int64_t i = 0; i < std::min(cycle, count); ++i) {
            const std::int64_t a = trips.first + i * trips.step;
            const std::int64_t b = trips.first + (i + (count - 1 - i) / cycle * cycle) * trips.step;
            const auto [place, fresh] =
                ranges.try_emplace(a % period, Range{std::min(a, b), std::max(a, b)});
            place->second.low = std::min({place->second.low, a, b});
            place->second.high = std::max({place->second.high, a, b});
            if (ranges.size() > limit) {
                return std::nullopt;
            }
        }
    }
    return ranges;
}

class Measurement {
  public:
    Measurement(const TripSampler& sample, int budget) : sample_(sample), budget_(budget) {}

    [[nodiscard]] Result<TripSample> take(std::int64_t trips) {
        const auto known = taken_.find(trips);
        if (known != taken_.end()) {
            return known->second;
        }
        auto result = sample_(trips);
        if (result) {
            taken_.emplace(trips, *result);
        }
        return result;
    }

    /// Measures both ends of every class, then splits intervals that the period does not explain,
    /// nearer to the short end, where the transient is.
    [[nodiscard]] Result<MeasuredCurve> refine(const std::map<std::int64_t, Range>& ranges,
                                               const TripPeriod& period) {
        MeasuredCurve out{TripCurve(period.blocks), 0, true, 0.0};
        for (const auto& [residue, range] : ranges) {
            for (const std::int64_t trips : {range.low, range.high}) {
                auto sample = take(trips);
                if (!sample) {
                    return tl::unexpected(sample.error());
                }
                out.curve.set(trips, sample->cost);
            }
        }
        while (const auto gap = unexplained(out.curve, period)) {
            if (static_cast<int>(taken_.size()) >= budget_) {
                out.exact = false;
                break;
            }
            auto sample = take(*gap);
            if (!sample) {
                return tl::unexpected(sample.error());
            }
            const double departure = std::abs(out.curve.at(*gap).alone - sample->cost.alone);
            out.interpolation_error = departure;  // the latest: intervals get shorter
            out.curve.set(*gap, sample->cost);
        }
        if (out.exact) {
            out.interpolation_error = 0.0;
        }
        out.samples = static_cast<int>(taken_.size());
        return out;
    }

    [[nodiscard]] int samples() const { return static_cast<int>(taken_.size()); }

  private:
    /// A count to measure inside the longest interval whose ends do not differ by whole periods.
    [[nodiscard]] static std::optional<std::int64_t> unexplained(const TripCurve& curve,
                                                                 const TripPeriod& period) {
        std::optional<std::int64_t> best;
        std::int64_t longest = period.blocks;
        for (const auto& [residue, known] : curve.classes()) {
            for (auto left = known.begin(); left != known.end(); ++left) {
                const auto right = std::next(left);
                if (right == known.end()) {
                    break;
                }
                const std::int64_t width = right->first - left->first;
                if (width <= longest || explained(left->second, right->second, width, period)) {
                    continue;
                }
                const auto middle = static_cast<std::int64_t>(std::sqrt(
                    static_cast<double>(left->first + 1) * static_cast<double>(right->first)));
                const std::int64_t steps = std::clamp((middle - left->first) / period.blocks,
                                                      std::int64_t{1}, width / period.blocks - 1);
                longest = width;
                best = left->first + steps * period.blocks;
            }
        }
        return best;
    }

    [[nodiscard]] static bool explained(const TileCost& left, const TileCost& right,
                                        std::int64_t width, const TripPeriod& period) {
        if (period.ticks <= 0.0) {
            return false;
        }
        const std::int64_t periods = width / period.blocks;
        const double growth = static_cast<double>(periods) * period.ticks;
        return right.alone - left.alone == growth && right.two - left.two == 2.0 * growth &&
               right.three - left.three == 3.0 * growth;
    }

    const TripSampler& sample_;
    int budget_;
    std::map<std::int64_t, TripSample> taken_;
};

}  // namespace

Result<MeasuredCurve> measure_curve(const std::vector<TripCounts>& needed,
                                    const TripSampler& sample, int budget) {
    Measurement measurement(sample, std::max(budget, 2));
    if (const auto all = distinct(needed, static_cast<std::size_t>(std::max(budget, 2)))) {
        MeasuredCurve out;
        for (const std::int64_t trips : *all) {
            auto taken = measurement.take(trips);
            if (!taken) {
                return tl::unexpected(taken.error());
            }
            out.curve.set(trips, taken->cost);
        }
        out.samples = measurement.samples();
        return out;
    }
    std::int64_t longest = 0;
    for (const TripCounts& trips : needed) {
        longest = std::max({longest, trips.first, trips.first + (trips.count - 1) * trips.step});
    }
    const auto top = measurement.take(longest);
    if (!top) {
        return tl::unexpected(top.error());
    }
    if (top->period.blocks > 0) {
        const auto limit = static_cast<std::size_t>(std::max(budget / 3, 1));
        if (const auto ranges = class_ranges(needed, top->period.blocks, limit)) {
            return measurement.refine(*ranges, top->period);
        }
    }
    // No period, or one with more phases than can be measured: interpolate, and say so.
    const auto range = class_ranges(needed, 1, 1);
    return measurement.refine(*range, {1, 0.0});
}

}  // namespace warpline
