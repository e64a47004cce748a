#include "warpline/device/bound_phrase.hpp"
#include "warpline/device/clock.hpp"
#include "warpline/device/cluster_slots.hpp"
#include "warpline/device/missing_work.hpp"
#include "warpline/device/predict_listed.hpp"
#include "warpline/device/prediction_parts.hpp"
#include "warpline/device/turn_waits.hpp"
#include "warpline/hardware/dtype.hpp"
#include "warpline/pipeline/unknown_constants.hpp"
#include "warpline/workload/tiling.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double cycles_per_tick = 1.0 / static_cast<double>(ticks_per_cycle);

/// The plan with as many residents on an SM as the grid brings there: clusters go to SMs of their
/// own first, so that a grid smaller than all slots leaves some of them empty. Nothing when the
/// grid fills every slot.
[[nodiscard]] Result<std::optional<KernelPlan>> with_residents_of_grid(
    const GpuSpec& spec, const KernelPlan& plan, const AttentionProblem& problem,
    const std::optional<BlockLists>& lists) {
    if (plan.ctas_per_sm == 1) {
        return std::nullopt;
    }
    const auto tiles = count_tiles(tiles_of(problem, plan, lists));
    const auto slots = cluster_slots(spec, plan.cluster, plan.ctas_per_sm);
    if (!tiles || !slots) {
        return tl::unexpected(!tiles ? tiles.error() : slots.error());
    }
    if (*tiles >= slots->slots()) {
        return std::nullopt;
    }
    KernelPlan used = plan;
    const std::int64_t residents = (*tiles + slots->positions - 1) / slots->positions;
    used.ctas_per_sm = static_cast<int>(std::max<std::int64_t>(1, residents));
    return used;
}

/// Times: the SMs' makespan, stretched evenly when L2, HBM or the way of machine code needs longer.
void fill_times(Prediction& out, const PredictionParts& parts) {
    const double sm_cycles = parts.placement.makespan * cycles_per_tick;
    const double hbm_cycles =
        parts.traffic.hbm_seconds * boost::rational_cast<double>(out.clock.hz);
    WaveSummary& waves = out.waves;
    const double memory_cycles = std::max(hbm_cycles, parts.traffic.l2_cycles);
    const double with_code = with_fetches(sm_cycles, parts.fetch);
    waves.memory_bound = parts.placement.tiles > 0 && memory_cycles > with_code;
    waves.l2_bound = waves.memory_bound && parts.traffic.l2_cycles > hbm_cycles;
    waves.fetch_bound = !waves.memory_bound && parts.fetch.cycles > sm_cycles;
    waves.code_bytes = parts.fetch.code_bytes;
    waves.fetched_code_share = parts.fetch.miss_share;
    const double longest = waves.memory_bound ? memory_cycles : with_code;
    const double stretch = sm_cycles > 0.0 ? longest / sm_cycles : 1.0;
    out.makespan_cycles = stretch * sm_cycles;
    out.seconds = parts.launch_seconds + seconds_from_cycles(out.makespan_cycles, out.clock.hz);
    waves.makespan_cycles = out.makespan_cycles;
    waves.mean_active_cycles = stretch * parts.placement.mean_active * cycles_per_tick;
    waves.tail_cycles = stretch * parts.placement.tail * cycles_per_tick;
    waves.makespan_error_cycles = stretch * parts.placement.makespan_error * cycles_per_tick;
    waves.turn_wait_cycles = waves.memory_bound ? 0.0 : parts.placement.turn_wait * cycles_per_tick;
    waves.tiles = parts.placement.tiles;
    waves.slots = parts.placement.slots;
    waves.waves = parts.placement.waves;
    waves.hbm_bytes = parts.traffic.hbm_bytes;
    waves.l2_bytes = parts.traffic.l2_bytes;
    const TileTimes::Phases& phases = parts.times.phases();
    const auto longest_tile = parts.times.longest();
    waves.loop_runs = !longest_tile || longest_tile->blocks > 0;
    waves.first_tile_cycles = phases.first * cycles_per_tick;
    waves.middle_tile_cycles = phases.middle * cycles_per_tick;
    waves.last_tile_cycles = phases.last * cycles_per_tick;
}

