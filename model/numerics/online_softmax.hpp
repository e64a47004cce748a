// Attention of one warp's rows as kernels compute it: key blocks one after the other, a running
// maximum, and O rescaled only when the maximum has risen enough.
#pragma once

#include "warpline/numerics/precision.hpp"

#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace warpline {

struct OnlineSoftmax {
    std::int64_t block = 128;
    /// Rise of a row's maximum, in log2, up to which the old maximum is kept. Probabilities then
    /// reach 2^tau instead of 1. Infinite: only the first block's maximum is ever used.
    double tau = 0.0;
    int exp2_degree = 0;                    ///< see exp2_of()
    Precision precision = Precision::bf16;  ///< of the probabilities and V
};

/// At which blocks, the first left out, some row of the warp has risen by more than `tau` since
/// its maximum was last taken: then the whole warp rescales. One entry for each block after the
/// first. `scores`: rows of the warp x keys, in units of log2.
[[nodiscard]] std::vector<bool> rescaled_steps(const Eigen::Ref<const Eigen::ArrayXXf>& scores,
                                               std::int64_t block, double tau);

/// softmax(scores) * v by blocks; sums and O in float. `v`: keys x head dim.
[[nodiscard]] Eigen::MatrixXf attend(const Eigen::Ref<const Eigen::ArrayXXf>& scores,
                                     const Eigen::Ref<const Eigen::MatrixXf>& v,
                                     const OnlineSoftmax& options);

/// The same in double, all keys at once.
[[nodiscard]] Eigen::MatrixXd attend_exactly(const Eigen::Ref<const Eigen::ArrayXXf>& scores,
                                             const Eigen::Ref<const Eigen::MatrixXf>& v);

}  // namespace warpline
