#include "warpline/explore/tune.hpp"

#include "explore_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::vector<StudyAxis> axes = {{"emulated", {"0", "16", "32", "48"}},
                                     {"kv_stages", {"2", "3", "4", "32"}}};

}  // namespace

TEST_CASE("an exhaustive search finds the fastest of all points, and says so") {
    const Point point = small_point(4096);
    const Tuning found = tune(shipped_predictor(), point, axes).value();
    CHECK(found.proved);
    CHECK(found.points == 16);
    CHECK(found.tried == 16);
    CHECK(found.impossible == 4);  // 32 stages never fit
    double least = 1e9;
    for (const std::string& emulated : axes[0].values) {
        for (const std::string& stages : axes[1].values) {
            const auto one = shipped_predictor().predict(
                changed(changed(point, "emulated", emulated), "kv_stages", stages));
            least = one ? std::min(least, one->seconds) : least;
        }
    }
    CHECK(found.best.seconds == least);
    REQUIRE(found.runner_up);
    CHECK(found.runner_up->seconds >= least);
    CHECK(found.runner_up->values != found.best.values);
    CHECK(found.within_1_percent >= 1);
    REQUIRE(found.axes.size() == 2);
    CHECK_FALSE(found.axes[1].seconds[3]);
}

TEST_CASE("a search gets to the same place here, and claims no proof") {
    const Point point = small_point(4096);
    const Tuning all = tune(shipped_predictor(), point, axes).value();
    const Tuning found = tune(shipped_predictor(), point, axes, {4, 2}).value();
    CHECK_FALSE(found.proved);
    CHECK(found.best.seconds == all.best.seconds);
    CHECK(tune(shipped_predictor(), point, axes, {4, 1}).value().best.values == found.best.values);
}

TEST_CASE("what cannot be tuned is refused") {
    const Point point = small_point();
    CHECK(tune(shipped_predictor(), point, {}).error().kind == FailureKind::usage);
    CHECK(
        tune(shipped_predictor(), point, {{"emulated", {"0"}}, {"emulated", {"8"}}}).error().kind ==
        FailureKind::usage);
    CHECK(tune(shipped_predictor(), point, {{"kv_stages", {"32"}}}).error().kind ==
          FailureKind::infeasible);
    CHECK(tune(shipped_predictor(), point, {{"emulatd", {"0"}}}).error().kind ==
          FailureKind::usage);
}
