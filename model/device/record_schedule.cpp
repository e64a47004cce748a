#include "warpline/device/record_schedule.hpp"

#include "warpline/device/kernel_tiles.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpline {
namespace {

constexpr std::int64_t most_events = 4'000'000;  // about half a gigabyte of records

[[nodiscard]] TileClass longest_tile(const std::vector<HeadTiles>& tiles) {
    TileClass longest;
    for (const HeadTiles& head : tiles) {
        for (const TileSection& section : head.sections) {
            const std::int64_t growth =
                std::max<std::int64_t>(0, section.step) * (section.repeats - 1);
            for (const TileRun& run : section.runs) {
                if (run.tile.blocks + growth > longest.blocks) {
                    longest = run.tile;
                    longest.blocks += growth;
                }
            }
        }
    }
    return longest;
}

}  // namespace

Result<Schedule> record_longest_tile(const GpuSpec& spec, const KernelPlan& plan,
                                     const AttentionProblem& problem, EngineOptions options,
                                     const std::optional<BlockLists>& lists) {
    auto recording = record_tile(spec, plan, problem, std::move(options), Iterations::all, lists);
    if (!recording) {
        return tl::unexpected(recording.error());
    }
    return std::move(recording->schedule);
}

Result<Recording> record_tile(const GpuSpec& spec, const KernelPlan& plan,
                              const AttentionProblem& problem, EngineOptions options,
                              Iterations iterations, const std::optional<BlockLists>& lists) {
    if (lists) {
        if (auto fits = check_block_lists(*lists, problem, plan); !fits) {
            return tl::unexpected(fits.error());
        }
    }
    const TileClass tile =
        longest_tile(lists ? kernel_tiles(problem, plan, *lists) : kernel_tiles(problem, plan));
    options.fold_steady_state = iterations == Iterations::folded;
    options.max_events = most_events;
    auto recording = record(plan, {{tile, 1}}, idle_memory(spec), options);
    if (!recording && recording.error().kind == FailureKind::infeasible) {
        return fail(FailureKind::infeasible,
                    "the longest tile has too many events to be written one by one",
                    "use a shorter sequence: the steady state repeats");
    }
    return recording;
}

}  // namespace warpline
