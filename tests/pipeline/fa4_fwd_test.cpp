// The FlashAttention-4 forward pipeline: what the kernel executes, what it needs, and where it can
// run. Figures: flash-attention 0251105a (flash_fwd_sm100.py, interface.py) and counts of the
// machine code of a re-implementation of its softmax step.
#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::gpu;

namespace {

const std::string data_dir = source_dir();

AttentionProblem problem(std::int64_t d_qk, std::int64_t d_v, MaskKind mask) {
    AttentionProblem attention;
    attention.batch = 4;
    attention.heads_q = attention.heads_kv = 16;
    attention.seqlen_q = attention.seqlen_kv = 8192;
    attention.head_dim_qk = d_qk;
    attention.head_dim_v = d_v;
    attention.mask.kind = mask;
    return attention;
}

Result<KernelPlan> plan_of(const std::string& id, const AttentionProblem& attention,
                           const std::vector<ParameterOverride>& set = {}) {
    return load_plan(data_dir, "fa4_fwd", gpu(id), attention, set);
}

double steady_cycles(const KernelPlan& plan, const GpuSpec& spec, Unit unit) {
    const Roofline steady = steady_roofline(plan, idle_memory(spec));
    return steady.demand.at(static_cast<std::size_t>(unit)).ticks / ticks_per_cycle;
}

struct Shape {
    std::int64_t d_qk, d_v;
    MaskKind mask;
    int ctas, kv_stages, emulated;
};

}  // namespace

TEST_CASE("fa4_fwd chooses tiles, stages and polynomials as the kernel's dispatch does") {
    const std::vector<Shape> shapes = {
        {64, 64, MaskKind::full, 1, 10, 16},  {64, 64, MaskKind::causal, 1, 10, 16},
        {96, 96, MaskKind::full, 1, 5, 16},   {128, 128, MaskKind::causal, 1, 3, 16},
        {128, 128, MaskKind::full, 2, 6, 24}, {192, 128, MaskKind::causal, 1, 3, 8},
        {192, 128, MaskKind::full, 2, 5, 24},
    };
    for (const Shape& shape : shapes) {
        INFO(shape.d_qk << ":" << shape.d_v << " CTAs " << shape.ctas);
        const auto plan = plan_of("b200", problem(shape.d_qk, shape.d_v, shape.mask));
        REQUIRE(plan);
        CHECK(plan->cluster == shape.ctas);
        CHECK(plan->parameters.at("kv_stages") == shape.kv_stages);
        CHECK(plan->parameters.at("emulated") == shape.emulated);
        CHECK(plan->tiles.rows == 256 * shape.ctas);
        for (const Budget& budget : plan->budgets) {
            CHECK(budget.used <= budget.limit);
        }
    }
    CHECK(plan_of("b300", problem(128, 128, MaskKind::full))->parameters.at("emulated") == 0);
}

TEST_CASE("fa4_fwd asks of each unit what the kernel executes in a 256 x 128 step") {
    struct Demand {
        std::string gpu;
        std::int64_t d_qk, d_v;
        MaskKind mask;
        double tensor, exponentials;
    };
    // Tensor: 4 * 256 * 128 * d / 8192. MUFU: two warps a sub-partition, 129 less the emulated
    // ones, 8 clk each (4 on B300); the 129th is the rescale factor.
    const std::vector<Demand> demands = {
        {"b200", 64, 64, MaskKind::causal, 1024, 2 * 113 * 8},
        {"b200", 96, 96, MaskKind::full, 1536, 2 * 113 * 8},
        {"b200", 128, 128, MaskKind::causal, 2048, 2 * 113 * 8},
        {"b200", 128, 128, MaskKind::full, 2048, 2 * 105 * 8},
        {"b200", 192, 128, MaskKind::causal, 2560, 2 * 121 * 8},
        {"b300", 128, 128, MaskKind::full, 2048, 2 * 129 * 4},
    };
    for (const Demand& demand : demands) {
        INFO(demand.gpu << " " << demand.d_qk);
        const auto plan = plan_of(demand.gpu, problem(demand.d_qk, demand.d_v, demand.mask));
        REQUIRE(plan);
        CHECK(steady_cycles(*plan, gpu(demand.gpu), Unit::tensor) == demand.tensor);
        CHECK(steady_cycles(*plan, gpu(demand.gpu), Unit::xu) == demand.exponentials);
    }
}

