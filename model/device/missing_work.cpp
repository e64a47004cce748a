#include "warpline/device/missing_work.hpp"

#include "warpline/engine/engine.hpp"

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t blocks = 4;
constexpr double tolerated = 1e-9;  // of a sum in doubles

}  // namespace

std::optional<std::string> missing_work(double executed_flops, double counted_flops) {
    if (executed_flops >= counted_flops * (1.0 - tolerated)) {
        return std::nullopt;
    }
    return fmt::format(
        "The kernel executes {:.3g} % of the FLOPs that the problem counts: work is missing.",
        100.0 * executed_flops / counted_flops);
}

Result<std::optional<std::string>> missing_work_of_tile(const KernelPlan& plan,
                                                        const AttentionProblem& problem,
                                                        const MemoryEnvironment& memory) {
    if (problem.mask.kind != MaskKind::full) {
        return std::nullopt;  // programs may rely on what masked tiles are like
    }
    const auto schedule = simulate(plan, {{TileClass{blocks, 0, 0}, 1}}, memory);
    if (!schedule) {
        return tl::unexpected(schedule.error());
    }
    const double counted = static_cast<double>(plan.tiles.rows) *
                           static_cast<double>(plan.tiles.block * blocks) *
                           counted_flops_per_pair(problem) * plan.counted_share;
    return missing_work(static_cast<double>(schedule->flops) / plan.ctas_per_sm, counted);
}

}  // namespace warpline
