// What the planner says when nothing fits: which budget, by how much, and what would.
#include "warpline/planner/shortfall.hpp"

#include "planner_fixture.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace warpline;
using namespace warpline::test;

namespace {

Failure failure_of(std::int64_t d_qk, std::int64_t d_v, std::vector<ParameterOverride> fixed = {}) {
    const auto plan = plan_designs({shipped_kernel("fa4_fwd"), shipped_gpu("b200"),
                                    forward_problem(d_qk, d_v), std::move(fixed)});
    REQUIRE_FALSE(plan);
    return plan.error();
}

bool says(const Failure& failure, const std::string& part) {
    return failure.text().find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("head dim 512 lacks 32 columns of tensor memory, and 480 fits") {
    const Failure failure = failure_of(512, 512);
    CHECK(failure.kind == FailureKind::infeasible);
    INFO(failure.text());
    // The smallest S beside an O of 512: 32 keys in one stage.
    CHECK(says(failure, "runs head dim 512 on b200"));
    CHECK(says(failure, "TMEM columns: at least 544 columns needed, 512 available, 32 over"));
    CHECK(says(failure, "s 32 + o 512"));
    CHECK(says(failure, "--head-dim 480 would fit"));
    CHECK_FALSE(says(failure, "SMEM"));
}

TEST_CASE("head dim 1024 lacks both memories, each by what its least design takes") {
    const Failure failure = failure_of(1024, 1024, {{"pair", "0"}});
    INFO(failure.text());
    CHECK(says(failure, "TMEM columns: at least 1056 columns needed, 512 available, 544 over"));
    // Q of one stage, two stages of 32 keys, scale, and 11 barriers and two more for the second
    // stage.
    const std::int64_t least = 128 * 1024 * 2 + 2 * 32 * 1024 * 2 + 128 * 2 * 4 + 8 * (11 + 2);
    CHECK(says(failure, fmt::format("SMEM: at least {} B needed, 232448 available", least)));
}

TEST_CASE("unequal head dims are shortened one at a time") {
    DesignRequest request{
        shipped_kernel("fa4_fwd"), shipped_gpu("b200"), forward_problem(192, 512), {}};
    const auto v_too_long = head_dims_that_fit(request);
    REQUIRE(v_too_long);
    // 32 + 480 columns; no d_qk helps.
    CHECK(*v_too_long == std::vector<std::pair<std::int64_t, std::int64_t>>{{192, 480}});
    request.problem = forward_problem(512, 384);
    const auto fits = head_dims_that_fit(request);
    REQUIRE(fits);
    CHECK(fits->size() == 2);
}

TEST_CASE("a choice that is fixed by hand can be what stands in the way") {
    const Failure failure = failure_of(160, 160, {{"tile_kv", "128"}, {"q_stages", "2"}});
    INFO(failure.text());
    CHECK(says(failure, "TMEM columns: at least 576 columns needed, 512 available, 64 over"));
    CHECK(says(failure, "--head-dim 128 would fit"));
}
