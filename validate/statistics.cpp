#include "warpline/validate/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace warpline {
namespace {

[[nodiscard]] double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

/// From 0; equal values share the mean of their ranks.
[[nodiscard]] std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> out(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        const double shared = static_cast<double>(begin + end - 1) / 2.0;
        for (; begin < end; ++begin) {
            out[order[begin]] = shared;
        }
    }
    return out;
}

}  // namespace

ErrorStatistics error_statistics(const std::vector<double>& errors) {
    ErrorStatistics out;
    if (errors.empty()) {
        return out;
    }
    std::vector<double> absolute;
    absolute.reserve(errors.size());
    for (const double error : errors) {
        absolute.push_back(std::abs(error));
    }
    const auto count = static_cast<double>(errors.size());
    out.rows = static_cast<std::int64_t>(errors.size());
    out.mean_absolute = std::accumulate(absolute.begin(), absolute.end(), 0.0) / count;
    out.max_absolute = *std::max_element(absolute.begin(), absolute.end());
    out.bias = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
    out.median_absolute = median(std::move(absolute));
    return out;
}

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() < 3) {
        return std::nullopt;
    }
    const std::vector<double> rank_a = ranks(a);
    const std::vector<double> rank_b = ranks(b);
    const double mean = static_cast<double>(a.size() - 1) / 2.0;
    double both = 0.0;
    double of_a = 0.0;
    double of_b = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (rank_a[i] - mean) * (rank_b[i] - mean);
        of_a += (rank_a[i] - mean) * (rank_a[i] - mean);
        of_b += (rank_b[i] - mean) * (rank_b[i] - mean);
    }
    if (of_a == 0.0 || of_b == 0.0) {
        return std::nullopt;
    }
    return both / std::sqrt(of_a * of_b);
}

}  // namespace warpline
