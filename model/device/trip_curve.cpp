#include "warpline/device/trip_curve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace warpline {

namespace {

/// f(sum's, a's, b's) for every quantity.
template <typename F>
void for_each_quantity(TileCost& sum, const TileCost& a, const TileCost& b, F&& f) {
    f(sum.alone, a.alone, b.alone);
    f(sum.two, a.two, b.two);
    f(sum.three, a.three, b.three);
    for (std::size_t i = 0; i < unit_count; ++i) {
        f(sum.busy[i], a.busy[i], b.busy[i]);
    }
    f(sum.bytes_read, a.bytes_read, b.bytes_read);
    f(sum.bytes_written, a.bytes_written, b.bytes_written);
    f(sum.flops, a.flops, b.flops);
}

}  // namespace

void add_scaled(TileCost& sum, const TileCost& cost, double factor) {
    for_each_quantity(sum, cost, cost,
                      [&](double& s, double x, double /*same*/) { s += factor * x; });
}

namespace {

/// The two known counts whose line covers `trips`; the same one twice when only one is known.
struct Neighbours {
    TripCurve::Known::const_iterator left, right;
};

[[nodiscard]] Neighbours neighbours(const TripCurve::Known& known, std::int64_t trips) {
    auto right = known.lower_bound(trips);
    if (right != known.end() && right->first == trips) {
        return {right, right};
    }
    if (known.size() == 1) {
        return {known.begin(), known.begin()};
    }
    if (right == known.end()) {
        --right;
    } else if (right == known.begin()) {
        ++right;
    }
    return {std::prev(right), right};
}

/// What one quantity rises by over each of `periods` periods, in whole steps of the grid: as it is
/// where the loop's period was verified. That makes counts on a line an arithmetic progression to
/// the last bit.
[[nodiscard]] double rise(double left, double right, double periods) {
    return std::round((right - left) * TripCurve::steps_per_tick / periods) /
           TripCurve::steps_per_tick;
}

/// The sum of `count` points on the line that are `distance` periods from its left end in all.
void add_line(TileCost& total, const Neighbours& line, double count, double distance,
              double periods) {
    for_each_quantity(total, line.left->second, line.right->second,
                      [&](double& sum, double left, double right) {
                          sum += count * left + rise(left, right, periods) * distance;
                      });
}

[[nodiscard]] std::int64_t residue(std::int64_t trips, std::int64_t period) {
    return ((trips % period) + period) % period;
}

}  // namespace

double TripCurve::periods(std::int64_t from, std::int64_t to) const {
    return static_cast<double>((to - from) / period_);
}

void TripCurve::set(std::int64_t trips, const TileCost& cost) {
    classes_[residue(trips, period_)].insert_or_assign(trips, cost);
}

TileCost TripCurve::at(std::int64_t trips) const {
    return sum({trips, 0, 1});
}

double TripCurve::value(std::int64_t trips, double TileCost::*quantity) const {
    const Neighbours line = neighbours(classes_.at(residue(trips, period_)), trips);
    const double left = line.left->second.*quantity;
    if (line.left == line.right) {
        return left;
    }
    const double right = line.right->second.*quantity;
    return left + rise(left, right, periods(line.left->first, line.right->first)) *
                      periods(line.left->first, trips);
}

std::int64_t TripCurve::on_one_line(const TripCounts& trips) const {
    if (trips.step % period_ != 0) {
        return 1;
    }
    const Known& known = classes_.at(residue(trips.first, period_));
    std::int64_t beyond_first = 0;  // a line ends before its right end, which may depart from it
    if (trips.step > 0) {
        const auto right = known.upper_bound(trips.first);
        beyond_first = right == known.end() ? 0 : (right->first - 1 - trips.first) / trips.step;
    } else if (trips.step < 0) {
        const auto right = known.lower_bound(trips.first);
        beyond_first =
            right == known.begin() ? 0 : (std::prev(right)->first - trips.first) / trips.step;
    } else {
        return trips.count;
    }
    return std::min(trips.count, beyond_first + 1);
}

/// All counts in one residue class, step > 0 (or one count).
void TripCurve::add_monotone(TileCost& total, const TripCounts& trips) const {
    const Known& known = classes_.at(residue(trips.first, period_));
    std::int64_t done = 0;
    while (done < trips.count) {
        const std::int64_t from = trips.first + done * trips.step;
        const Neighbours line = neighbours(known, from);
        if (line.left == line.right) {
            add_scaled(total, line.left->second, 1.0);
            ++done;
            continue;
        }
        std::int64_t last = trips.count - 1;               // index of the last count on this line
        if (from < line.right->first && trips.step > 0) {  // beyond the last known: no limit
            last = std::min(last, (line.right->first - 1 - trips.first) / trips.step);
        }
        const std::int64_t to = trips.first + last * trips.step;
        const auto count = static_cast<double>(last - done + 1);
        const double ends = periods(line.left->first, from) + periods(line.left->first, to);
        add_line(total, line, count, count * ends / 2.0,
                 periods(line.left->first, line.right->first));
        done = last + 1;
    }
}

TileCost TripCurve::sum(const TripCounts& trips) const {
    TileCost total;
    if (trips.count <= 0) {
        return total;
    }
    if (trips.step == 0 || trips.count == 1) {
        TileCost once;
        add_monotone(once, {trips.first, 1, 1});
        add_scaled(total, once, static_cast<double>(trips.count));
        return total;
    }
    TripCounts up = trips;
    if (up.step < 0) {
        up.first += up.step * (up.count - 1);
        up.step = -up.step;
    }
    const std::int64_t cycle = period_ / std::gcd(period_, up.step);
    for (std::int64_t i = 0; i < std::min(cycle, up.count); ++i) {
        add_monotone(total,
                     {up.first + i * up.step, up.step * cycle, (up.count - 1 - i) / cycle + 1});
    }
    return total;
}

}  // namespace warpline
