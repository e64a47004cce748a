#include "warpline/numerics/rescale_study.hpp"

#include "warpline/explore/parallel.hpp"
#include "warpline/numerics/online_softmax.hpp"
#include "warpline/numerics/score_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t most_scores = std::int64_t{1} << 26U;
constexpr int highest_degree = 5;

/// What one warp contributes: by tau, and of errors by precision.
struct WarpResult {
    std::vector<std::vector<bool>> steps;
    struct Squares {
        double error = 0.0, value = 0.0, largest = 0.0;
    };
    std::vector<std::vector<Squares>> squares;
    std::int64_t elements = 0;
};

WarpResult::Squares compare(const Eigen::MatrixXf& o, const Eigen::MatrixXd& exact) {
    const Eigen::MatrixXd error = o.cast<double>() - exact;
    return {error.squaredNorm(), exact.squaredNorm(), error.cwiseAbs().maxCoeff()};
}

WarpResult run_warp(const RescaleOptions& options, std::int64_t warp) {
    WarpResult out;
    const std::uint64_t seed =
        options.seed * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(warp);
    const Eigen::ArrayXXf scores =
        make_scores(options.scores, options.rows, options.keys, options.block, seed);
    for (const double tau : options.taus) {
        out.steps.push_back(rescaled_steps(scores, options.block, tau));
    }
    if (warp >= options.error_warps) {
        return out;
    }
    const Eigen::MatrixXf v = make_normal(options.keys, options.head_dim, ~seed);
    const Eigen::MatrixXd exact = attend_exactly(scores, v);
    out.elements = exact.size();
    for (const double tau : options.taus) {
        out.squares.emplace_back();
        for (const Precision precision : options.precisions) {
            const OnlineSoftmax softmax{options.block, tau, options.exp2_degree, precision};
            out.squares.back().push_back(compare(attend(scores, v, softmax), exact));
        }
    }
    return out;
}

Result<void> check(const RescaleOptions& options) {
    const std::int64_t least =
        std::min({options.keys, options.block, options.rows, options.warps, options.head_dim});
    if (least < 1 || options.error_warps < 0) {
        return fail(FailureKind::usage, "keys, block, rows, warps and head dim must be at least 1");
    }
    if (options.keys > most_scores / options.rows) {
        return fail(FailureKind::usage, fmt::format("{} keys are too many", options.keys),
                    fmt::format("at most {}", most_scores / options.rows));
    }
    if (options.taus.empty()) {
        return fail(FailureKind::usage, "there is no threshold to try");
    }
    for (const double tau : options.taus) {
        if (!(tau >= 0.0)) {
            return fail(FailureKind::usage, fmt::format("a threshold of {} makes no sense", tau),
                        "a number of powers of two, 0 or more");
        }
    }
    if (options.exp2_degree < 0 || options.exp2_degree > highest_degree) {
        return fail(FailureKind::usage,
                    fmt::format("there is no polynomial of degree {}", options.exp2_degree),
                    "1 to 5, or 0 for the exponential unit");
    }
    return {};
}

RescaleRow summarize(const RescaleOptions& options, const std::vector<WarpResult>& warps,
                     std::size_t tau) {
    RescaleRow row;
    row.tau = options.taus[tau];
    row.frequency.assign(warps.front().steps[tau].size(), 0.0);
    for (const WarpResult& warp : warps) {
        for (std::size_t step = 0; step < row.frequency.size(); ++step) {
            row.frequency[step] +=
                warp.steps[tau][step] ? 1.0 / static_cast<double>(warps.size()) : 0.0;
        }
    }
    for (const double frequency : row.frequency) {
        row.mean += frequency / static_cast<double>(row.frequency.size());
    }
    for (std::size_t i = 0; i < options.precisions.size() && options.error_warps > 0; ++i) {
        WarpResult::Squares sum;
        std::int64_t elements = 0;
        for (const WarpResult& warp : warps) {
            if (warp.squares.empty()) {
                continue;
            }
            const WarpResult::Squares& one = warp.squares[tau][i];
            sum.error += one.error;
            sum.value += one.value;
            sum.largest = std::max(sum.largest, one.largest);
            elements += warp.elements;
        }
        const double scale = std::sqrt(sum.value / static_cast<double>(elements));
        row.errors.push_back({std::sqrt(sum.error / sum.value), sum.largest / scale});
    }
    return row;
}

}  // namespace

Result<std::vector<RescaleRow>> study_rescaling(const RescaleOptions& options) {
    if (const auto checked = check(options); !checked) {
        return tl::unexpected(checked.error());
    }
    std::vector<WarpResult> warps(static_cast<std::size_t>(options.warps));
    for_each_index(options.warps, options.threads, [&](std::int64_t warp) {
        warps[static_cast<std::size_t>(warp)] = run_warp(options, warp);
    });
    std::vector<RescaleRow> rows;
    for (std::size_t tau = 0; tau < options.taus.size(); ++tau) {
        rows.push_back(summarize(options, warps, tau));
    }
    return rows;
}

}  // namespace warpline
