// Errors of many rows in a few numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace warpline {

/// Of relative errors, predicted / measured - 1. All zero without rows.
struct ErrorStatistics {
    std::int64_t rows = 0;
    double mean_absolute = 0.0;
    double median_absolute = 0.0;
    double max_absolute = 0.0;
    double bias = 0.0;  ///< mean signed error
};

[[nodiscard]] ErrorStatistics error_statistics(const std::vector<double>& errors);

/// Spearman's rank correlation; equal values share the mean of their ranks. Nothing for fewer than
/// three pairs, or when all values of one side are equal. Precondition: equally many of both.
[[nodiscard]] std::optional<double> rank_correlation(const std::vector<double>& a,
                                                     const std::vector<double>& b);

}  // namespace warpline
