#include "warpline/device/steady_step.hpp"

#include "warpline/roofline/steady_shape.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t long_tile = 512;     // blocks: past the fill of any shipped pipeline
constexpr std::int64_t chance_period = 64;  // blocks after which every constant chance repeats

using Instance = std::tuple<Unit, int, int>;

[[nodiscard]] std::map<Instance, Tick> busy_by_instance(const Schedule& schedule) {
    std::map<Instance, Tick> busy;
    for (const UnitUsage& usage : schedule.units) {
        busy[{usage.unit, usage.sm, usage.sub_partition}] = usage.busy;
    }
    return busy;
}

/// Busy time that the extra blocks added, as a fraction of the time they added.
[[nodiscard]] std::array<double, unit_count> busy_fractions(const Schedule& shorter,
                                                            const Schedule& longer) {
    std::array<double, unit_count> fractions{};
    const auto added = static_cast<double>(longer.makespan - shorter.makespan);
    const auto before = busy_by_instance(shorter);
    for (const auto& [instance, busy] : busy_by_instance(longer)) {
        const auto found = before.find(instance);
        const Tick less = found == before.end() ? 0 : found->second;
        double& fraction = fractions[static_cast<std::size_t>(std::get<0>(instance))];
        fraction = std::max(fraction, static_cast<double>(busy - less) / added);
    }
    return fractions;
}

/// How often a kernel repeats its loop over blocks on a tile: 1, unless that loop stands in others,
/// as where a CTA walks over all blocks of queries for each block of keys.
[[nodiscard]] std::int64_t repeats_of_blocks(const KernelPlan& plan) {
    for (const Role& role : plan.roles) {
        const int inner = block_loop(role.program);
        if (inner < 0) {
            continue;
        }
        std::int64_t repeats = 1;
        for (int op = 0; op < inner; ++op) {
            const auto* loop =
                std::get_if<LoopBegin>(&role.program[static_cast<std::size_t>(op)].body);
            if (loop != nullptr && loop->over == LoopBegin::Over::count && loop->end > inner) {
                repeats *= std::max<std::int64_t>(1, loop->count.constant);
            }
        }
        return repeats;
    }
    return 1;
}

/// Busy time of one period.
[[nodiscard]] std::array<double, unit_count> busy_fractions(const std::vector<UnitUsage>& units,
                                                            const SteadyState& steady) {
    std::array<double, unit_count> fractions{};
    for (std::size_t i = 0; i < units.size(); ++i) {
        double& fraction = fractions[static_cast<std::size_t>(units[i].unit)];
        fraction = std::max(
            fraction, static_cast<double>(steady.busy[i]) / static_cast<double>(steady.period));
    }
    return fractions;
}

}  // namespace

Result<SteadyStep> measure_steady_step(const KernelPlan& plan, const TileClass& like,
                                       const MemoryEnvironment& memory,
                                       const EngineOptions& options, const TileRunner& run) {
    SteadyStep out;
    // The engine switches the mechanisms off by itself.
    const MemoryEnvironment seen = without(memory, options.ideal);
    const KernelPlan used = without(plan, options.ideal);
    auto recurrence = recurrence_bound(used, seen);
    if (!recurrence) {
        return tl::unexpected(recurrence.error());
    }
    out.recurrence = std::move(*recurrence);
    out.roofline = steady_roofline(used, seen);
    TileClass tile = like;
    tile.blocks = std::max(like.blocks, long_tile);
    auto shorter = run(tile, 1);
    if (!shorter) {
        return tl::unexpected(shorter.error());
    }
    out.schedule = std::move(*shorter);
    const SteadyState& steady = out.schedule.steady;
    out.periodic = steady.found;
    if (out.periodic) {
        if (steady.period <= 0) {
            return out;  // a kernel whose blocks take no time has no step
        }
        out.step_ticks = static_cast<double>(steady.period) *
                         static_cast<double>(repeats_of_blocks(used)) /
                         static_cast<double>(steady.blocks);
        out.busy = busy_fractions(out.schedule.units, steady);
    } else {
        tile.blocks += chance_period;
        const auto longer = run(tile, 1);
        if (!longer) {
            return tl::unexpected(longer.error());
        }
        if (longer->makespan <= out.schedule.makespan) {
            return out;
        }
        out.step_ticks = static_cast<double>(longer->makespan - out.schedule.makespan) /
                         static_cast<double>(chance_period);
        out.busy = busy_fractions(out.schedule, *longer);
    }
    for (const Unit unit : all_units()) {
        const double busy = out.busy[static_cast<std::size_t>(unit)];
        if (out.periodic && options.ideal.empty() && busy > 1.0 + 1e-9) {
            return fail(FailureKind::infeasible,
                        fmt::format("internal inconsistency: unit {} is {:.2f} % busy in the "
                                    "steady step",
                                    unit_name(unit), 100.0 * busy));
        }
    }
    return out;
}

}  // namespace warpline