/// Rates. Errors: more work than the tensor cores can do in the time.
[[nodiscard]] Result<void> fill_work(Prediction& out, const PredictionParts& parts,
                                     const GpuSpec& spec, const std::optional<BlockLists>& lists) {
    out.counted_flops = out.plan.counted_share * (lists ? all_listed_pairs(*lists, out.problem) *
                                                              counted_flops_per_pair(out.problem)
                                                        : counted_flops(out.problem));
    out.executed_flops = parts.total.flops;
    if (out.seconds <= 0.0) {
        return {};
    }
    out.tflops = out.counted_flops / out.seconds / 1e12;
    const double peak = peak_flops(spec, out.clock.hz, out.problem.dtype);
    out.utilization = peak > 0.0 ? out.executed_flops / (peak * out.seconds) : 0.0;
    if (out.utilization > 1.0 + 1e-9) {
        return fail(FailureKind::infeasible,
                    fmt::format("internal inconsistency: {:.2f} % of the tensor peak of {} would "
                                "be used",
                                100.0 * out.utilization, spec.id));
    }
    return {};
}

void fill_units(Prediction& out, const PredictionParts& parts, const GpuSpec& spec) {
    const double step_flops = static_cast<double>(out.steady.rows) *
                              static_cast<double>(out.steady.block) *
                              counted_flops_per_pair(out.problem) * out.plan.counted_share;
    const auto clusters = static_cast<double>(out.waves.slots);
    const double hz = boost::rational_cast<double>(out.clock.hz);
    for (const Unit unit : all_units()) {
        const auto index = static_cast<std::size_t>(unit);
        UnitReport report;
        report.unit = unit;
        report.busy = parts.step.busy[index];
        for (const UnitDemand& demand : parts.step.roofline.demand) {
            report.demand_cycles += demand.unit == unit ? demand.ticks * cycles_per_tick : 0.0;
        }
        report.only_this_limits = report.demand_cycles > 0.0
                                      ? step_flops * clusters * hz / report.demand_cycles / 1e12
                                      : std::numeric_limits<double>::infinity();
        report.work_per_sm = parts.total.busy[index] * cycles_per_tick /
                             static_cast<double>(std::max<std::int64_t>(1, spec.sm_count));
        out.units.push_back(report);
    }
}

void fill_assumptions(Prediction& out, const PredictionParts& parts, const GpuSpec& spec,
                      const PredictOptions& options) {
    std::vector<std::string>& list = out.assumptions;
    list = out.plan.assumptions;
    if (!options.clock) {
        const char* const key = options.boost_clock ? "clock.boost" : "clock.sustained";
        if (const auto found = spec.constants.find(key); found != spec.constants.end()) {
            append_if_unknown(found->second, spec.id, list);
        }
    }
    list.push_back(fmt::format("Clock: {}.", out.clock.origin));
    list.push_back(fmt::format(
        "{:.3g} us of launch overhead are part of the time{}.", parts.launch_seconds * 1e6,
        options.graph_launch ? " (a kernel inside a graph, or behind another)" : ""));
    list.push_back(fmt::format(
        "SMs burst at their own width; L2 and HBM serve all bytes at their sustained rates. Of "
        "what "
        "tiles read again and again, {:.0f} % comes from HBM: tiles that run at a time share a "
        "read, and later ones find what fits in L2.",
        100.0 * parts.share.miss_share));
    if (parts.hbm_wait > 0) {
        list.push_back(fmt::format(
            "Loads from HBM wait {:.0f} cycles longer than on an idle GPU for those of other SMs.",
            cycles_from_ticks(parts.hbm_wait)));
    }
    if (out.problem.mask.kind == MaskKind::full) {
        if (auto missing = missing_work(out.executed_flops, out.counted_flops)) {
            list.push_back(std::move(*missing));
        }
    }
    if (spec.gpc_sms.empty() && out.plan.cluster > 1) {
        list.emplace_back("SMs per GPC are not known: no SM is lost to clusters that do not fit.");
    }
    if (out.plan.ctas_per_sm > 1) {
        list.emplace_back("A tile takes the time it takes with all its co-residents present.");
    }
    if (!out.waves.loop_runs) {
        list.emplace_back(
            "No tile has a block to loop over: steps, units, roles and timelines are those of a "
            "long tile, which this problem does not run.");
    }
    if (!parts.times.exact()) {
        list.push_back(fmt::format(
            "Tile times between {} simulated ones are interpolated, to about {:.0f} cycles.",
            parts.times.engine_runs(), parts.times.interpolation_error() * cycles_per_tick));
    }
    if (parts.times.tile_rate_departure() > 0.0) {
        list.push_back(fmt::format(
            "Persistent tiles are taken to repeat after the third; the fourth differs by {:.1f} "
            "cycles.",
            parts.times.tile_rate_departure() * cycles_per_tick));
    }
    if (out.waves.makespan_error_cycles > 0.0) {
        list.push_back(fmt::format(
            "Too many tiles to place one by one: the makespan is the middle of its bounds, {:.2g} "
            "% to either side.",
            100.0 * out.waves.makespan_error_cycles / out.makespan_cycles));
    }
    if (!parts.step.periodic) {
        list.emplace_back("The loop did not become periodic: the steady step is a mean.");
    }
    if (auto turns = turn_assumption(
            out.plan, parts.in_turn,
            out.makespan_cycles > 0.0 ? out.waves.turn_wait_cycles / out.makespan_cycles : 0.0,
            engine_options(options))) {
        list.push_back(std::move(*turns));
    }
    for (const Mechanism mechanism : options.ideal) {
        list.push_back(fmt::format("Switched off: {}.", mechanism_name(mechanism)));
    }
}

}  // namespace

