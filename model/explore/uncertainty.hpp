// What the intervals of a specification's constants mean for a prediction.
#pragma once

#include "warpline/explore/predictor.hpp"

#include <string>
#include <vector>

namespace warpline {

/// One constant with an interval, moved to either end.
struct UncertaintyRow {
    std::string key, unit;
    double value = 0.0, low = 0.0, high = 0.0;
    double seconds_low = 0.0, seconds_high = 0.0;  ///< with the constant at that end
    std::string reason;  ///< why an end has no prediction; that end then counts as no change

    /// The larger of the two changes of the time, as a fraction of `base` seconds.
    [[nodiscard]] double reach(double base) const;
};

struct Uncertainty {
    double seconds = 0.0;
    /// Constants taken as independent: roots of the sums of squares, to either side.
    double low = 0.0, high = 0.0;
    std::vector<UncertaintyRow> rows;  ///< by falling reach, then by key
    int without_interval = 0;  ///< numbers that the model reads and whose interval nobody stated
};

/// Moves every constant that has an interval to its ends, one at a time. The clock takes part
/// unless the point sets one. Errors: those of predict().
[[nodiscard]] Result<Uncertainty> propagate_intervals(const Predictor& predictor,
                                                      const Point& point, int threads = 0);

}  // namespace warpline
