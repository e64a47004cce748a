// How much of the tensor cores and of the SMEM port is in use at each time of a chart.
#pragma once

#include "warpline/reports/slice_chart.hpp"

#include <vector>

namespace warpline {

/// From `at` to the next step's.
struct OccupancyStep {
    Tick at = 0;
    double share = 0.0;
};
struct OccupancyCurve {
    int sm = 0;
    std::vector<OccupancyStep> steps;  ///< in order of time, each different from the one before
};

struct Occupancy {
    /// Tensor cores of the SM that execute or fetch for an MMA, as a share.
    std::vector<OccupancyCurve> tensor;
    /// Of the SMEM port's bytes a clock: what the running operations ask for, each one's bytes
    /// spread evenly over its time. May pass 1 where operations queue.
    std::vector<OccupancyCurve> smem;
};

/// `chart` was built of `schedule`, or is a part of what was.
[[nodiscard]] Occupancy occupancy_of(const KernelPlan& plan, const Schedule& schedule,
                                     const SliceChart& chart);

}  // namespace warpline
