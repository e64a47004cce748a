#include "warpline/reports/accounts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/rational.hpp>

namespace warpline {
namespace {

/// Adds up times by cause. The order of causes decides ties, so that reports are reproducible.
class CauseSums {
  public:
    void add(const Cause& cause, double time) {
        sums_[{static_cast<int>(cause.kind), cause.index}] += time;
    }

    [[nodiscard]] std::vector<RoleAccount::Stall> shares_of(double total) const {
        std::vector<RoleAccount::Stall> shares;
        for (const auto& [key, time] : sums_) {
            const Cause cause{static_cast<Cause::Kind>(key.first), key.second};
            if (time > 0.0 && total > 0.0) {
                shares.push_back({cause, time / total});
            }
        }
        std::stable_sort(shares.begin(), shares.end(),
                         [](const auto& a, const auto& b) { return a.share > b.share; });
        return shares;
    }

  private:
    std::map<std::pair<int, int>, double> sums_;
};

double steady_tensor_busy(const Prediction& prediction) {
    const auto found = std::find_if(prediction.units.begin(), prediction.units.end(),
                                    [](const auto& unit) { return unit.unit == Unit::tensor; });
    return found == prediction.units.end() ? 0.0 : found->busy;
}

}  // namespace

double executed_tflops(const Prediction& prediction) {
    return prediction.seconds > 0.0 ? prediction.executed_flops / prediction.seconds / 1e12 : 0.0;
}

PeakShares peak_shares(const Prediction& prediction) {
    PeakShares shares;
    const double executed = prediction.utilization;
    const double cycles = prediction.seconds * boost::rational_cast<double>(prediction.clock.hz);
    if (!(cycles > 0.0)) {
        return shares;
    }
    shares.counted = prediction.executed_flops > 0.0
                         ? executed * prediction.counted_flops / prediction.executed_flops
                         : 0.0;
    shares.not_counted = executed - shares.counted;
    shares.launch = 1.0 - prediction.makespan_cycles / cycles;
    shares.idle_sms = (prediction.makespan_cycles - prediction.waves.mean_active_cycles) / cycles;
    const double active = prediction.waves.mean_active_cycles / cycles;
    shares.other = active - executed;
    if (const double busy = steady_tensor_busy(prediction); busy > 0.0) {
        // At the steady rate alone the executed work would take executed / busy of the time.
        shares.steady_idle = executed / busy - executed;
        shares.other -= *shares.steady_idle;
    }
    return shares;
}

std::vector<std::pair<std::string, double>> named_shares(const PeakShares& shares) {
    std::vector<std::pair<std::string, double>> named = {{"counted work", shares.counted},
                                                         {"masked, padded", shares.not_counted}};
    if (shares.steady_idle) {
        named.emplace_back("tensor core waits in the loop", *shares.steady_idle);
    }
    named.emplace_back("around the loop", shares.other);
    named.emplace_back("SMs without work", shares.idle_sms);
    named.emplace_back("launch", shares.launch);
    return named;
}

std::vector<RoleAccount> role_accounts(const Schedule& schedule) {
    struct Sum {
        double busy = 0.0;
        double total = 0.0;
        int warps = 0;
        CauseSums stalls;
    };
    std::map<int, Sum> sums;
    for (const RoleUsage& usage : schedule.roles) {
        Sum& sum = sums[usage.role];
        sum.warps += usage.warps;
        const auto weight = static_cast<double>(usage.warps);
        sum.busy += weight * static_cast<double>(usage.busy);
        sum.total += weight * static_cast<double>(usage.busy);
        for (const CausedTime& stall : usage.stalls) {
            const double time = weight * static_cast<double>(stall.time);
            sum.total += time;
            sum.stalls.add(stall.cause, time);
        }
    }
    std::vector<RoleAccount> accounts;
    for (const auto& [role, sum] : sums) {
        if (sum.total > 0.0) {
            accounts.push_back(
                {role, sum.warps, sum.busy / sum.total, sum.stalls.shares_of(sum.total)});
        }
    }
    return accounts;
}

std::vector<RoleAccount::Stall> idle_causes(const Schedule& schedule, Unit unit) {
    CauseSums sums;
    double total = 0.0;
    for (const UnitUsage& usage : schedule.units) {
        if (usage.unit != unit) {
            continue;
        }
        const double weight = usage.instances;
        total += weight * static_cast<double>(schedule.makespan);
        for (const CausedTime& idle : usage.idle) {
            sums.add(idle.cause, weight * static_cast<double>(idle.time));
        }
    }
    return sums.shares_of(total);
}

std::vector<CycleStretch> cycle_stretches(const RecurrenceBound& bound) {
    std::vector<CycleStretch> stretches;
    for (const CycleStep& step : bound.critical_cycle) {
        const double cycles = cycles_from_ticks(step.weight);
        if (!stretches.empty() && stretches.back().label == step.label &&
            stretches.back().reason == step.reason) {
            stretches.back().cycles += cycles;
        } else if (step.weight != 0) {
            stretches.push_back({step.label, step.reason, cycles});
        }
    }
    return stretches;
}

}  // namespace warpline
