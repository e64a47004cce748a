#include "warpline/device/power.hpp"

#include "warpline/device/clock.hpp"
#include "warpline/hardware/assumed_constant.hpp"
#include "warpline/hardware/dtype.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpline {
namespace {

/// Below this share of the ceiling the draw of anything is its static part, within a few watts.
constexpr double slowest_share = 0.05;

struct EnergyConstant {
    const char* key;
    double EnergyCosts::*store;
    double unit;  ///< of the specification, in SI units
};

constexpr std::array<EnergyConstant, 8> energy_constants = {{
    {"power.sustained", &EnergyCosts::limit_watts, 1.0},
    {"power.static", &EnergyCosts::static_watts, 1.0},
    {"power.clock_exponent", &EnergyCosts::exponent, 1.0},
    {"power.tensor_flop", &EnergyCosts::flop, 1e-12},
    {"power.smem_byte", &EnergyCosts::smem_byte, 1e-12},
    {"power.l2_byte", &EnergyCosts::l2_byte, 1e-12},
    {"power.hbm_byte", &EnergyCosts::hbm_byte, 1e-12},
    {"power.warp_instruction", &EnergyCosts::instruction, 1e-12},
}};

constexpr const char* lower_static = "what the board draws asleep must lie below what it sustains";

constexpr const char* reference_key = "power.reference_clock";

/// 1 where a specification states energies of its own.
[[nodiscard]] double energy_scale(const GpuSpec& spec) {
    const auto found = spec.constants.find("power.energy_scale");
    return found == spec.constants.end() || is_unknown(found->second) ? 1.0 : found->second.value;
}

[[nodiscard]] double work_of(const Prediction& prediction, Unit unit) {
    const auto found = std::find_if(prediction.units.begin(), prediction.units.end(),
                                    [&](const UnitReport& report) { return report.unit == unit; });
    return found == prediction.units.end() ? 0.0 : found->work_per_sm;
}

}  // namespace

Result<EnergyCosts> energy_costs(const GpuSpec& spec) {
    EnergyCosts costs;
    std::vector<std::string> missing;
    for (const EnergyConstant& constant : energy_constants) {
        const auto found = spec.constants.find(constant.key);
        if (found == spec.constants.end() || is_unknown(found->second)) {
            missing.emplace_back(constant.key);
        } else {
            costs.*constant.store = found->second.value * constant.unit;
        }
    }
    const auto clock = spec.constants.find(reference_key);
    if (clock == spec.constants.end() || is_unknown(clock->second)) {
        missing.emplace_back(reference_key);
    } else {
        costs.reference = ClockHz(std::llround(clock->second.value * 1e6));
    }
    for (double* energy : {&costs.flop, &costs.smem_byte, &costs.l2_byte, &costs.instruction}) {
        *energy *= energy_scale(spec);
    }
    costs.boost = spec.clocks.boost;
    costs.loaded_share = loaded_clock_share(spec);
    if (!missing.empty()) {
        return fail(FailureKind::usage,
                    fmt::format("the power of {} is not known: its specification lacks {}", spec.id,
                                fmt::join(missing, ", ")),
                    "h100_sxm, h200, b200 and gb200 have them; --set hw.power... adds to others");
    }
    costs.where = spec.constants.at("power.static").where;
    if (costs.static_watts >= costs.limit_watts) {
        return fail(FailureKind::infeasible,
                    fmt::format("'power.static', {:g} W, leaves nothing of 'power.sustained', {:g} "
                                "W, for work",
                                costs.static_watts, costs.limit_watts),
                    lower_static, costs.where);
    }
    return costs;
}

bool has_power_model(const GpuSpec& spec) {
    const auto costs = energy_costs(spec);
    return costs || costs.error().kind == FailureKind::infeasible;
}

KernelWork kernel_work(const Prediction& prediction, const GpuSpec& spec) {
    const auto sms = static_cast<double>(spec.sm_count);
    KernelWork work;
    work.flops = prediction.executed_flops * element_bytes(prediction.problem.dtype) / 2.0;
    work.smem_bytes = work_of(prediction, Unit::smem) * spec.smem_bytes_per_clk * sms;
    work.l2_bytes = prediction.waves.l2_bytes;
    work.hbm_bytes = prediction.waves.hbm_bytes;
    work.instructions = work_of(prediction, Unit::issue) * sms;
    work.cycles = prediction.makespan_cycles;
    work.fixed_seconds = prediction.seconds - prediction.makespan_cycles /
                                                  boost::rational_cast<double>(prediction.clock.hz);
    return work;
}

PowerAccount power_at(const EnergyCosts& costs, const KernelWork& work, const ClockHz& clock) {
    const double hz = boost::rational_cast<double>(clock);
    const double seconds = work.fixed_seconds + work.cycles / hz;
    const double rate = seconds > 0.0 ? 1.0 / seconds : 0.0;
    const double driver =
        std::min(hz / costs.loaded_share, boost::rational_cast<double>(costs.boost));
    const double grown =
        rate * std::pow(driver / boost::rational_cast<double>(costs.reference), costs.exponent);
    PowerAccount account;
    account.limit_watts = costs.limit_watts;
    account.parts = {{"standing", costs.static_watts},
                     {"tensor cores", grown * work.flops * costs.flop},
                     {"shared memory", grown * work.smem_bytes * costs.smem_byte},
                     {"L2 to SMs", grown * work.l2_bytes * costs.l2_byte},
                     {"HBM", rate * work.hbm_bytes * costs.hbm_byte},
                     {"instructions", grown * work.instructions * costs.instruction}};
    for (const auto& part : account.parts) {
        account.watts += part.watts;
    }
    return account;
}

Result<ClockHz> clock_within_limit(const EnergyCosts& costs, const KernelWork& work,
                                   const ClockHz& ceiling) {
    const auto draws = [&](double hz) {
        return power_at(costs, work, ClockHz(std::llround(hz))).watts;
    };
    double fast = boost::rational_cast<double>(ceiling);
    if (draws(fast) <= costs.limit_watts) {
        return ceiling;
    }
    double slow = slowest_share * fast;
    if (const double least = draws(slow); least > costs.limit_watts) {
        return fail(
            FailureKind::infeasible,
            fmt::format("at {:.0f} MHz, {:g} % of the clock that was given, the board still "
                        "draws {:.4g} W of the {:g} W that it sustains, {:g} W of them "
                        "asleep ('power.static')",
                        1e-6 * slow, 100.0 * slowest_share, least, costs.limit_watts,
                        costs.static_watts),
            lower_static, costs.where);
    }
    // To a hundredth of a MHz; draw grows with the clock.
    while (fast - slow > 1e4) {
        const double middle = 0.5 * (slow + fast);
        (draws(middle) <= costs.limit_watts ? slow : fast) = middle;
    }
    return ClockHz(std::llround(slow));
}

}  // namespace warpline
