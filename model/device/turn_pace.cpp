#include "warpline/device/turn_pace.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t short_tile = 16;  // blocks: past what starting a tile takes
constexpr std::int64_t long_tile = 192;
constexpr double late_by = 8.0;  // steps; no kernel has buffers for as many

[[nodiscard]] const TurnOp* turn_of(const Op& op) {
    return std::get_if<TurnOp>(&op.body);
}

/// Index of the first role that takes turns, or the number of roles.
[[nodiscard]] std::size_t role_with_turns(const KernelPlan& plan) {
    const auto found = std::find_if(plan.roles.begin(), plan.roles.end(), [](const Role& role) {
        return std::any_of(role.program.begin(), role.program.end(), [](const Op& op) {
            const TurnOp* turn = turn_of(op);
            return turn != nullptr && !turn->passes;
        });
    });
    return static_cast<std::size_t>(found - plan.roles.begin());
}

/// Ticks at which a warp of the first CTA took its turns, and at which the next CTA could see that
/// they were passed on.
struct TurnEvents {
    std::vector<double> taken;
    std::vector<double> passing;  ///< the warp begins to
    std::vector<double> passed;
    double end = 0.0;  ///< of the tile
};

[[nodiscard]] TurnEvents events_of(const KernelPlan& plan, const Schedule& schedule,
                                   std::size_t role) {
    TurnEvents events;
    events.end = static_cast<double>(schedule.makespan);
    const auto is_first_warp = [&](const RoleUsage& usage) {
        return usage.role == static_cast<int>(role) && usage.sm == 0 && usage.resident == 0;
    };
    const auto warp =
        static_cast<int>(std::find_if(schedule.roles.begin(), schedule.roles.end(), is_first_warp) -
                         schedule.roles.begin());
    for (const ScheduleEvent& event : schedule.events) {
        if (event.usage != warp) {
            continue;
        }
        const TurnOp* turn = turn_of(plan.roles[role].program[static_cast<std::size_t>(event.op)]);
        if (turn != nullptr && turn->passes) {
            events.passing.push_back(static_cast<double>(event.start));
            events.passed.push_back(static_cast<double>(event.end + turn->visible));
        } else if (turn != nullptr) {
            events.taken.push_back(static_cast<double>(event.start));
        }
    }
    return events;
}

/// Ticks of a step of a long tile's loop.
[[nodiscard]] Result<double> step_of(const KernelPlan& plan, const TileClass& tile,
                                     const MemoryEnvironment& memory,
                                     const EngineOptions& options) {
    const auto schedule = simulate(plan, {{tile, 1}}, memory, options);
    if (!schedule) {
        return tl::unexpected(schedule.error());
    }
    if (schedule->steady.found) {
        return static_cast<double>(schedule->steady.period) /
               static_cast<double>(schedule->steady.blocks);
    }
    TileClass half = tile;
    half.blocks = tile.blocks / 2;
    half.masked_first = std::min(half.masked_first, half.blocks);
    const auto shorter = simulate(plan, {{half, 1}}, memory, options);
    if (!shorter) {
        return tl::unexpected(shorter.error());
    }
    return static_cast<double>(schedule->makespan - shorter->makespan) /
           static_cast<double>(tile.blocks - half.blocks);
}

[[nodiscard]] KernelPlan with_late_turns(KernelPlan plan, Tick delay) {
    for (Role& role : plan.roles) {
        for (Op& op : role.program) {
            auto* turn = std::get_if<TurnOp>(&op.body);
            if (turn != nullptr && !turn->passes) {
                turn->cost += delay;
            }
        }
    }
    return plan;
}

/// A tile of `blocks`, masked where `like` is; a tile masked throughout stays so.
[[nodiscard]] TileClass resized(const TileClass& like, std::int64_t blocks) {
    const bool throughout = like.masked_first >= like.blocks;
    return {blocks, throughout ? blocks : std::min(like.masked_first, blocks / 2), 0};
}

}  // namespace

bool takes_turns(const KernelPlan& plan) {
    return role_with_turns(plan) < plan.roles.size();
}

Result<TurnPace> measure_turn_pace(const KernelPlan& plan, TileClass like,
                                   const MemoryEnvironment& memory, const EngineOptions& options) {
    EngineOptions recording = options;
    recording.record_events = true;
    recording.fold_steady_state = false;
    const auto recorded = simulate(plan, {{resized(like, short_tile), 1}}, memory, recording);
    if (!recorded) {
        return tl::unexpected(recorded.error());
    }
    const std::size_t role = role_with_turns(plan);
    const TurnEvents events = events_of(plan, *recorded, role);
    if (events.taken.size() != short_tile || events.passed.size() != short_tile) {
        return fail(FailureKind::infeasible,
                    fmt::format("role '{}' of {} takes {} turns and passes {} on in a tile of {} "
                                "blocks",
                                plan.roles[role].name, plan.kernel, events.taken.size(),
                                events.passed.size(), short_tile),
                    "every block needs one turn and one pass_turn");
    }
    const TileClass tile = resized(like, long_tile);
    const auto step = step_of(plan, tile, memory, options);
    if (!step) {
        return tl::unexpected(step.error());
    }
    const auto delay = static_cast<Tick>(late_by * *step);
    const auto late = step_of(with_late_turns(plan, delay), tile, memory, options);
    if (!late) {
        return tl::unexpected(late.error());
    }
    TurnPace pace;
    pace.step = *step;
    pace.late_step = std::clamp(*late - static_cast<double>(delay), 0.0, *step);
    // In the middle of the tile, where starting and ending it are far.
    const std::size_t middle = short_tile / 2;
    const auto later =
        std::upper_bound(events.taken.begin(), events.taken.end(), events.passing[middle]);
    const auto last_before = static_cast<std::size_t>(later - events.taken.begin()) - 1;
    pace.behind = static_cast<std::int64_t>(last_before) - static_cast<std::int64_t>(middle);
    pace.pass = events.passed[middle] - events.taken[last_before];
    pace.last_pass = events.passed.back() - events.taken.back();
    pace.after = events.end - events.taken.back();
    return pace;
}

}  // namespace warpline
