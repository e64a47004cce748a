#include "warpline/device/tile_burst.hpp"

#include "warpline/device/memory_share.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace warpline {
namespace {

/// Clocks; where HBM is so slow, its rate alone decides.
constexpr double longest_delay = 1e9;

/// Tiles, and how many of them are of the most frequent class.
struct Census {
    double tiles = 0.0;
    double most = 0.0;
};

[[nodiscard]] Census census_of(const std::vector<HeadTiles>& tiles) {
    std::map<std::array<std::int64_t, 3>, double> classes;
    Census out;
    for (const HeadTiles& head : tiles) {
        for (const TileSection& section : head.sections) {
            // Of a progression every repetition is a class of its own: one of them stands for all.
            const double repeats = section.step == 0 ? static_cast<double>(section.repeats) : 1.0;
            for (const TileRun& run : section.runs) {
                const auto count =
                    static_cast<double>(run.count) * static_cast<double>(head.groups);
                out.tiles += count * static_cast<double>(section.repeats);
                double& same =
                    classes[{run.tile.blocks, run.tile.masked_first, run.tile.masked_last}];
                same += count * repeats;
                out.most = std::max(out.most, same);
            }
        }
    }
    return out;
}

/// Share of its tiles that an SM begins together with the others: those until it first had a tile
/// of another class than they, if each of `count` is of the common class with probability `common`.
[[nodiscard]] double share_in_step(double common, double count) {
    const double other = 1.0 - common;
    return other * count < 1e-9 ? 1.0 : (1.0 - std::pow(common, count)) / (count * other);
}

}  // namespace

TileBurst tile_burst(const GpuSpec& spec, const KernelPlan& plan, const AttentionProblem& problem,
                     const std::vector<HeadTiles>& tiles, const ClusterSlots& slots,
                     const ClockHz& clock) {
    const Census census = census_of(tiles);
    const double hbm = spec.memory.hbm_bytes_per_second;
    const double width = spec.memory.sm_bytes_per_clk;
    if (census.tiles <= 0.0 || hbm <= 0.0 || width <= 0.0) {
        return {};
    }
    TileBurst out;
    const double together = std::min(census.tiles, static_cast<double>(slots.slots()));
    out.in_step = share_in_step(census.most / census.tiles, census.tiles / together);
    const double own = own_input_bytes(plan, problem) / census.tiles;
    // More than shared memory holds is read over the loop, not when the tile begins.
    if (own <= static_cast<double>(spec.limits.smem_per_sm * slots.cluster)) {
        const double at_hbm = own * together / hbm * boost::rational_cast<double>(clock);
        const double alone = own / static_cast<double>(slots.cluster) / width;
        const double delay = std::clamp(at_hbm - alone, 0.0, longest_delay);
        out.delay = round_to_ticks(delay * out.in_step);
    }
    return out;
}

}  // namespace warpline
