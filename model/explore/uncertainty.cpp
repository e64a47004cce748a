#include "warpline/explore/uncertainty.hpp"

#include "warpline/explore/parallel.hpp"
#include "warpline/explore/sensitivity.hpp"

#include <algorithm>
#include <cmath>

namespace warpline {
namespace {

double seconds_at(const Predictor& predictor, Point point, const Constant& constant, double value,
                  double base, std::string& reason) {
    point.changes.hardware.push_back({constant.key, constant_text(constant, value)});
    const auto prediction = predictor.predict(point);
    if (prediction) {
        return prediction->seconds;
    }
    reason = prediction.error().diagnostics.front().message;
    return base;
}

}  // namespace

double UncertaintyRow::reach(double base) const {
    return std::max(std::abs(seconds_low - base), std::abs(seconds_high - base)) / base;
}

Result<Uncertainty> propagate_intervals(const Predictor& predictor, const Point& point,
                                        int threads) {
    const auto base = predictor.predict(point);
    if (!base) {
        return tl::unexpected(base.error());
    }
    const auto spec = predictor.spec(point.gpu, point.changes.hardware);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    Uncertainty out;
    out.seconds = base->seconds;
    std::vector<const Constant*> constants;
    for (const auto& [key, constant] : (*spec)->constants) {
        if (!can_be_moved(constant)) {
            continue;
        }
        if (constant.low && constant.high) {
            constants.push_back(&constant);
            out.rows.push_back({key,
                                constant.unit,
                                constant.value,
                                *constant.low,
                                *constant.high,
                                out.seconds,
                                out.seconds,
                                {}});
        } else {
            ++out.without_interval;
        }
    }
    for_each_index(static_cast<std::int64_t>(constants.size()), threads, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        UncertaintyRow& row = out.rows[at];
        const Constant& constant = *constants[at];
        row.seconds_low = seconds_at(predictor, point, constant, row.low, out.seconds, row.reason);
        row.seconds_high =
            seconds_at(predictor, point, constant, row.high, out.seconds, row.reason);
    });
    double faster = 0.0, slower = 0.0;
    for (const UncertaintyRow& row : out.rows) {
        const double a = row.seconds_low - out.seconds, b = row.seconds_high - out.seconds;
        faster += std::pow(std::min({a, b, 0.0}), 2);
        slower += std::pow(std::max({a, b, 0.0}), 2);
    }
    out.low = out.seconds - std::sqrt(faster);
    out.high = out.seconds + std::sqrt(slower);
    std::stable_sort(out.rows.begin(), out.rows.end(), [&](const auto& a, const auto& b) {
        return a.reach(out.seconds) > b.reach(out.seconds);
    });
    return out;
}

}  // namespace warpline
