// A measured timeline beside the simulated one, for people and for spreadsheets.
#pragma once

#include "warpline/reports/text.hpp"
#include "warpline/validate/step_times.hpp"
#include "warpline/validate/timeline.hpp"

#include <string>

namespace warpline {

struct TimelineComparison {
    Timeline measured;
    StepTimes measured_times;
    StepTimes simulated_times;
    std::vector<UnitBusy> units;       ///< of the simulated tile
    std::int64_t simulated_steps = 0;  ///< executions of a step that repeats, in that tile
};

/// Steps of both, side by side: durations, begins within the loop step, intervals (as stamped, and
/// with stamps deducted where the timeline knows what they cost), skews of role copies, and units'
/// shares of the interval.
[[nodiscard]] std::string timeline_text(const TimelineComparison& comparison, const Style& style);

/// One line a role and step. Cycles; empty where one side does not know.
[[nodiscard]] std::string timeline_csv(const TimelineComparison& comparison);

}  // namespace warpline