Result<Prediction> predict(const GpuSpec& spec, const KernelPlan& plan,
                           const AttentionProblem& problem, const PredictOptions& options) {
    return predict_listed(spec, plan, problem, std::nullopt, options);
}

Result<Prediction> predict_listed(const GpuSpec& spec, const KernelPlan& asked,
                                  const AttentionProblem& problem,
                                  const std::optional<BlockLists>& lists,
                                  const PredictOptions& options, ScheduleMemo* memo) {
    if (lists) {
        if (auto fits = check_block_lists(*lists, problem, asked); !fits) {
            return tl::unexpected(fits.error());
        }
    }
    auto clock = choose_clock(spec, options);
    if (!clock) {
        return tl::unexpected(clock.error());
    }
    const auto fewer = with_residents_of_grid(spec, asked, problem, lists);
    if (!fewer) {
        return tl::unexpected(fewer.error());
    }
    const KernelPlan& plan = *fewer ? **fewer : asked;
    auto measured = measure_parts(spec, plan, problem, lists, options, clock->hz, memo);
    if (!measured) {
        return tl::unexpected(measured.error());
    }
    PredictionParts& parts = *measured;
    Prediction out;
    out.problem = problem;
    out.gpu = spec.id;
    out.kernel = plan.kernel;
    out.clock = std::move(*clock);
    out.plan = plan;
    out.version = WARPLINE_VERSION;
    out.spec_hash = spec.hash;
    out.steady = {parts.step.roofline.ticks * cycles_per_tick,
                  parts.step.recurrence.ticks_per_block * cycles_per_tick,
                  parts.step.step_ticks * cycles_per_tick, plan.tiles.rows, plan.tiles.block};
    fill_times(out, parts);
    if (auto filled = fill_work(out, parts, spec, lists); !filled) {
        return tl::unexpected(filled.error());
    }
    fill_units(out, parts, spec);
    fill_assumptions(out, parts, spec, options);
    if (lists) {
        out.assumptions.push_back(fmt::format(
            "Block lists: {:.1f} % of all scores are in listed blocks, which are what is counted.",
            100.0 * all_listed_pairs(*lists, problem) / std::max(1.0, unmasked_scores(problem))));
    }
    if (plan.ctas_per_sm < asked.ctas_per_sm) {
        out.assumptions.push_back(fmt::format("Too few tiles for {} CTAs an SM: {} live{} there.",
                                              asked.ctas_per_sm, plan.ctas_per_sm,
                                              plan.ctas_per_sm == 1 ? "s" : ""));
    }
    out.steady_roofline = std::move(parts.step.roofline);
    out.recurrence = std::move(parts.step.recurrence);
    out.schedule = std::move(parts.step.schedule);
    out.bound_by = bound_phrase(out, parts.launch_seconds);
    return out;
}

}  // namespace warpline
