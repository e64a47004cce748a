// What a prediction is put together from: the tiles' times, their placement and what memory allows.
#pragma once

#include "warpline/device/instruction_fetch.hpp"
#include "warpline/device/kernel_tiles.hpp"
#include "warpline/device/memory_share.hpp"
#include "warpline/device/place_tiles.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/device/steady_step.hpp"
#include "warpline/device/tile_times.hpp"
#include "warpline/device/traffic.hpp"
#include "warpline/workload/block_lists.hpp"

#include <optional>
#include <vector>

namespace warpline {

class ScheduleMemo;

/// What the parts found, before it is put into one answer.
struct PredictionParts {
    std::vector<HeadTiles> tiles;
    TileTimes times;
    Placement placement;
    MemoryShare share;
    Tick hbm_wait = 0;  ///< how much longer than on an idle GPU a load waits for HBM
    Traffic traffic;
    InstructionFetch fetch;
    SteadyStep step;
    TileCost total;
    double launch_seconds = 0.0;
    bool in_turn = false;  ///< the placement knows who waits for whose turn
};

/// How the engine is asked to run.
[[nodiscard]] EngineOptions engine_options(const PredictOptions& options);

/// The tiles of the lists, or of the mask when there are none.
[[nodiscard]] std::vector<HeadTiles> tiles_of(const AttentionProblem& problem,
                                              const KernelPlan& plan,
                                              const std::optional<BlockLists>& lists);

/// Schedules are remembered in `memo` (null: nowhere), which changes nothing.
[[nodiscard]] Result<PredictionParts> measure_parts(const GpuSpec& spec, const KernelPlan& plan,
                                                    const AttentionProblem& problem,
                                                    const std::optional<BlockLists>& lists,
                                                    const PredictOptions& options,
                                                    const ClockHz& clock, ScheduleMemo* memo);

}  // namespace warpline
