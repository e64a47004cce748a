#include "warpline/device/prediction_parts.hpp"

#include "warpline/device/clock.hpp"
#include "warpline/device/cluster_slots.hpp"
#include "warpline/device/schedule_memo.hpp"
#include "warpline/device/settle_memory.hpp"
#include "warpline/device/turn_waits.hpp"
#include "warpline/engine/related_runs.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace warpline {
namespace {

/// The schedules of one kernel, by memory environment; remembered where there is a memo.
class Schedules {
  public:
    Schedules(const KernelPlan& plan, EngineOptions engine, ScheduleMemo* memo)
        : plan_(plan), engine_(std::move(engine)), memo_(memo) {}

    [[nodiscard]] TileRunner in(const MemoryEnvironment& memory) {
        const auto machine = remembered(memory);
        const TileRunner simulated = simulator(memory);
        return [machine, simulated](const TileClass& tile, std::int64_t count) {
            return machine ? machine->run(tile, count, simulated) : simulated(tile, count);
        };
    }

    /// What a tile masks matters to the steady step, its length does not.
    [[nodiscard]] Result<SteadyStep> steady_step(TileClass like, const MemoryEnvironment& memory,
                                                 bool record_events) {
        like.blocks = std::min(like.blocks, like.masked_first + like.masked_last);
        EngineOptions recording = engine_;
        recording.record_events = true;
        const TileRunner recorded = [&](const TileClass& tile, std::int64_t count) {
            return simulate(plan_, {{tile, count}}, memory, recording);
        };
        const TileRunner run = record_events ? recorded : simulator(memory);
        const auto measure = [&] { return measure_steady_step(plan_, like, memory, engine_, run); };
        const auto machine = record_events ? nullptr : remembered(memory);
        return machine ? machine->steady_step(like, measure) : measure();
    }

  private:
    [[nodiscard]] TileRunner simulator(const MemoryEnvironment& memory) {
        return [this, memory](const TileClass& tile, std::int64_t count) {
            if (!prepared_) {
                prepared_.emplace(plan_, engine_);
            }
            return prepared_->run(tile, count, memory);
        };
    }
    [[nodiscard]] std::shared_ptr<MachineMemo> remembered(const MemoryEnvironment& memory) {
        if (memo_ == nullptr) {
            return nullptr;
        }
        if (!machines_) {
            machines_ = memo_->of(plan_, engine_);
        }
        return machines_->in(memory);
    }

    const KernelPlan& plan_;
    EngineOptions engine_;
    ScheduleMemo* memo_;
    std::shared_ptr<KernelMemo> machines_;
    std::optional<RelatedRuns> prepared_;  ///< not when everything is remembered
};

/// Tile times and their placement, in one memory environment.
[[nodiscard]] Result<void> place_all(PredictionParts& parts, const GpuSpec& spec,
                                     const KernelPlan& plan, const ClusterSlots& slots,
                                     const TileRunner& run) {
    auto times = TileTimes::measure(parts.tiles, plan.tiles.scheduler, plan.ctas_per_sm, run);
    if (!times) {
        return tl::unexpected(times.error());
    }
    if (parts.placement.tiles > 0 && *times == parts.times) {
        return {};  // memory is another, the tiles are as fast
    }
    parts.times = std::move(*times);
    const auto placement =
        place_tiles(parts.tiles, parts.times, plan.tiles.scheduler, slots, launch_cost(spec));
    if (!placement) {
        return tl::unexpected(placement.error());
    }
    parts.placement = *placement;
    parts.total = parts.times.total(parts.tiles);
    return {};
}

/// Places the tiles in the environment that they make for themselves.
[[nodiscard]] Result<MemoryEnvironment> settle(PredictionParts& parts, const GpuSpec& spec,
                                               const KernelPlan& plan,
                                               const AttentionProblem& problem,
                                               Schedules& schedules, const PredictOptions& options,
                                               const ClockHz& clock) {
    const auto slots = cluster_slots(spec, plan.cluster, plan.ctas_per_sm);
    if (!slots) {
        return tl::unexpected(slots.error());
    }
    const bool limited = options.ideal.count(Mechanism::memory_bandwidth) == 0;
    const auto place = [&](const MemoryEnvironment& memory) -> Result<MemoryUse> {
        if (auto placed = place_all(parts, spec, plan, *slots, schedules.in(memory)); !placed) {
            return tl::unexpected(placed.error());
        }
        const Placement& placement = parts.placement;
        parts.share = share_memory(spec, plan, problem, parts.total, placement);
        parts.traffic = estimate_traffic(parts.share.hbm_bytes, spec, parts.total);
        if (!limited) {
            parts.traffic.hbm_seconds = 0.0;
            parts.traffic.l2_cycles = 0.0;
        }
        MemoryUse use;
        use.share = parts.share;
        use.makespan = placement.makespan;
        use.tiles_per_slot = static_cast<double>(placement.tiles) /
                             static_cast<double>(std::max<std::int64_t>(1, placement.slots_used));
        const double seconds =
            seconds_from_cycles(placement.makespan / static_cast<double>(ticks_per_cycle), clock);
        use.hbm_use = seconds > 0.0 ? parts.traffic.hbm_seconds / seconds : 0.0;
        return use;
    };
    const TileBurst burst =
        limited ? tile_burst(spec, plan, problem, parts.tiles, *slots, clock) : TileBurst{};
    const auto settled = settle_memory(spec, burst, place);
    if (!settled) {
        return tl::unexpected(settled.error());
    }
    // The engine leaves latencies out when it is told so, waits among them.
    parts.hbm_wait = options.ideal.count(Mechanism::memory_latency) == 0 ? settled->wait : Tick{0};
    return settled->environment;
}

}  // namespace

EngineOptions engine_options(const PredictOptions& options) {
    EngineOptions engine;
    engine.granularity = options.granularity;
    engine.ideal = options.ideal;
    return engine;
}

std::vector<HeadTiles> tiles_of(const AttentionProblem& problem, const KernelPlan& plan,
                                const std::optional<BlockLists>& lists) {
    return lists ? kernel_tiles(problem, plan, *lists) : kernel_tiles(problem, plan);
}

Result<PredictionParts> measure_parts(const GpuSpec& spec, const KernelPlan& plan,
                                      const AttentionProblem& problem,
                                      const std::optional<BlockLists>& lists,
                                      const PredictOptions& options, const ClockHz& clock,
                                      ScheduleMemo* memo) {
    PredictionParts parts;
    Schedules schedules(plan, engine_options(options), memo);
    parts.tiles = tiles_of(problem, plan, lists);
    const auto memory = settle(parts, spec, plan, problem, schedules, options, clock);
    if (!memory) {
        return tl::unexpected(memory.error());
    }
    if (!lists) {
        const auto waited = with_turn_waits(parts.placement, spec, plan, problem, parts.times,
                                            *memory, engine_options(options));
        if (!waited) {
            return tl::unexpected(waited.error());
        }
        parts.in_turn = waited->has_value();
        parts.placement = waited->value_or(parts.placement);
    }
    if (options.ideal.count(Mechanism::instruction_fetch) == 0) {
        parts.fetch = fetch_instructions(spec, plan, parts.tiles);
    }
    parts.launch_seconds =
        options.graph_launch ? spec.launch.graph_kernel_seconds : spec.launch.kernel_seconds;
    auto step = schedules.steady_step(parts.times.longest().value_or(TileClass{0, 1, 0}), *memory,
                                      options.record_events);
    if (!step) {
        return tl::unexpected(step.error());
    }
    parts.step = std::move(*step);
    return parts;
}

}  // namespace warpline
