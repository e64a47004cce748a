#include "warpline/engine/folding.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace warpline {

namespace {

constexpr int fold = 4;

bool fills_sub_partitions(const Role& role) {
    return role.first_warp % fold == 0 && role.warps % fold == 0;
}

bool uses_barrier(const Role& role, int barrier) {
    return std::any_of(role.program.begin(), role.program.end(), [barrier](const Op& op) {
        if (const auto* wait = std::get_if<WaitOp>(&op.body)) {
            return wait->on.barrier == barrier;
        }
        const std::optional<BarrierRef> on = arrives_on(op.body);
        return on && on->barrier == barrier;
    });
}

/// Unfolds the users of `barrier` unless all of them fold. Returns whether that changed any.
bool unfold_unless_all(const KernelPlan& plan, int barrier, std::vector<bool>& folded) {
    std::vector<std::size_t> users;
    for (std::size_t r = 0; r < plan.roles.size(); ++r) {
        if (uses_barrier(plan.roles[r], barrier)) {
            users.push_back(r);
        }
    }
    const auto folds = [&](std::size_t r) { return static_cast<bool>(folded[r]); };
    if (std::all_of(users.begin(), users.end(), folds) ||
        std::none_of(users.begin(), users.end(), folds)) {
        return false;
    }
    for (const std::size_t r : users) {
        folded[r] = false;
    }
    return true;
}

}  // namespace

std::vector<bool> folded_roles(const KernelPlan& plan) {
    std::vector<bool> folded(plan.roles.size(), false);
    if (plan.machine.sub_partitions != fold) {
        return folded;
    }
    for (std::size_t r = 0; r < plan.roles.size(); ++r) {
        folded[r] = fills_sub_partitions(plan.roles[r]);
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (std::size_t b = 0; b < plan.barriers.size(); ++b) {
            changed = (plan.barriers[b].scope == BarrierScope::warp &&
                       unfold_unless_all(plan, static_cast<int>(b), folded)) ||
                      changed;
        }
    }
    return folded;
}

}  // namespace warpline
