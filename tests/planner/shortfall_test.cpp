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

TEST_CASE(
    "latent attention on FlashAttention-4's frame: what fits, and by how much the rest misses") {
    AttentionProblem latent = forward_problem(576, 512);
    latent.heads_q = 128;
    latent.heads_kv = 1;
    const auto plan =
        plan_designs({shipped_kernel("mla_absorbed_fwd"), shipped_gpu("b200"), latent, {}});
    REQUIRE_MESSAGE(plan, plan.error().text());
    // 64 rows of one stage: a pair with 64 or 128 keys, one CTA with 64.
    CHECK(plan->ranked.size() == 3);
    for (const PlannedDesign& design : plan->ranked) {
        CHECK(design.values[0] == 64.0);
        CHECK(design.values[1] == 1.0);
        CHECK(budget_of(design.budgets, "TMEM columns").used == 512);
    }
    bool smem = false;
    for (const RefusedDesigns& refused : plan->refused) {
        INFO(refused.reason << ": " << refused.nearest);
        CHECK(refused.nearest.find(" over, with tile_m=") != std::string::npos);
        smem = smem || refused.reason == "SMEM";
    }
    CHECK(smem);
}

TEST_CASE("a refused kernel says which of its designs fits, or which budget stands in the way") {
    const auto refusal = [](const DesignRequest& request) {
        const auto plan = make_plan(request.source, request.spec, request.problem, request.fixed);
        REQUIRE_FALSE(plan);
        return explain_refusal(request, plan.error());
    };
    const Failure variant =
        refusal({shipped_kernel("fa4_fwd"), shipped_gpu("b200"), forward_problem(160, 160), {}});
    INFO(variant.text());
    CHECK(says(variant, "this kernel takes head dims to 128"));
    CHECK(says(variant, "other designs of fa4_fwd fit, the first is --set variant=1"));
    const Failure latent =
        refusal({shipped_kernel("fa4_fwd"), shipped_gpu("b200"), forward_problem(576, 512), {}});
    INFO(latent.text());
    CHECK(says(latent,
               "whatever the design, TMEM columns: at least 544 columns needed, 512 "
               "available, 32 over"));
    CHECK(says(latent, "--head-dim 576:480 would fit"));
    // What a kernel lacks whatever the design is left as it is.
    const DesignRequest hopper{
        shipped_kernel("fa4_fwd"), shipped_gpu("h200"), forward_problem(128, 128), {}};
    const auto other = make_plan(hopper.source, hopper.spec, hopper.problem);
    REQUIRE_FALSE(other);
    CHECK(explain_refusal(hopper, other.error()).text() == other.error().text());
}
