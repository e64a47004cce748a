#include "warpline/explore/whatif.hpp"

#include "explore_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

std::vector<WhatIfShape> shapes() {
    Point wide = small_point(8192);
    wide.problem.head_dim_qk = 192;
    Point other = small_point(8192);
    other.problem.head_dim_qk = other.problem.head_dim_v = 256;
    Point odd = wide;
    odd.problem.head_dim_v = 160;
    return {{{small_point(8192)}}, {{wide}}, {{odd, other}}, {{odd}}};
}

}  // namespace

TEST_CASE("before and after are the predictions with and without the change") {
    Changes changes;
    add_change(changes, "hw.mufu.ex2", "32/clk");
    const WhatIf found = what_if(shipped_predictor(), shapes(), changes, 2);
    REQUIRE(found.rows.size() == 4);
    const auto before = shipped_predictor().predict(small_point(8192)).value();
    const auto after =
        shipped_predictor().predict(changed(small_point(8192), "hw.mufu.ex2", "32/clk")).value();
    REQUIRE(found.rows[0].speedup());
    CHECK(*found.rows[0].speedup() == before.seconds / after.seconds);
    CHECK(*found.rows[0].speedup() > 1.0);
    CHECK(found.rows[2].kernel == "fa4_fwd_hd256");
    CHECK(found.rows[2].speedup());
    CHECK_FALSE(found.rows[3].speedup());
    CHECK(found.rows[3].reason.find("head dim") != std::string::npos);
    REQUIRE(found.mean_speedup());
    CHECK(*found.mean_speedup() >= 1.0);
}

TEST_CASE("all differences together make the other GPU") {
    const WhatIf found =
        compare_gpus(shipped_predictor(), {{{small_point(8192)}}}, "b300", 2).value();
    REQUIRE(found.rows.front().speedup());
    REQUIRE(found.together.front());
    CHECK(*found.together.front() == doctest::Approx(*found.rows.front().speedup()));
    REQUIRE_FALSE(found.attributions.empty());
    for (std::size_t i = 1; i < found.attributions.size(); ++i) {
        CHECK(found.attributions[i].largest_effect() <= found.attributions[i - 1].largest_effect());
    }
    CHECK(found.attributions.front().largest_effect() > 0.0);
}

TEST_CASE("a GPU against itself, and against one that does not exist") {
    const WhatIf same = compare_gpus(shipped_predictor(), {{{small_point()}}}, "b200", 1).value();
    CHECK(*same.rows.front().speedup() == 1.0);
    CHECK(same.attributions.empty());
    CHECK_FALSE(compare_gpus(shipped_predictor(), {{{small_point()}}}, "b20", 1));
}
