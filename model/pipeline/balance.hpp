// Who arrives how often on a barrier, against what it declares and how often it is awaited.
#pragma once

#include "warpline/pipeline/declarations.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <vector>

namespace warpline {

/// Follows every role's program through one tile of several classes (none, one and more blocks,
/// masked or not) and checks that
/// - each wait of a phase is met by exactly the arrivals that the barrier declares, by role, on
///   every CTA of the cluster;
/// - only declared roles arrive;
/// - the roles that take slots of a ring take equally many.
/// What a tile leaves over would add up from tile to tile; so this also proves that the roles stay
/// in step. Barriers that nobody uses, and arrivals that nobody awaits, are warnings.
void check_balance(const Declarations& declarations, const std::vector<Role>& roles,
                   Problems& problems);

}  // namespace warpline