TEST_CASE("a softmax step issues as many instructions as its machine code has") {
    // Totals of one warp's step: 425 without polynomials, 490 with 16 of 128, 362 with the maximum
    // in the load. Two such warps share a sub-partition; correction and the issuing warps add some
    // 40 to 80 slots.
    struct Count {
        std::string gpu;
        std::vector<ParameterOverride> set;
        double warp;
    };
    const std::vector<Count> counts = {{"b200", {{"emulated", "0"}}, 425},
                                       {"b200", {{"emulated", "16"}}, 490},
                                       {"b200", {{"emulated", "32"}}, 554},
                                       {"b300", {}, 362}};
    for (const Count& count : counts) {
        const auto plan = plan_of(count.gpu, problem(64, 64, MaskKind::full), count.set);
        REQUIRE(plan);
        const double issued = steady_cycles(*plan, gpu(count.gpu), Unit::issue);
        INFO(count.gpu << ": " << issued << " slots for two warps of " << count.warp);
        CHECK(issued > 2 * count.warp - 60);
        CHECK(issued < 2 * count.warp + 100);
    }
}

TEST_CASE("fa4_fwd takes every multiple of 8 up to 128, and says what it does not take") {
    for (std::int64_t d = 8; d <= 128; d += 8) {
        INFO("head dim " << d);
        const auto plan = plan_of("b200", problem(d, d, MaskKind::causal));
        REQUIRE(plan);
        CHECK(plan->parameters.at("dq") == (d + 15) / 16 * 16);
        CHECK(simulate(*plan, {{{6, 2, 0}, 1}}, idle_memory(gpu("b200"))));
    }
    for (const std::int64_t d : {4, 100, 136, 256}) {
        const auto plan = plan_of("b200", problem(d, d, MaskKind::causal));
        INFO("head dim " << d);
        REQUIRE_FALSE(plan);
        CHECK(plan.error().kind == FailureKind::infeasible);
        CHECK(plan.error().text().find("head dim") != std::string::npos);
    }
    const auto hopper = plan_of("h100_sxm", problem(128, 128, MaskKind::full));
    REQUIRE_FALSE(hopper);
    CHECK(hopper.error().text().find("tcgen05") != std::string::npos);
}

TEST_CASE("fa4_fwd runs at every small trip count and ring depth, one CTA and two") {
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
        for (const char* stages : {"2", "3", "4"}) {
            const auto plan = plan_of("b200", problem(64, 64, mask), {{"kv_stages", stages}});
            REQUIRE(plan);
            Tick before = 0;
            for (std::int64_t blocks = 0; blocks <= 5; ++blocks) {
                const TileClass tile{blocks, std::min<std::int64_t>(blocks, 2), 0};
                const auto schedule = simulate(*plan, {{tile, 2}}, idle_memory(gpu("b200")));
                REQUIRE(schedule);
                CHECK(schedule->makespan > before);
                before = schedule->makespan;
            }
        }
    }
}

TEST_CASE("causal tiles execute 1 + 256/S of the counted work") {
    for (const std::int64_t length : {1024, 4096, 8192}) {
        AttentionProblem attention = problem(128, 128, MaskKind::causal);
        attention.seqlen_q = attention.seqlen_kv = length;
        const auto plan = plan_of("b200", attention);
        const auto prediction = predict(gpu("b200"), plan.value(), attention);
        REQUIRE(prediction);
        CHECK(prediction->executed_flops / prediction->counted_flops ==
              doctest::Approx(1.0 + 256.0 / static_cast<double>(length)));
        CHECK(prediction->utilization < 1.0);
    }
}

TEST_CASE(
    "on fa4_fwd the three answers are in order, and a mechanism taken away never costs time") {
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
        for (const auto& [d_qk, d_v] : {std::pair{64, 64}, {96, 96}, {128, 128}, {192, 128}}) {
            INFO(d_qk << ":" << d_v);
            const AttentionProblem attention = problem(d_qk, d_v, mask);
            const auto plan = plan_of("b200", attention);
            const auto prediction = predict(gpu("b200"), plan.value(), attention);
            REQUIRE(prediction);
            CHECK(prediction->steady.roofline <= prediction->steady.recurrence);
            CHECK(prediction->steady.recurrence <= prediction->steady.simulated);
            for (const Mechanism mechanism :
                 {Mechanism::barrier_latency, Mechanism::mma_latency, Mechanism::memory_latency}) {
                PredictOptions options;
                options.ideal = {mechanism};
                const auto ideal = predict(gpu("b200"), plan.value(), attention, options);
                REQUIRE(ideal);
                INFO(mechanism_name(mechanism));
                // A shorter latency may shift two warps into step and so cost a little elsewhere.
                CHECK(ideal->makespan_cycles < 1.05 * prediction->makespan_cycles);
            }
        }
    }
}
