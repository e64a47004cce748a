// The repeating step of a long tile: the three answers and what each unit does in it.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/device/tile_times.hpp"

#include <array>

namespace warpline {

struct SteadyStep {
    Schedule schedule;  ///< of a long tile
    Roofline roofline;
    RecurrenceBound recurrence;
    double step_ticks = 0.0;  ///< simulated, mean over one period
    /// Fraction of the step for which the unit's busiest instance is busy.
    std::array<double, unit_count> busy{};
    bool periodic = false;  ///< the engine found the loop's period
};

/// From a long tile with the masks of `like`; when its loop does not become periodic, from the same
/// tile made longer, too. `run` simulates tiles of the plan with these options. Errors: the
/// engine's and the recurrence bound's; infeasible when a unit comes out more than fully busy.
[[nodiscard]] Result<SteadyStep> measure_steady_step(const KernelPlan& plan, const TileClass& like,
                                                     const MemoryEnvironment& memory,
                                                     const EngineOptions& options,
                                                     const TileRunner& run);

}  // namespace warpline
