#include "reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace attention {

double from_bf16(std::uint16_t bits) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}

ReferenceRow reference_row(const std::uint16_t* q, const std::uint16_t* keys,
                           const std::uint16_t* values, int head_dim, int seen, double scale) {
    ReferenceRow row;
    row.output.assign(static_cast<std::size_t>(head_dim), 0);
    row.log_sum = -std::numeric_limits<double>::infinity();
    if (seen <= 0)
        return row;
    std::vector<double> scores(static_cast<std::size_t>(seen));
    for (int j = 0; j < seen; ++j) {
        double dot = 0;
        for (int c = 0; c < head_dim; ++c)
            dot += from_bf16(q[c]) * from_bf16(keys[static_cast<long long>(j) * head_dim + c]);
        scores[static_cast<std::size_t>(j)] = dot * scale;
    }
    const double high = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (int j = 0; j < seen; ++j) {
        const double weight = std::exp(scores[static_cast<std::size_t>(j)] - high);
        sum += weight;
        for (int c = 0; c < head_dim; ++c) {
            row.output[static_cast<std::size_t>(c)] +=
                weight * from_bf16(values[static_cast<long long>(j) * head_dim + c]);
        }
    }
    for (double& value : row.output)
        value /= sum;
    row.log_sum = high + std::log(sum);
    return row;
}

}  // namespace attention
