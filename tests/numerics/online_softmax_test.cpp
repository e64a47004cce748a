#include "warpline/numerics/online_softmax.hpp"

#include "warpline/numerics/rescale_study.hpp"
#include "warpline/numerics/score_source.hpp"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

double relative_error(const Eigen::MatrixXf& o, const Eigen::MatrixXd& exact) {
    return (o.cast<double>() - exact).norm() / exact.norm();
}

}  // namespace

TEST_CASE("blocks and thresholds do not change what is computed") {
    const Eigen::ArrayXXf scores = make_scores({}, 32, 1000, 128, 7);
    const Eigen::MatrixXf v = make_normal(1000, 16, 8);
    const Eigen::MatrixXd exact = attend_exactly(scores, v);
    for (const std::int64_t block : {1, 100, 128, 5000}) {
        for (const double tau : {0.0, 1.0, 8.0, 100.0}) {
            const Eigen::MatrixXf o = attend(scores, v, {block, tau, 0, Precision::fp32});
            CHECK(relative_error(o, exact) < 2e-6);
        }
    }
    CHECK(relative_error(attend(scores, v, {128, 0.0, 0, Precision::bf16}), exact) > 1e-4);
    CHECK(relative_error(attend(scores, v, {128, 0.0, 0, Precision::bf16}), exact) < 1e-2);
}

TEST_CASE("a warp rescales when a row has risen by more than the threshold since it last did") {
    Eigen::ArrayXXf scores = Eigen::ArrayXXf::Zero(2, 5);
    scores.row(1) << 0.0F, 3.0F, 5.0F, 9.0F, 9.5F;
    CHECK(rescaled_steps(scores, 1, 0.0) == std::vector<bool>{true, true, true, true});
    CHECK(rescaled_steps(scores, 1, 4.0) == std::vector<bool>{false, true, false, true});
    CHECK(rescaled_steps(scores, 1, 5.0) == std::vector<bool>{false, false, true, false});
    CHECK(rescaled_steps(scores, 1, 9.5) == std::vector<bool>{false, false, false, false});
    CHECK(rescaled_steps(scores, 5, 0.0).empty());
}

TEST_CASE("of exchangeable scores, the chance of a new maximum falls as 1 / step") {
    // One row and no threshold: block k + 1 holds the largest of k + 1 with chance 1 / (k + 1).
    RescaleOptions options;
    options.taus = {0.0};
    options.rows = 1;
    options.warps = 4000;
    options.error_warps = 0;
    options.keys = 8 * 16;
    options.block = 16;
    const auto rows = study_rescaling(options).value();
    REQUIRE(rows.front().frequency.size() == 7);
    for (std::size_t step = 0; step < 7; ++step) {
        const double expected = 1.0 / static_cast<double>(step + 2);
        const double deviation = std::sqrt(expected * (1.0 - expected) / 4000.0);
        CHECK(std::abs(rows.front().frequency[step] - expected) < 5.0 * deviation);
    }
}

TEST_CASE("a higher threshold never rescales more, and numbers do not depend on threads") {
    RescaleOptions options;
    options.taus = {0.0, 0.5, 1.0, 2.0, 4.0, 8.0};
    options.keys = 2048;
    options.warps = 16;
    options.error_warps = 2;
    options.threads = 1;
    const auto one = study_rescaling(options).value();
    options.threads = 3;
    const auto three = study_rescaling(options).value();
    for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].frequency == three[i].frequency);
        CHECK(one[i].errors[0].rms == three[i].errors[0].rms);
        if (i > 0) {
            CHECK(one[i].mean <= one[i - 1].mean);
        }
    }
    CHECK(one.front().mean > 0.1);
    CHECK(one.back().mean == 0.0);  // normal scores do not rise by a factor of 256
}

TEST_CASE("scores that rise without end rescale at every step") {
    RescaleOptions options;
    options.scores = parse_scores("rising:10").value();
    options.taus = {8.0};
    options.keys = 1024;
    options.warps = 4;
    options.error_warps = 0;
    CHECK(study_rescaling(options).value().front().mean == doctest::Approx(1.0));
}

TEST_CASE("what makes no sense is refused") {
    for (const char* const wrong : {"", "gauss:1", "normal:", "normal:0", "normal:-1", "normal:x",
                                    "normal:1e9", "normal:nan"}) {
        CHECK_FALSE(parse_scores(wrong));
    }
    CHECK(scores_text(parse_scores("student:3").value()) == "student:3");
    RescaleOptions options;
    options.taus = {};
    CHECK_FALSE(study_rescaling(options));
    options.taus = {-1.0};
    CHECK_FALSE(study_rescaling(options));
    options.taus = {0.0};
    options.keys = 0;
    CHECK_FALSE(study_rescaling(options));
    options.keys = std::numeric_limits<std::int64_t>::max();
    CHECK_FALSE(study_rescaling(options));
}
