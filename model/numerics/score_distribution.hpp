// Distributions that attention scores are drawn from.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpline {

/// Scores are scaled logits, q.k / sqrt(d): what the exponential to base e is taken of.
struct ScoreDistribution {
    enum class Kind : std::uint8_t {
        normal,   ///< mean 0, deviation `scale`: larger is lower entropy
        uniform,  ///< from -scale to scale
        student,  ///< `scale` degrees of freedom: long tails
        outlier,  ///< normal with deviation 1, one key in 256 is `scale` higher for all rows
        rising,   ///< normal with deviation 1, plus `scale` for each block before: adversarial
    };
    Kind kind = Kind::normal;
    double scale = 1.0;
};

/// "normal:1", "uniform:4", "student:3", "outlier:10", "rising:2". Errors: usage.
[[nodiscard]] Result<ScoreDistribution> parse_scores(std::string_view text);
[[nodiscard]] std::string scores_text(const ScoreDistribution& scores);

}  // namespace warpline
