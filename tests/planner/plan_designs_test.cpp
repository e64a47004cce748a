// The planner: what it takes of each budget, in what order it ranks, and that what it offers runs.
#include "warpline/planner/plan_designs.hpp"

#include "planner_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/recurrence/recurrence.hpp"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

DesignRequest request(const std::string& kernel, const std::string& gpu,
                      const AttentionProblem& problem, std::vector<ParameterOverride> fixed = {}) {
    return {shipped_kernel(kernel), shipped_gpu(gpu), problem, std::move(fixed)};
}

/// One CTA, as few stages as there may be: few designs, of every tile.
std::vector<ParameterOverride> one_cta() {
    return {{"pair", "0"}, {"kv_stages", "2"}};
}

/// What `warpline check` asks: a plan, no deadlock, and tiles of 0 to 3 blocks that end.
void check_sound(const DesignRequest& asked, const PlannedDesign& design) {
    std::vector<ParameterOverride> set = asked.fixed;
    set.insert(set.end(), design.set.begin(), design.set.end());
    INFO(design_text(set));
    const auto plan = make_plan(asked.source, asked.spec, asked.problem, set);
    REQUIRE_MESSAGE(plan, plan.error().text());
    const MemoryEnvironment memory = idle_memory(asked.spec);
    CHECK(recurrence_bound(*plan, memory).has_value());
    for (std::int64_t blocks = 0; blocks <= 3; ++blocks) {
        const TileClass tile{blocks, blocks > 0 ? 1 : 0, 0};
        CHECK(simulate(*plan, {{tile, 2}}, memory).has_value());
    }
}

}  // namespace

TEST_CASE("a design's budgets are those of its buffers") {
    // Head dim 160, two stages of 128 rows and 96 keys: by hand.
    std::vector<ParameterOverride> set = one_cta();
    set.insert(set.end(), {{"variant", "1"}, {"q_stages", "2"}, {"tile_kv", "96"}});
    const auto fit =
        fit_design(shipped_kernel("fa4_fwd"), shipped_gpu("b200"), forward_problem(160, 160), set);
    REQUIRE_MESSAGE(fit, fit.error().text());
    CHECK(fit->fits());
    CHECK(budget_of(fit->budgets, "TMEM columns").used == 2 * 96 + 2 * 160);
    const std::int64_t q = 2 * 128 * 160 * 2, kv = 2 * 96 * 160 * 2, scale = 2 * 128 * 2 * 4;
    const std::int64_t barriers = 11 * 2 * 8;
    CHECK(budget_of(fit->budgets, "SMEM").used == q + kv + scale + barriers);
    CHECK(budget_of(fit->budgets, "registers").used == 256 * 192 + 128 * 80 + 96 * 48);
    CHECK(budget_of(fit->budgets, "threads").used == 480);
    // 32 more keys are 64 columns more than there are, and rounded up to twice as many.
    set.back() = {"tile_kv", "128"};
    const auto wide =
        fit_design(shipped_kernel("fa4_fwd"), shipped_gpu("b200"), forward_problem(160, 160), set);
    REQUIRE(wide);
    CHECK_FALSE(wide->fits());
    const Budget& tmem = budget_of(wide->budgets, "TMEM columns");
    CHECK(tmem.used == 576);
    CHECK(excess(tmem) == 64);
}

