#include "warpline/recurrence/agents.hpp"

#include <algorithm>

namespace warpline {
namespace {

bool foldable(const Role& role, int sub_partitions) {
    return role.first_warp % sub_partitions == 0 && role.warps % sub_partitions == 0;
}

bool uses_warp_barrier(const KernelPlan& plan, const Role& role) {
    const auto warp_scoped = [&plan](const BarrierRef& ref) {
        return plan.barriers[static_cast<std::size_t>(ref.barrier)].scope == BarrierScope::warp;
    };
    return std::any_of(role.program.begin(), role.program.end(), [&](const Op& op) {
        if (const auto* wait = std::get_if<WaitOp>(&op.body)) {
            return warp_scoped(wait->on);
        }
        const auto* arrive = std::get_if<ArriveOp>(&op.body);
        return arrive != nullptr && warp_scoped(arrive->on);
    });
}

}  // namespace

std::vector<AgentTrace> agents_of(const KernelPlan& plan) {
    const int sub_partitions = plan.machine.sub_partitions;
    const bool fold = std::none_of(plan.roles.begin(), plan.roles.end(), [&](const Role& role) {
        return !foldable(role, sub_partitions) && uses_warp_barrier(plan, role);
    });
    std::vector<AgentTrace> agents;
    for (int sm = 0; sm < plan.cluster; ++sm) {
        for (int r = 0; r < static_cast<int>(plan.roles.size()); ++r) {
            const Role& role = plan.roles[static_cast<std::size_t>(r)];
            if (role.leader_only && sm != 0) {
                continue;
            }
            const int together = fold && foldable(role, sub_partitions) ? sub_partitions : 1;
            for (int warp = 0; warp < role.warps; warp += together) {
                AgentTrace agent;
                agent.role = r;
                agent.sm = sm;
                agent.warp = warp;
                agent.multiplicity = together;
                agents.push_back(std::move(agent));
            }
        }
    }
    return agents;
}

}  // namespace warpline
