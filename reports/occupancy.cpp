#include "warpline/reports/occupancy.hpp"

#include "warpline/roofline/op_demand.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

namespace warpline {
namespace {

/// Changes of one SM's share, by time.
using Changes = std::map<Tick, double>;

std::vector<OccupancyCurve> curves(const std::map<int, Changes>& all) {
    constexpr double least_change = 1e-9;  // sums of shares do not end at zero exactly
    std::vector<OccupancyCurve> out;
    for (const auto& [sm, changes] : all) {
        OccupancyCurve curve{sm, {}};
        double share = 0.0;
        for (const auto& [time, change] : changes) {
            share += change;
            const double shown = share < least_change ? 0.0 : share;
            if (curve.steps.empty() || std::abs(shown - curve.steps.back().share) > least_change) {
                curve.steps.push_back({time, shown});
            }
        }
        out.push_back(std::move(curve));
    }
    return out;
}

void add(Changes& changes, const ChartSlice& slice, double share) {
    changes[slice.start] += share;
    changes[slice.end] -= share;
}

const Op* op_of(const KernelPlan& plan, const RoleUsage& usage, int op) {
    const auto role = static_cast<std::size_t>(usage.role);
    if (usage.role < 0 || role >= plan.roles.size() || op < 0 ||
        static_cast<std::size_t>(op) >= plan.roles[role].program.size()) {
        return nullptr;
    }
    return &plan.roles[role].program[static_cast<std::size_t>(op)];
}

}  // namespace

Occupancy occupancy_of(const KernelPlan& plan, const Schedule& schedule, const SliceChart& chart) {
    std::map<int, Changes> tensor, smem;
    const double cores = plan.machine.tensor_scope == UnitScope::sm
                             ? 1.0
                             : static_cast<double>(std::max(1, plan.machine.sub_partitions));
    for (const ChartSlice& slice : chart.slices) {
        const ChartLane& lane = chart.lanes[static_cast<std::size_t>(slice.lane)];
        const RoleUsage& usage = schedule.roles[static_cast<std::size_t>(slice.usage)];
        const Op* const op = op_of(plan, usage, slice.op);
        if (op == nullptr ||
            (slice.kind != ChartSlice::Kind::issue && slice.kind != ChartSlice::Kind::async)) {
            continue;
        }
        const auto* const async = std::get_if<AsyncOp>(&op->body);
        const bool mma = async != nullptr && std::holds_alternative<MmaOp>(async->work);
        if (mma) {
            // Warps folded into one work beside it, each on a tensor core of its own.
            add(tensor[lane.sm], slice, cores > 1.0 ? usage.warps / cores : 1.0);
        }
        const OpDemand demand = op_demand(plan, *op, MemoryEnvironment{});
        // An MMA of a pair has a slice on each SM.
        const double ticks = demand.here[static_cast<std::size_t>(Unit::smem)] * usage.warps;
        if (ticks > 0.0) {
            add(smem[lane.sm], slice, ticks / static_cast<double>(slice.end - slice.start));
        }
    }
    return {curves(tensor), curves(smem)};
}

}  // namespace warpline
