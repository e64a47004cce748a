#include "warpline/device/trip_curve.hpp"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

TileCost cost(double time) {
    TileCost c;
    c.alone = time;
    c.two = 2.0 * time;
    c.three = 3.0 * time;
    c.busy[3] = 7.0 * time;
    c.flops = time + 1.0;
    return c;
}

/// A loop that settles after `transient` trips into a period whose trips are unequal.
struct Loop {
    std::int64_t period = 1;
    std::int64_t ticks = 100;
    std::int64_t transient = 0;
    mutable int calls = 0;

    [[nodiscard]] double time(std::int64_t trips) const {
        const std::int64_t whole = trips / period;
        const std::int64_t rest = trips % period;
        const double early =
            trips < transient ? 3.0 * static_cast<double>((transient - trips) * (transient - trips))
                              : 0.0;
        return 5000.0 + static_cast<double>(whole * ticks + rest * rest) - early;
    }
    [[nodiscard]] TripSampler sampler(bool periodic = true) const {
        return [this, periodic](std::int64_t trips) -> Result<TripSample> {
            ++calls;
            return TripSample{cost(time(trips)),
                              {periodic ? period : 0, static_cast<double>(ticks)}};
        };
    }
};

}  // namespace

TEST_CASE("a curve is exact at known counts and linear between those of one residue class") {
    TripCurve curve(2);
    curve.set(2, cost(10));
    curve.set(6, cost(30));
    curve.set(3, cost(100));
    CHECK(curve.at(2).alone == 10);
    CHECK(curve.at(4).alone == 20);
    CHECK(curve.at(4).flops == 21);
    CHECK(curve.at(4).busy[3] == 140);
    CHECK(curve.at(8).alone == 40);
    CHECK(curve.at(7).alone == 100);
}

TEST_CASE("the sum over a progression is the sum of its members") {
    std::mt19937 random(3);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int round = 0; round < 1000; ++round) {
        TripCurve curve(between(1, 4));
        for (std::int64_t residue = 0; residue < curve.period(); ++residue) {
            for (int anchors = between(1, 4); anchors > 0; --anchors) {
                curve.set(residue + curve.period() * between(0, 30), cost(between(1, 1000)));
            }
        }
        const TripCounts trips{between(100, 140), between(-2, 3), between(0, 40)};
        double expected = 0.0;
        for (std::int64_t i = 0; i < trips.count; ++i) {
            expected += curve.at(trips.first + i * trips.step).three;
        }
        CHECK(curve.sum(trips).three == doctest::Approx(expected).epsilon(1e-9));
    }
}

TEST_CASE("few trip counts are all measured") {
    const Loop loop{3, 250, 5};
    const auto measured = measure_curve({{2, 2, 6}, {4, 0, 100}}, loop.sampler(), 12);
    REQUIRE(measured);
    CHECK(measured->samples == 6);
    CHECK(measured->exact);
    for (std::int64_t n = 2; n <= 12; n += 2) {
        CHECK(measured->curve.at(n).alone == loop.time(n));
    }
}

TEST_CASE("a verified period makes every trip count exact from a few samples") {
    for (const std::int64_t period : {1, 2, 4}) {
        for (const std::int64_t transient : {0, 3, 5}) {
            const Loop loop{period, 100 * period, transient};
            const auto measured = measure_curve({{2, 2, 1 << 20}}, loop.sampler(), 16);
            REQUIRE(measured);
            CHECK(measured->exact);
            CHECK(measured->samples <= 16);
            CHECK(loop.calls == measured->samples);
            for (std::int64_t n = 2; n <= 400; n += 2) {
                CHECK(measured->curve.at(n).alone == loop.time(n));
            }
            CHECK(measured->curve.at(2 << 20).alone == loop.time(2 << 20));
        }
    }
}

TEST_CASE("a transient that is longer than the budget reaches is interpolated, and says so") {
    const Loop loop{1, 100, 400};
    const auto measured = measure_curve({{2, 2, 1000}}, loop.sampler(), 6);
    REQUIRE(measured);
    CHECK_FALSE(measured->exact);
    CHECK(measured->samples == 6);
    CHECK(measured->interpolation_error > 0.0);
}

TEST_CASE("without a period, or with too many phases, costs are interpolated") {
    const Loop loop{64, 6400, 0};
    for (const bool periodic : {false, true}) {
        const auto measured = measure_curve({{1, 1, 500}}, loop.sampler(periodic), 12);
        REQUIRE(measured);
        CHECK_FALSE(measured->exact);
        CHECK(measured->samples == 12);
        CHECK(measured->curve.at(1).alone == loop.time(1));
        CHECK(measured->curve.at(500).alone == loop.time(500));
    }
}

TEST_CASE("the sampler's failure is passed on") {
    const TripSampler broken = [](std::int64_t) -> Result<TripSample> {
        return fail(FailureKind::deadlock, "stuck");
    };
    const auto measured = measure_curve({{1, 1, 500}}, broken, 12);
    REQUIRE_FALSE(measured);
    CHECK(measured.error().kind == FailureKind::deadlock);
}
