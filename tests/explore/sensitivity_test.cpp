#include "warpline/explore/sensitivity.hpp"

#include "explore_fixture.hpp"
#include "warpline/explore/uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const SensitivityRow& row_of(const Sensitivity& found, const std::string& name) {
    const auto row = std::find_if(found.rows.begin(), found.rows.end(),
                                  [&](const SensitivityRow& r) { return r.name == name; });
    REQUIRE(row != found.rows.end());
    return *row;
}

Point long_point() {
    return small_point(32768);
}

const Sensitivity& found_by_two_threads() {
    static const Sensitivity found =
        sensitivity(shipped_predictor(), long_point(), {0.05, 2}).value();
    return found;
}

}  // namespace

TEST_CASE("slopes are those of the predictions they are made of, whatever the threads") {
    const Point point = long_point();
    const Sensitivity& found = found_by_two_threads();
    const Sensitivity again = sensitivity(shipped_predictor(), point, {0.05, 1}).value();
    REQUIRE(found.rows.size() == again.rows.size());
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
        CHECK(found.rows[i].name == again.rows[i].name);
        CHECK(found.rows[i].elasticity() == again.rows[i].elasticity());
        if (i > 0) {
            CHECK(std::abs(found.rows[i].elasticity()) <= std::abs(found.rows[i - 1].elasticity()));
        }
    }
    const SensitivityRow& mufu = row_of(found, "hw.mufu.ex2.rate");
    const auto faster =
        shipped_predictor().predict(changed(point, "hw.mufu.ex2", "16.8/clk")).value();
    REQUIRE(mufu.slope_up);
    CHECK(*mufu.slope_up ==
          doctest::Approx(std::log(faster.seconds / found.base.seconds) / std::log(1.05)));
    CHECK(*mufu.slope_up <= 0.0);
}

TEST_CASE("the clock's elasticity is that of what is counted in cycles") {
    const Sensitivity& found = found_by_two_threads();
    const SensitivityRow& clock = row_of(found, "hw.clock.sustained");
    REQUIRE(clock.slope_up);
    CHECK(*clock.slope_up < -0.99);  // all but the launch overhead
    CHECK(*clock.slope_up >= -1.0);
    // Registers are budgeted, not timed.
    CHECK_FALSE(row_of(found, "hw.clock.boost").has_effect(found.base.seconds));
}

TEST_CASE("a step that would round away is refused") {
    for (const double step : {0.0, 0.01, 0.9, std::nan("")}) {
        const auto found = sensitivity(shipped_predictor(), small_point(), {step, 1});
        REQUIRE_FALSE(found);
        CHECK(found.error().kind == FailureKind::usage);
    }
}

TEST_CASE("intervals make a band around the prediction") {
    const Point point = small_point(8192);
    const Uncertainty found = propagate_intervals(shipped_predictor(), point, 2).value();
    CHECK(found.low < found.seconds);
    CHECK(found.high > found.seconds);
    REQUIRE_FALSE(found.rows.empty());
    const UncertaintyRow& first = found.rows.front();
    CHECK(first.key == "clock.sustained");
    CHECK(found.seconds - found.low >= found.seconds - first.seconds_high);
    CHECK(found.high - found.seconds >= first.seconds_low - found.seconds);
    double squares = 0.0;
    for (const UncertaintyRow& row : found.rows) {
        squares += std::pow(row.reach(found.seconds) * found.seconds, 2);
    }
    CHECK(found.high - found.seconds <= std::sqrt(squares) * (1 + 1e-9));
}
