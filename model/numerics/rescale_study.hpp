// How often conditional rescaling rescales, and what it costs in accuracy.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/numerics/precision.hpp"
#include "warpline/numerics/score_distribution.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

struct RescaleOptions {
    ScoreDistribution scores;
    std::vector<double> taus = {0.0, 8.0};
    std::vector<Precision> precisions = {Precision::bf16, Precision::fp16, Precision::e4m3};
    std::int64_t keys = 8192;
    std::int64_t block = 128;
    std::int64_t rows = 32;        ///< of a warp: one that rises makes all rescale
    std::int64_t warps = 64;       ///< for the frequency
    std::int64_t error_warps = 4;  ///< for the error
    std::int64_t head_dim = 64;
    int exp2_degree = 0;
    std::uint64_t seed = 1;
    int threads = 0;
};

struct RescaleError {
    double rms = 0.0;      ///< of O against double, over the root mean square of O
    double largest = 0.0;  ///< largest error over the same
};

struct RescaleRow {
    double tau = 0.0;
    std::vector<double> frequency;     ///< share of warps that rescale, by step after the first
    double mean = 0.0;                 ///< over all those steps
    std::vector<RescaleError> errors;  ///< by precision
};

/// Deterministic: the same options give the same numbers, whatever the threads. Errors: usage (a
/// count below 1, no tau, a negative one, a degree outside 0 to 5, more than 2^26 scores a warp).
[[nodiscard]] Result<std::vector<RescaleRow>> study_rescaling(const RescaleOptions& options);

}  // namespace warpline
