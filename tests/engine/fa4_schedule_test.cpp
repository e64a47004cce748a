// FlashAttention-4 forward as its pipeline file has it: what is folded must not change the answer.
#include "engine/plan_builder.hpp"
#include "source_dir.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::testing;

namespace {

const GpuSpec& b200() {
    static const GpuSpec spec = [] {
        auto loaded = load_gpu_spec(source_dir(), "b200");
        REQUIRE(loaded);
        return *loaded;
    }();
    return spec;
}

KernelPlan fa4(std::int64_t head_dim, bool causal,
               const std::vector<ParameterOverride>& overrides = {}) {
    AttentionProblem problem;
    problem.seqlen_q = problem.seqlen_kv = 8192;
    problem.head_dim_qk = problem.head_dim_v = head_dim;
    problem.mask.kind = causal ? MaskKind::causal : MaskKind::full;
    auto plan = load_plan(source_dir(), "fa4_fwd", b200(), problem, overrides);
    REQUIRE(plan);
    return *plan;
}

void check_fold(const KernelPlan& plan, std::int64_t n, std::int64_t masked_first,
                std::int64_t masked_last, EngineOptions options) {
    CAPTURE(n);
    CAPTURE(masked_first);
    CAPTURE(masked_last);
    const std::vector<TileRun> tiles{{{n, masked_first, masked_last}, 1}};
    options.fold_steady_state = false;
    const Schedule unfolded = run_checked(plan, tiles, options, idle_memory(b200()));
    options.fold_steady_state = true;
    check_equal(run_checked(plan, tiles, options, idle_memory(b200())), unfolded);
}

}  // namespace

TEST_CASE("folding the steady state changes nothing") {
    for (const std::int64_t head_dim : {64, 128}) {
        CAPTURE(head_dim);
        const KernelPlan plan = fa4(head_dim, true);
        for (const std::int64_t n : {3, 4, 5, 8, 13, 29, 45, 60}) {
            check_fold(plan, n, std::min<std::int64_t>(2, n), 0, EngineOptions{});
        }
        check_fold(plan, 60, 2, 3, EngineOptions{});
        check_fold(plan, 40, 2, 0, exact_options());
    }
}

TEST_CASE("folding the steady state of a CTA pair changes nothing, and finds it") {
    const KernelPlan plan = fa4(128, false);
    REQUIRE(plan.cluster == 2);
    for (const std::int64_t n : {3, 8, 30, 61}) {
        check_fold(plan, n, 1, 0, EngineOptions{});
    }
    const Schedule schedule =
        run_checked(plan, {{{400, 1, 0}, 1}}, EngineOptions{}, idle_memory(b200()));
    CHECK(schedule.steady.found);
}

TEST_CASE("the second tile of a CTA or a CTA pair repeats the first, as further ones do") {
    for (const bool causal : {false, true}) {
        CAPTURE(causal);
        const KernelPlan plan = fa4(128, causal);
        const auto tiles = [&](std::int64_t count) {
            return run_checked(plan, {{{64, 1, 0}, count}}, EngineOptions{}, idle_memory(b200()));
        };
        const Schedule one = tiles(1), two = tiles(2), four = tiles(4);
        REQUIRE(two.repeat.found);
        CHECK(one.makespan == two.makespan - two.repeat.period);
        CHECK(four.makespan == two.makespan + 2 * two.repeat.period);
        for (std::size_t i = 0; i < two.units.size(); ++i) {
            CHECK(one.units[i].busy == two.units[i].busy - two.repeat.busy[i]);
            CHECK(four.units[i].busy == two.units[i].busy + 2 * two.repeat.busy[i]);
        }
    }
}

TEST_CASE("steps chosen by chance fold as they run") {
    const KernelPlan plan = fa4(64, true, {{"rescale_probability", "0.25"}});
    for (const std::int64_t n : {20, 75, 150}) {
        check_fold(plan, n, 2, 0, EngineOptions{});
    }
}

TEST_CASE(
    "equal sub-partitions and batches stay within half a percent of the single warp instruction") {
    for (const std::int64_t head_dim : {64, 96, 128}) {
        CAPTURE(head_dim);
        const KernelPlan plan = fa4(head_dim, true);
        for (const std::int64_t n : {4, 40}) {
            CAPTURE(n);
            const std::vector<TileRun> tiles{{{n, 2, 0}, 1}};
            const Schedule exact = run_checked(plan, tiles, exact_options(), idle_memory(b200()));
            const Schedule quick = run_checked(plan, tiles, EngineOptions{}, idle_memory(b200()));
            const double ratio =
                static_cast<double>(quick.makespan) / static_cast<double>(exact.makespan);
            CHECK(std::abs(ratio - 1.0) < 0.005);
        }
    }
}
