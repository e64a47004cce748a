#include "warpline/reports/lanes.hpp"

#include "warpline/reports/phrases.hpp"

#include <tuple>

#include <fmt/format.h>

namespace warpline {
namespace {

bool has_sm_scope(Unit unit, const MachineTimings& machine) {
    return unit == Unit::smem || unit == Unit::tma || unit == Unit::memory ||
           (unit == Unit::tensor && machine.tensor_scope == UnitScope::sm);
}

const Role* role_of(const KernelPlan& plan, const RoleUsage& usage) {
    const auto role = static_cast<std::size_t>(usage.role);
    return usage.role >= 0 && role < plan.roles.size() ? &plan.roles[role] : nullptr;
}

}  // namespace

bool operator<(const UnitKey& a, const UnitKey& b) {
    return std::tie(a.unit, a.sm, a.sub_partition) < std::tie(b.unit, b.sm, b.sub_partition);
}

UnitKey unit_key(const KernelPlan& plan, const RoleUsage& usage, Unit unit) {
    const Role* const role = role_of(plan, usage);
    if (has_sm_scope(unit, plan.machine) || role == nullptr || plan.machine.sub_partitions <= 0) {
        return {unit, usage.sm, -1};
    }
    return {unit, usage.sm, (role->first_warp + usage.warp) % plan.machine.sub_partitions};
}

std::string unit_row_name(const UnitKey& key) {
    std::string name(unit_name(key.unit));
    return key.sub_partition >= 0 ? name + fmt::format(" p{}", key.sub_partition) : name;
}

std::string warp_row_name(const KernelPlan& plan, const RoleUsage& usage) {
    const Role* const role = role_of(plan, usage);
    std::string name = role_label(plan, usage.role);
    return role != nullptr && role->warps > usage.warps ? name + fmt::format(" w{}", usage.warp)
                                                        : name;
}

}  // namespace warpline
