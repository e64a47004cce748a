#include "warpline/validate/statistics.hpp"

#include "warpline/validate/baselines.hpp"
#include "warpline/validate/split.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("errors come to count, mean, median, largest and bias") {
    const ErrorStatistics odd = error_statistics({0.1, -0.2, 0.6});
    CHECK(odd.rows == 3);
    CHECK(odd.mean_absolute == doctest::Approx(0.3));
    CHECK(odd.median_absolute == doctest::Approx(0.2));
    CHECK(odd.max_absolute == doctest::Approx(0.6));
    CHECK(odd.bias == doctest::Approx(0.5 / 3));
    CHECK(error_statistics({0.1, -0.3}).median_absolute == doctest::Approx(0.2));
    CHECK(error_statistics({}).rows == 0);
}

TEST_CASE("rank correlation sees order alone") {
    CHECK(*rank_correlation({1, 2, 3, 10}, {5, 6, 7, 8}) == doctest::Approx(1.0));
    CHECK(*rank_correlation({1, 2, 3}, {3, 2, 1}) == doctest::Approx(-1.0));
    // Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5).
    CHECK(*rank_correlation({1, 2, 2, 3}, {1, 2, 3, 4}) ==
          doctest::Approx(4.5 / std::sqrt(4.5 * 5.0)));
    CHECK_FALSE(rank_correlation({1, 2}, {1, 2}));
    CHECK_FALSE(rank_correlation({1, 1, 1}, {1, 2, 3}));
}

TEST_CASE("simple models are fitted on the other lengths of a group") {
    std::vector<BaselineRow> rows;
    for (const std::int64_t length : {1, 2, 4}) {
        const auto flops = static_cast<double>(length);
        rows.push_back({"a", length, 3.0 + 2.0 * flops, flops, flops});
    }
    rows.push_back({"b", 1, 10.0, 5.0, 1.0});
    rows.push_back({"b", 2, 10.0, 5.0, 2.0});
    const auto errors = baseline_errors(rows);
    for (std::size_t i = 0; i < 3; ++i) {  // an affine law explains the group exactly
        CHECK(*errors[i].affine == doctest::Approx(0.0));
        CHECK(errors[i].roofline == doctest::Approx(rows[i].flops / rows[i].measured - 1.0));
    }
    // Without length 1: times 7 and 11, rooflines 2 and 4.
    const double factor = (2.0 / 7 + 4.0 / 11) / (4.0 / 49 + 16.0 / 121);
    CHECK(*errors[0].efficiency == doctest::Approx(factor * 1.0 / 5.0 - 1.0));
    CHECK(*errors[3].efficiency == doctest::Approx(0.0));  // one efficiency, 50 %, serves both
    CHECK_FALSE(errors[3].affine);                         // one length is left
    CHECK_FALSE(baseline_errors({{"c", 1, 1.0, 1.0, 1.0}}).front().efficiency);
}

TEST_CASE("lengths are split by their power of two, whatever the table") {
    AttentionProblem problem;
    for (const auto& [length, side] : {std::pair<std::int64_t, Split>{512, Split::calibration},
                                       {1023, Split::calibration},
                                       {1024, Split::test},
                                       {2048, Split::calibration},
                                       {4096, Split::test},
                                       {8192, Split::calibration},
                                       {16384, Split::test},
                                       {32768, Split::calibration}}) {
        CAPTURE(length);
        problem.seqlen_kv = length;
        CHECK(split_of(problem) == side);
    }
    problem.seqlen_kv = 0;
    CHECK(split_of(problem) == Split::test);
}