TEST_CASE("designs are ranked by time, the same each time, and all are sound") {
    const DesignRequest asked = request("fa4_fwd", "b200", forward_problem(160, 160), one_cta());
    const auto plan = plan_designs(asked);
    REQUIRE_MESSAGE(plan, plan.error().text());
    // One stage: 32 to 224 keys (a thread cannot hold 256 scores); two stages: 32, 64 and 96.
    CHECK(plan->names == std::vector<std::string>{"variant", "q_stages", "tile_kv"});
    CHECK(plan->ranked.size() == 10);
    CHECK(std::is_sorted(plan->ranked.begin(), plan->ranked.end(),
                         [](const auto& a, const auto& b) { return a.seconds < b.seconds; }));
    std::set<std::vector<double>> different;
    for (const PlannedDesign& design : plan->ranked) {
        different.insert(design.values);
        CHECK(design.values.front() == 1);
        CHECK_FALSE(design.as_it_is);
        check_sound(asked, design);
        for (const Budget& budget : design.budgets) {
            CHECK(excess(budget) == 0);
        }
        CHECK_FALSE(design.register_splits.empty());
    }
    CHECK(different.size() == plan->ranked.size());
    std::int64_t refused = 0;
    for (const RefusedDesigns& one : plan->refused) {
        refused += one.designs;
    }
    CHECK(plan->tried == refused + static_cast<std::int64_t>(plan->ranked.size()));

    // Asked again, for a part of them.
    DesignRequest narrower = asked;
    narrower.fixed.push_back({"q_stages", "2"});
    std::vector<double> expected, found;
    for (const PlannedDesign& design : plan->ranked) {
        if (design.values[1] == 2) {
            expected.push_back(design.seconds);
        }
    }
    CHECK(expected.size() == 3);
    const auto again = plan_designs(narrower);
    REQUIRE(again);
    for (const PlannedDesign& design : again->ranked) {
        found.push_back(design.seconds);
    }
    CHECK(found == expected);
}

TEST_CASE("the kernel as it is comes first among equals, once") {
    const DesignRequest asked =
        request("fa4_fwd", "b200", forward_problem(128, 128), {{"tile_kv", "128"}, {"pair", "1"}});
    const auto plan = plan_designs(asked);
    REQUIRE_MESSAGE(plan, plan.error().text());
    const auto is_it = [](const PlannedDesign& design) { return design.as_it_is; };
    CHECK(std::count_if(plan->ranked.begin(), plan->ranked.end(), is_it) == 1);
    const auto it = std::find_if(plan->ranked.begin(), plan->ranked.end(), is_it);
    CHECK(it->set.empty());
    const auto plain = load_plan(source_dir(), "fa4_fwd", asked.spec, asked.problem);
    REQUIRE(plain);
    CHECK(it->seconds == predict(asked.spec, *plain, asked.problem)->seconds);
}

TEST_CASE("register splits keep to the register file and the checks") {
    const DesignRequest asked = request("fa4_fwd", "b200", forward_problem(128, 128), one_cta());
    const auto names = open_choices(asked, true);
    REQUIRE(names);
    REQUIRE(names->size() == 2);
    CHECK(names->front().name == "softmax_registers");
    const auto splits = register_splits(asked, {{"q_stages", "2"}, {"tile_kv", "128"}});
    REQUIRE(splits);
    REQUIRE_FALSE(splits->empty());
    for (const std::vector<double>& split : *splits) {
        CHECK(split[0] >= 128 + 24);
        CHECK(2 * split[0] + split[1] + 24 <= 512);
    }
    const std::vector<double> published = {192, 80};
    CHECK(std::count(splits->begin(), splits->end(), published) == 1);
}

TEST_CASE("kernels without tensor memory are planned by the same rules") {
    for (const auto& [kernel, gpu] :
         {std::pair{"fa2_fwd", "a100_sxm"}, std::pair{"fa3_fwd", "h200"},
          std::pair{"warpline_sm90_fwd", "h200"}}) {
        INFO(kernel);
        std::vector<ParameterOverride> fixed = {{"tile_kv", "64"}};
        const DesignRequest asked = request(kernel, gpu, forward_problem(128, 128), fixed);
        const auto plan = plan_designs(asked);
        REQUIRE_MESSAGE(plan, plan.error().text());
        CHECK(plan->ranked.size() >= 2);
        check_sound(asked, plan->ranked.front());
        check_sound(asked, plan->ranked.back());
    }
}
