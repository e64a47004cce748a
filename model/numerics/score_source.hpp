// Random attention scores with a stated distribution, the same on every run.
#pragma once

#include "warpline/numerics/score_distribution.hpp"

#include <cstdint>

#include <Eigen/Core>

namespace warpline {

/// A matrix of scores, rows x keys, in units of log2: times log2(e). `block` keys make a block. The
/// same numbers for the same arguments.
[[nodiscard]] Eigen::ArrayXXf make_scores(const ScoreDistribution& scores, std::int64_t rows,
                                          std::int64_t keys, std::int64_t block,
                                          std::uint64_t seed);

/// Standard normal numbers, rows x columns.
[[nodiscard]] Eigen::MatrixXf make_normal(std::int64_t rows, std::int64_t columns,
                                          std::uint64_t seed);

}  // namespace warpline
