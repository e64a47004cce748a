#include "warpline/validate/least_squares.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

/// Residuals one point at a time.
template <typename One>
ResidualsAt each(const One& one) {
    return [one](const std::vector<UnknownValues>& points) -> Result<std::vector<Residuals>> {
        std::vector<Residuals> out;
        for (const UnknownValues& point : points) {
            out.push_back(one(point));
        }
        return out;
    };
}

double sum_of_squares(const Residuals& residuals) {
    double sum = 0.0;
    for (const double one : residuals) {
        sum += one * one;
    }
    return sum;
}

const std::vector<double> positions = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0};

/// A line through `targets` at the positions: unknowns are its height and slope.
ResidualsAt line_through(const std::vector<double>& targets) {
    return each([targets](const UnknownValues& p) {
        Residuals out;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            out.push_back(p[0] + p[1] * positions[i] - targets[i]);
        }
        return out;
    });
}

}  // namespace

TEST_CASE("a line is found, with the interval of the textbook") {
    const std::vector<double> targets = {1.1, 2.9, 5.2, 6.8, 9.1, 10.9};
    const auto fit =
        least_squares({{0.0, -10.0, 10.0, 0.1}, {0.0, -10.0, 10.0, 0.1}}, line_through(targets));
    REQUIRE(fit);
    CHECK(fit->settled);
    // Normal equations by hand: n = 6, mean x = 2.5, Sxx = 17.5, mean y = 6, Sxy = 34.6.
    const double slope = 34.6 / 17.5;
    CHECK(fit->values[1] == doctest::Approx(slope).epsilon(1e-3));
    CHECK(fit->values[0] == doctest::Approx(6.0 - 2.5 * slope).epsilon(1e-3));
    CHECK_FALSE(fit->at_bound[0]);
    CHECK_FALSE(fit->at_bound[1]);
    const auto widths = confidence_half_widths(fit->derivatives, fit->residuals, 0);
    const double spread = std::sqrt(sum_of_squares(fit->residuals) / 4.0 / 17.5);
    CHECK(widths[1] == doctest::Approx(2.776445 * spread).epsilon(1e-3));
    // Another number fitted to the same residuals costs a degree of freedom.
    const auto wider = confidence_half_widths(fit->derivatives, fit->residuals, 1);
    CHECK(wider[1] == doctest::Approx(3.182446 * spread * std::sqrt(4.0 / 3.0)).epsilon(1e-3));
    CHECK(std::isinf(confidence_half_widths(fit->derivatives, fit->residuals, 4)[1]));
}

TEST_CASE("a curved valley is followed to its end") {
    // Rosenbrock's function: its least, zero, lies at (1, 1).
    const auto valley = each([](const UnknownValues& p) {
        return Residuals{10.0 * (p[1] - p[0] * p[0]), 1.0 - p[0]};
    });
    const auto fit = least_squares({{-1.2, -2.0, 2.0, 1e-5}, {1.0, -2.0, 2.0, 1e-5}}, valley, 200);
    REQUIRE(fit);
    CHECK(fit->settled);
    CHECK(fit->values[0] == doctest::Approx(1.0).epsilon(1e-3));
    CHECK(fit->values[1] == doctest::Approx(1.0).epsilon(1e-3));
}

TEST_CASE("a bound that is in the way holds one unknown, and the others adapt") {
    const std::vector<double> targets = {1.0, 3.0, 5.0, 7.0, 9.0, 11.0};
    const auto fit =
        least_squares({{0.0, -10.0, 10.0, 0.1}, {0.0, 0.0, 1.5, 0.1}}, line_through(targets));
    REQUIRE(fit);
    CHECK(fit->settled);
    CHECK(fit->values[1] == 1.5);
    CHECK(fit->at_bound[1]);
    CHECK_FALSE(fit->at_bound[0]);
    CHECK(fit->values[0] == doctest::Approx(6.0 - 2.5 * 1.5).epsilon(1e-2));
}

TEST_CASE("a start on a bound is left when downhill is inside") {
    const std::vector<double> targets = {1.0, 3.0, 5.0, 7.0, 9.0, 11.0};
    const auto fit =
        least_squares({{1.0, 1.0, 10.0, 0.1}, {5.0, 0.0, 5.0, 0.1}}, line_through(targets));
    REQUIRE(fit);
    CHECK(fit->values[1] == doctest::Approx(2.0).epsilon(1e-3));
}

TEST_CASE("steps smaller than the difference do not trap the search") {
    // A line whose unknown counts in steps of 0.05, as whole ticks do.
    const auto stairs = each([](const UnknownValues& p) {
        const double held = std::round(p[0] / 0.05) * 0.05;
        return Residuals{held - 2.0, 2.0 * (held - 2.0), 3.0 * (held - 2.0)};
    });
    const auto fit = least_squares({{1.0, 0.0, 4.0, 0.2}}, stairs);
    REQUIRE(fit);
    CHECK(fit->settled);
    CHECK(std::abs(fit->values[0] - 2.0) < 0.03);
}

TEST_CASE("unknowns that act alike are named") {
    const Residuals one = {1.0, 2.0, 3.0};
    const Residuals other = {1.0, -1.0, 0.5};
    const Residuals twice = {2.0, 4.0, 6.001};
    CHECK(indistinct_unknowns({one, other}).empty());
    CHECK(indistinct_unknowns({one, other, twice}) == std::vector<std::size_t>{0, 2});
    const auto widths = confidence_half_widths({one, one}, {0.1, 0.2, 0.3, 0.1}, 0);
    CHECK(std::isinf(widths[0]));
}

TEST_CASE("errors of the function are passed on") {
    const ResidualsAt refuses =
        [](const std::vector<UnknownValues>&) -> Result<std::vector<Residuals>> {
        return fail(FailureKind::infeasible, "over budget");
    };
    const auto fit = least_squares({{0.0, -1.0, 1.0, 0.1}}, refuses);
    REQUIRE_FALSE(fit);
    CHECK(fit.error().diagnostics.front().message == "over budget");
}
