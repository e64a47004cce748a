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
    void add(const CauseSums& others, double factor) {
        for (const auto& [key, time] : others.sums_) {
            sums_[key] += factor * time;
        }
    }
    void clear() { sums_.clear(); }

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

/// The instances of a unit on one SM. Entries that stand beside one for all sub-partitions are busy
/// in its idle time.
struct UnitOnSm {
    double total = 0.0, busy = 0.0, charged = 0.0;
    CauseSums causes;
    int most = 0;  ///< instances that an entry stands for

    void add(const UnitUsage& usage, double makespan) {
        const double weight = usage.instances;
        busy += weight * static_cast<double>(usage.busy);
        if (usage.instances < most) {
            return;
        }
        if (usage.instances > most) {
            most = usage.instances;
            total = charged = 0.0;
            causes.clear();
        }
        total += weight * makespan;
        for (const CausedTime& gap : usage.idle) {
            causes.add(gap.cause, weight * static_cast<double>(gap.time));
            charged += weight * static_cast<double>(gap.time);
        }
    }
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
    std::vector<std::pair<std::string, double>> named = {
        {"counted work", shares.counted},
        {shares.not_counted < 0.0 ? "counted, not executed" : "masked, padded",
         shares.not_counted}};
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

UnitOverRun unit_over_run(const Schedule& schedule, Unit unit) {
    std::map<int, UnitOnSm> on_sms;
    for (const UnitUsage& usage : schedule.units) {
        if (usage.unit == unit) {
            on_sms[usage.sm].add(usage, static_cast<double>(schedule.makespan));
        }
    }
    double busy = 0.0;
    double total = 0.0;
    CauseSums idle;
    for (const auto& [sm, on_sm] : on_sms) {
        busy += on_sm.busy;
        total += on_sm.total;
        if (on_sm.charged > 0.0) {
            idle.add(on_sm.causes, std::max(0.0, on_sm.total - on_sm.busy) / on_sm.charged);
        }
    }
    return {total > 0.0 ? busy / total : 0.0, idle.shares_of(total)};
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
