#include "warpline/numerics/score_source.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double log2_e = 1.4426950408889634;
constexpr double two_pi = 6.283185307179586;
constexpr double largest_scale = 1e4;
constexpr std::uint64_t keys_an_outlier = 256;
constexpr std::array<std::string_view, 5> names = {"normal", "uniform", "student", "outlier",
                                                   "rising"};

/// std's distributions may differ between libraries; these are the same everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// In (0, 1).
    double uniform() {
        constexpr double step = 0x1p-53;
        return (static_cast<double>(engine_() >> 11U) + 0.5) * step;
    }
    double normal() {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        const double radius = std::sqrt(-2.0 * std::log(uniform()));
        const double angle = two_pi * uniform();
        spare_ = radius * std::sin(angle);
        has_spare_ = true;
        return radius * std::cos(angle);
    }
    /// Student's t by Bailey's polar method.
    double student(double freedom) {
        const double u = uniform();
        return std::sqrt(freedom * (std::pow(u, -2.0 / freedom) - 1.0)) *
               std::cos(two_pi * uniform());
    }
    std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }

  private:
    std::mt19937_64 engine_;
    double spare_ = 0.0;
    bool has_spare_ = false;
};

double draw(const ScoreDistribution& scores, Random& random) {
    switch (scores.kind) {
        case ScoreDistribution::Kind::normal:
            return scores.scale * random.normal();
        case ScoreDistribution::Kind::uniform:
            return scores.scale * (2.0 * random.uniform() - 1.0);
        case ScoreDistribution::Kind::student:
            return random.student(scores.scale);
        case ScoreDistribution::Kind::outlier:
        case ScoreDistribution::Kind::rising:
            return random.normal();
    }
    return 0.0;
}

/// What every row's score of a key has added.
std::vector<double> offsets(const ScoreDistribution& scores, std::int64_t keys, std::int64_t block,
                            Random& random) {
    std::vector<double> out(static_cast<std::size_t>(keys), 0.0);
    for (std::size_t key = 0; key < out.size(); ++key) {
        if (scores.kind == ScoreDistribution::Kind::outlier && random.below(keys_an_outlier) == 0) {
            out[key] = scores.scale;
        } else if (scores.kind == ScoreDistribution::Kind::rising) {
            out[key] = scores.scale * static_cast<double>(static_cast<std::int64_t>(key) / block);
        }
    }
    return out;
}

}  // namespace

Result<ScoreDistribution> parse_scores(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names.at(i) != name) {
            continue;
        }
        ScoreDistribution scores{static_cast<ScoreDistribution::Kind>(i), 1.0};
        if (colon == std::string_view::npos) {
            return scores;
        }
        const std::string_view number = text.substr(colon + 1);
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), scores.scale);
        if (error == std::errc{} && end == number.data() + number.size() && scores.scale > 0.0 &&
            scores.scale <= largest_scale) {
            return scores;
        }
        return fail(FailureKind::usage, fmt::format("'{}' is no scale of scores", number),
                    fmt::format("a number above 0, at most {}", largest_scale));
    }
    return fail(FailureKind::usage, fmt::format("there is no distribution '{}'", name),
                fmt::format("{}, each with :SCALE", fmt::join(names, ", ")));
}

std::string scores_text(const ScoreDistribution& scores) {
    return fmt::format("{}:{}", names.at(static_cast<std::size_t>(scores.kind)), scores.scale);
}

Eigen::ArrayXXf make_scores(const ScoreDistribution& scores, std::int64_t rows, std::int64_t keys,
                            std::int64_t block, std::uint64_t seed) {
    Random random(seed);
    const std::vector<double> added = offsets(scores, keys, block, random);
    Eigen::ArrayXXf out(rows, keys);
    for (Eigen::Index key = 0; key < keys; ++key) {
        const double offset = added[static_cast<std::size_t>(key)];
        for (Eigen::Index row = 0; row < rows; ++row) {
            out(row, key) = static_cast<float>(log2_e * (draw(scores, random) + offset));
        }
    }
    return out;
}

Eigen::MatrixXf make_normal(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    Random random(seed);
    Eigen::MatrixXf out(rows, columns);
    for (Eigen::Index column = 0; column < columns; ++column) {
        for (Eigen::Index row = 0; row < rows; ++row) {
            out(row, column) = static_cast<float>(random.normal());
        }
    }
    return out;
}

}  // namespace warpline
