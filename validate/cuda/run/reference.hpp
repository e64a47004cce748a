// Attention of one query row in double precision: what a kernel's outputs are held against.
#pragma once

#include <cstdint>
#include <vector>

namespace attention {

[[nodiscard]] double from_bf16(std::uint16_t bits);

struct ReferenceRow {
    std::vector<double> output;
    double log_sum = 0;  // natural logarithm; minus infinity where no key is seen
};

// `q` one row, `keys` and `values` `seen` rows, of `head_dim` bf16 each.
[[nodiscard]] ReferenceRow reference_row(const std::uint16_t* q, const std::uint16_t* keys,
                                         const std::uint16_t* values, int head_dim, int seen,
                                         double scale);

}  // namespace attention
