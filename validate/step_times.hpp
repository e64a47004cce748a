// The steps of a kernel's roles in numbers, from measured or simulated spans alike.
#pragma once

#include "warpline/engine/schedule.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/validate/timeline.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpline {

/// One step of one role, averaged over the middle half of each tile's executions (all of them when
/// a tile has at most eight). Cycles.
struct StepTime {
    std::string role, step;
    std::int64_t count = 0;            ///< executions averaged over
    bool repeats = false;              ///< more than eight executions a tile
    std::optional<double> duration{};  ///< begin to end
    std::optional<double> issue{};     ///< begin to issued
    std::optional<double> interval{};  ///< from one begin to the next, of steps that repeat
    std::optional<double> offset{};    ///< begin, after the latest begin of the role's first
                                       ///< repeating step
};

struct RoleSkew {
    std::string role;   ///< "consumer[1]"
    double skew = 0.0;  ///< begin of its first repeating step after that of copy 0
};

/// What stamping cost a step of a measured timeline.
struct StampCost {
    double slowdown = 1.0;  ///< a launch's cycles with stamps over those without
    double stamp = 0.0;     ///< cycles of the stamping thread for one stamp; 0 where not measured
};

struct StepTimes {
    std::vector<StepTime> steps;  ///< by role, then in order of begin
    std::vector<RoleSkew> skews;
    /// Mean interval of all steps that repeat: the initiation interval.
    std::optional<double> interval{};
    double tile = 0.0;  ///< first begin to last end, mean over tiles after the first if there are

    [[nodiscard]] const StepTime* find(const std::string& role, const std::string& step) const;
};

[[nodiscard]] StepTimes step_times(std::vector<Span> spans);

/// Of a timeline that says what a launch took without and with stamps; else nothing.
[[nodiscard]] std::optional<StampCost> stamp_cost(const Timeline& timeline);

/// What a schedule's first warp of each role did. Statements that share the part of their label
/// before ": " are one step; those without a label are left out.
[[nodiscard]] std::vector<Span> spans_of(const KernelPlan& plan, const Schedule& schedule);

/// How often the step that runs most often runs.
[[nodiscard]] std::int64_t most_executions(const std::vector<Span>& spans);

/// A unit's busy cycles in a schedule, of its busiest instance.
struct UnitBusy {
    Unit unit = Unit::issue;
    double cycles = 0.0;
};
[[nodiscard]] std::vector<UnitBusy> busy_units(const Schedule& schedule);

}  // namespace warpline
