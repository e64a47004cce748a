// Nonlinear least squares inside bounds: projected Levenberg-Marquardt with finite differences.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <functional>
#include <vector>

namespace warpline {

/// One unknown: it starts at `start` and stays in [low, high]. Precondition: low < high, step > 0.
struct BoundedUnknown {
    double start = 0.0, low = 0.0, high = 0.0;
    double step = 0.0;  ///< of its finite difference, to either side where the bounds leave room
};

using UnknownValues = std::vector<double>;  ///< a value for each unknown
using Residuals = std::vector<double>;

/// The residuals at each of several points, in their order, equally many everywhere. Points come in
/// batches so that they can be computed side by side.
using ResidualsAt =
    std::function<Result<std::vector<Residuals>>(const std::vector<UnknownValues>&)>;

struct LeastSquaresFit {
    UnknownValues values;
    Residuals residuals;                 ///< at `values`
    std::vector<Residuals> derivatives;  ///< at `values`: of all residuals, an unknown a row
    std::vector<bool> at_bound;          ///< an unknown rests on an end of its range
    int iterations = 0;
    bool settled = false;  ///< no step gains 0.1 % any more; otherwise the iterations ran out
};

/// Minimises the sum of squared residuals. Steps that leave the bounds are projected onto them, and
/// unknowns that a bound holds take no part in a step. Functions may be step-like on a scale below
/// `step`. Errors: those of `residuals`.
[[nodiscard]] Result<LeastSquaresFit> least_squares(const std::vector<BoundedUnknown>& unknowns,
                                                    const ResidualsAt& residuals,
                                                    int most_iterations = 40);

/// Of all residuals, an unknown a row, at `point`. Errors: those of `residuals`.
[[nodiscard]] Result<std::vector<Residuals>> finite_differences(
    const std::vector<BoundedUnknown>& unknowns, const UnknownValues& point,
    const ResidualsAt& residuals);

/// Half the width of each unknown's 95 % confidence interval, by Student's t, when residuals are
/// independent and alike and the function is linear across the interval. `spent` counts what else
/// was fitted to the same residuals. Infinite where the residuals do not determine an unknown, or
/// are not more than what was fitted.
[[nodiscard]] std::vector<double> confidence_half_widths(const std::vector<Residuals>& derivatives,
                                                         const Residuals& residuals, int spent);

/// Unknowns, by index, that take part in a change that moves the residuals by less than 1 % of what
/// each does alone: the residuals cannot tell them apart. Empty when all can be told apart.
/// Precondition: no unknown's derivatives are all zero.
[[nodiscard]] std::vector<std::size_t> indistinct_unknowns(
    const std::vector<Residuals>& derivatives);

}  // namespace warpline
