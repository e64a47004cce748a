// Sums that several reports print: where the peak goes, and what each role waits for.
#pragma once

#include "warpline/device/prediction.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpline {

/// Executed work over the time, in TFLOP/s; 0 without time.
[[nodiscard]] double executed_tflops(const Prediction& prediction);

/// Fractions of the FLOPs that the peak rate would execute in the predicted time. counted +
/// not_counted + launch + idle_sms + steady_idle + other = 1.
struct PeakShares {
    double counted = 0.0;      ///< flash-attention's convention
    double not_counted = 0.0;  ///< executed on masked or padded elements, or in products beyond
                               ///< the convention's; negative when it counts more than is executed
    double launch = 0.0;       ///< time outside the first launch to the last exit
    double idle_sms = 0.0;     ///< SMs without a tile: waves and tail
    /// The tensor core waits in the steady loop; absent when no step has been simulated.
    std::optional<double> steady_idle;
    double other = 0.0;  ///< starts and ends of tiles, masked steps, MMAs below the peak rate
};
[[nodiscard]] PeakShares peak_shares(const Prediction& prediction);

/// The shares in order, each with a phrase; those that are absent are left out.
[[nodiscard]] std::vector<std::pair<std::string, double>> named_shares(const PeakShares& shares);

/// One role over all of its warps and resident copies.
struct RoleAccount {
    int role = 0;       ///< index into KernelPlan::roles
    int warps = 0;      ///< of all instances
    double busy = 0.0;  ///< fraction of the role's time spent issuing
    struct Stall {
        Cause cause;
        double share = 0.0;  ///< fraction of the role's time
    };
    std::vector<Stall> stalls;  ///< longest first
};
/// In the order of the plan's roles; roles that never ran are left out.
[[nodiscard]] std::vector<RoleAccount> role_accounts(const Schedule& schedule);

/// What all instances of a unit did over the whole simulated run, as fractions of it.
struct UnitOverRun {
    double busy = 0.0;
    std::vector<RoleAccount::Stall> idle;  ///< longest first; with `busy` they make one
};
/// Where sub-partition 0 stands for all of an SM's, what others do beside it is their own: it adds
/// to what is busy, and takes the place of the same causes' idle time.
[[nodiscard]] UnitOverRun unit_over_run(const Schedule& schedule, Unit unit);

/// One stretch of the critical cycle: consecutive steps with one label and reason.
struct CycleStretch {
    std::string label;
    std::string reason;
    double cycles = 0.0;
};
[[nodiscard]] std::vector<CycleStretch> cycle_stretches(const RecurrenceBound& bound);

}  // namespace warpline
