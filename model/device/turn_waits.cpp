#include "warpline/device/turn_waits.hpp"

#include "warpline/device/place_in_turn.hpp"
#include "warpline/device/turn_pace.hpp"

#include <fmt/format.h>

namespace warpline {
namespace {

[[nodiscard]] bool may_wait(const KernelPlan& plan, const EngineOptions& options) {
    return takes_turns(plan) && options.ideal.count(Mechanism::turn_wait) == 0;
}

}  // namespace

Result<std::optional<Placement>> with_turn_waits(const Placement& placed, const GpuSpec& spec,
                                                 const KernelPlan& plan,
                                                 const AttentionProblem& problem,
                                                 const TileTimes& times,
                                                 const MemoryEnvironment& memory,
                                                 const EngineOptions& options) {
    const auto longest = times.longest();
    if (!may_wait(plan, options) || !longest ||
        plan.tiles.scheduler != TileScheduler::single_tile) {
        return std::nullopt;
    }
    const auto pace = measure_turn_pace(plan, *longest, memory, options);
    const auto slots = cluster_slots(spec, plan.cluster, plan.ctas_per_sm);
    if (!pace || !slots) {
        return tl::unexpected(!pace ? pace.error() : slots.error());
    }
    return place_in_turn(placed, problem, plan.tiles, times, *pace, *slots, launch_cost(spec));
}

std::optional<std::string> turn_assumption(const KernelPlan& plan, bool waited,
                                           double share_of_time, const EngineOptions& options) {
    if (waited) {
        return fmt::format(
            "CTAs add to a block in the order of their launch: waiting for turns is {:.1f} % of "
            "the kernel's time.",
            100.0 * share_of_time);
    }
    if (may_wait(plan, options)) {
        return "Waiting for a turn in a fixed order is not modelled here.";
    }
    return std::nullopt;
}

}  // namespace warpline
