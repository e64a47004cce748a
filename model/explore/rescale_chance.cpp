#include "warpline/explore/rescale_chance.hpp"

#include "warpline/numerics/rescale_study.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t most_keys = 32768;

[[nodiscard]] std::int64_t longest_keys(const AttentionProblem& problem) {
    std::int64_t keys = problem.seqlen_kv;
    for (const SequencePair& pair : problem.varlen) {
        keys = std::max(keys, pair.kv);
    }
    return keys;
}

/// Mean of the chances by step, each as often as a tile gets that far: under a causal mask tiles of
/// every length are as many.
[[nodiscard]] double mean_over_tiles(const std::vector<double>& by_step, std::int64_t steps,
                                     bool every_length) {
    double sum = 0.0, weights = 0.0;
    const auto known = static_cast<std::int64_t>(by_step.size());
    for (std::int64_t step = 0; step < steps; ++step) {
        const double weight = every_length ? static_cast<double>(steps - step) : 1.0;
        const double chance = step < known ? by_step[static_cast<std::size_t>(step)]
                                           : by_step.back() * static_cast<double>(known + 1) /
                                                 static_cast<double>(step + 2);
        sum += weight * chance;
        weights += weight;
    }
    return weights > 0.0 ? sum / weights : 0.0;
}

}  // namespace

Result<double> rescale_chance(const KernelPlan& plan, const AttentionProblem& problem,
                              const ScoreDistribution& scores, int threads) {
    const auto threshold = plan.parameters.find("rescale_threshold");
    if (threshold == plan.parameters.end() ||
        plan.parameters.count(std::string(rescale_parameter)) == 0) {
        return fail(FailureKind::usage,
                    fmt::format("{} has no rescale_threshold: its time does not depend on scores",
                                plan.kernel),
                    "scores matter to fa4_fwd");
    }
    const std::int64_t steps =
        (longest_keys(problem) + plan.tiles.block - 1) / plan.tiles.block - 1;
    if (steps < 1) {
        return 0.0;
    }
    RescaleOptions options;
    options.scores = scores;
    options.taus = {threshold->second};
    options.block = plan.tiles.block;
    options.keys = std::min((steps + 1) * plan.tiles.block, most_keys);
    options.error_warps = 0;
    options.threads = threads;
    const auto rows = study_rescaling(options);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    return mean_over_tiles(rows->front().frequency, steps, problem.mask.kind == MaskKind::causal);
}

}  // namespace warpline
