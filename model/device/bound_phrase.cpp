#include "warpline/device/bound_phrase.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double close = 1.02;  // answers within 2 % are one answer
/// Share of the time from which on waiting for turns is what bounds a kernel.
constexpr double turns_bound = 0.25;

/// The roles that a critical cycle runs through, in order of appearance.
[[nodiscard]] std::string loop_of(const Prediction& prediction) {
    std::vector<std::string> names;
    for (const CycleStep& step : prediction.recurrence.critical_cycle) {
        const std::string& name = prediction.plan.roles[static_cast<std::size_t>(step.role)].name;
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    }
    return text.empty() ? "latency" : "latency of the loop through " + text;
}

/// The unit that warps waited for longest while others had it.
[[nodiscard]] std::string contention_of(const Prediction& prediction) {
    std::array<double, unit_count> waited{};
    for (const RoleUsage& role : prediction.schedule.roles) {
        for (const CausedTime& stall : role.stalls) {
            if (stall.cause.kind == Cause::Kind::unit) {
                waited.at(static_cast<std::size_t>(stall.cause.index)) +=
                    static_cast<double>(stall.time) * role.warps;
            }
        }
    }
    const auto most = std::max_element(waited.begin(), waited.end());
    const double beyond = prediction.steady.simulated / prediction.steady.recurrence - 1.0;
    if (*most <= 0.0) {
        return fmt::format("{}, {:.0f} % longer as simulated", loop_of(prediction), 100.0 * beyond);
    }
    const auto unit = static_cast<Unit>(most - waited.begin());
    return fmt::format("contention, most of it for the {}: {:.0f} % above the latency bound",
                       unit_phrase(unit), 100.0 * beyond);
}

}  // namespace

std::string_view unit_phrase(Unit unit) {
    switch (unit) {
        case Unit::issue:
            return "issue ports";
        case Unit::fma:
            return "FMA pipe";
        case Unit::alu:
            return "ALU pipe";
        case Unit::xu:
            return "exponential unit (MUFU)";
        case Unit::lsu:
            return "load/store unit";
        case Unit::adu:
            return "barrier unit (ADU)";
        case Unit::tmem_load:
            return "tensor-memory loads";
        case Unit::tmem_store:
            return "tensor-memory stores";
        case Unit::tensor:
            return "tensor core";
        case Unit::smem:
            return "SMEM port";
        case Unit::tma:
            return "TMA";
        case Unit::memory:
            return "L2 bandwidth";
    }
    return "?";
}

std::string bound_phrase(const Prediction& prediction, double launch_seconds) {
    if (launch_seconds > 0.5 * prediction.seconds) {
        return "kernel launch";
    }
    const WaveSummary& waves = prediction.waves;
    if (waves.fetch_bound) {
        return "fetching of machine code, which outgrows the SMs' instruction caches";
    }
    if (waves.memory_bound) {
        return waves.l2_bound ? "L2 bandwidth of all SMs" : "HBM bandwidth";
    }
    if (2 * waves.tiles <= waves.slots) {
        return fmt::format("too few tiles: {} for {} slots", waves.tiles, waves.slots);
    }
    if (waves.turn_wait_cycles > turns_bound * waves.makespan_cycles) {
        return "waiting for turns in a fixed order of additions";
    }
    const SteadyAnswers& steady = prediction.steady;
    if (steady.simulated <= close * steady.roofline) {
        return std::string(unit_phrase(prediction.steady_roofline.bound));
    }
    if (steady.simulated <= close * steady.recurrence) {
        return prediction.recurrence.unit_bound
                   ? std::string(unit_phrase(prediction.recurrence.unit))
                   : loop_of(prediction);
    }
    return contention_of(prediction);
}

}  // namespace warpline
