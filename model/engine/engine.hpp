// The discrete-event engine: one cluster of CTAs, with the clusters resident beside it on the same
// SMs.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/engine/schedule.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// Mechanisms that can be switched off, to see what each costs.
enum class Mechanism : std::uint8_t {
    smem_contention,     ///< the SMEM port never makes anyone wait
    issue_contention,    ///< issue ports never make anyone wait
    pipe_contention,     ///< warps do not share fma, alu, xu, lsu, adu pipes (each has its own)
    tmem_bandwidth,      ///< TMEM ports take no time (latency stays)
    dependence_latency,  ///< results of warp instructions are there at once
    barrier_latency,     ///< arrivals, wake-ups and remote arrivals take no time
    mma_latency,         ///< MMA results are visible when the tensor core is done
    memory_latency,
    memory_bandwidth,
    register_contention,  ///< warp instructions run beside a wgmma as they do alone
};
[[nodiscard]] const std::vector<Mechanism>& all_mechanisms();
[[nodiscard]] std::string_view mechanism_name(Mechanism mechanism);

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

/// Runs `tiles` in order on every resident cluster. An empty sequence, and tiles with zero blocks,
/// are legal. `Schedule::tile_ends` holds the end of each tile when there are at most 4096, else of
/// the first 4096. Deterministic: the same arguments give the same bits on every machine. Errors:
/// deadlock (each waiting role, its barrier, the phase it waits for and who should have arrived);
/// infeasible (max_events exceeded, time beyond 2^62 ticks).
[[nodiscard]] Result<Schedule> simulate(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                                        const MemoryEnvironment& memory,
                                        const EngineOptions& options = {});

}  // namespace warpline
