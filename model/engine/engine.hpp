// The discrete-event engine: one cluster of CTAs, with the clusters resident beside it on the same
// SMs.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/engine/schedule.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/pipeline/mechanism.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace warpline {

struct EngineOptions {
    /// Warp instructions issued by one event. 1 is the reference.
    int granularity = 1;
    /// Simulate one of four equal sub-partitions.
    bool fold_sub_partitions = true;
    /// Skip ahead when the relative state recurs. The result is exactly that of the unfolded run.
    bool fold_steady_state = true;
    bool record_events = false;
    std::set<Mechanism> ideal;
    /// Start offset of each role of the plan, in ticks; empty = all 0.
    std::vector<Tick> role_offsets;
    /// A run that needs more events is an error (a guard against absurd inputs, not a tuning knob).
    std::int64_t max_events = 50'000'000;
};

struct CompiledPlan;

/// A plan prepared for any number of runs, which share the work of cutting it into batches.
/// The plan must outlive the engine; with `ideal` mechanisms the engine keeps its own.
class Engine {
  public:
    explicit Engine(const KernelPlan& plan, EngineOptions options = {});

    /// As simulate() below.
    [[nodiscard]] Result<Schedule> run(const std::vector<TileRun>& tiles,
                                       const MemoryEnvironment& memory) const;

  private:
    std::shared_ptr<const KernelPlan> plan_;
    EngineOptions options_;
    std::shared_ptr<const CompiledPlan> compiled_;
};

/// Runs `tiles` in order on every resident cluster. An empty sequence, and tiles with zero blocks,
/// are legal. `Schedule::tile_ends` has an entry for each of the first 4096 tiles. Deterministic:
/// the same arguments give the same bits on every machine. Errors: deadlock (each waiting role, its
/// barrier, the phase it waits for and who should have arrived); infeasible (max_events exceeded,
/// time beyond 2^62 ticks).
[[nodiscard]] Result<Schedule> simulate(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                                        const MemoryEnvironment& memory,
                                        const EngineOptions& options = {});

}  // namespace warpline
