// mxfp8 and nvfp4: rates, what scale factors take, and what they add to a step.
#include "planner_fixture.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/hardware/mma_timing.hpp"
#include "warpline/pipeline/design.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

using Set = std::vector<ParameterOverride>;

const Set mxfp8 = {{"mxfp8", "1"}};
const Set nvfp4 = {{"nvfp4", "1"}};

Set with(Set set, const Set& more) {
    set.insert(set.end(), more.begin(), more.end());
    return set;
}

KernelPlan plan_of(const std::string& gpu, std::int64_t d, const Set& set) {
    auto plan = make_plan(shipped_kernel("fa4_fwd"), shipped_gpu(gpu),
                          forward_problem(d, d, DType::fp8), set);
    REQUIRE_MESSAGE(plan, plan.error().text());
    return std::move(*plan);
}

double cycles(const KernelPlan& plan, const std::string& gpu, Unit unit) {
    const Roofline steady = steady_roofline(plan, idle_memory(shipped_gpu(gpu)));
    return steady.demand.at(static_cast<std::size_t>(unit)).ticks / ticks_per_cycle;
}

MmaShape shape(DType dtype, double element_bytes = 0.0) {
    return {MmaPath::tcgen05, 128, 128, 1, OperandSource::smem, dtype, element_bytes};
}

}  // namespace

TEST_CASE("an instruction takes the same time in every format and spans more of K") {
    const std::vector<std::pair<MmaShape, int>> shapes = {{shape(DType::bf16), 16},
                                                          {shape(DType::fp8), 32},
                                                          {shape(DType::fp8, 1.0), 32},
                                                          {shape(DType::fp8, 0.5), 64}};
    for (const auto& [one, k] : shapes) {
        const auto timing = mma_timing(shipped_gpu("b200"), one);
        REQUIRE(timing);
        CHECK(timing->k == k);
        CHECK(timing->tensor == ticks_from_cycles(64));
        CHECK(timing->smem_bytes == 256 * 32);
        CHECK(timing->flops == 2 * 128 * 128 * k);
    }
}

TEST_CASE("4-bit operands want tcgen05, whole instructions and fp8's storage") {
    MmaShape half = shape(DType::fp8, 0.5);
    half.m = 64;
    CHECK_FALSE(mma_timing(shipped_gpu("b200"), half));
    CHECK_FALSE(mma_timing(shipped_gpu("h200"),
                           {MmaPath::wgmma, 64, 128, 1, OperandSource::smem, DType::fp8, 0.5}));
    for (const auto& [dtype, set] :
         {std::pair{DType::bf16, nvfp4}, std::pair{DType::fp8, with(mxfp8, nvfp4)}}) {
        const auto refused = make_plan(shipped_kernel("fa4_fwd"), shipped_gpu("b200"),
                                       forward_problem(128, 128, dtype), set);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == FailureKind::infeasible);
        CHECK(refused.error().text().find("say what the operands of --dtype fp8 are") !=
              std::string::npos);
    }
}

TEST_CASE("scale factors take tensor and shared memory") {
    // Head dim 128: Q and K have 128 / 16 = 8 scales a row (4 of mxfp8), and four scales of 128
    // rows are 4 columns and 512 bytes. With S and O of two stages in 512 columns, S has to shrink.
    const KernelPlan four = plan_of("b200", 128, with(nvfp4, {{"pair", "0"}}));
    CHECK(four.parameters.at("tile_kv") == 64);
    const auto four_fits = fit_design(shipped_kernel("fa4_fwd"), shipped_gpu("b200"),
                                      forward_problem(128, 128, DType::fp8),
                                      with(nvfp4, {{"pair", "0"}, {"tile_kv", "128"}}));
    REQUIRE(four_fits);
    CHECK(excess(budget_of(four_fits->budgets, "TMEM columns")) == 3 * 8);
    const KernelPlan eight = plan_of("b200", 128, with(mxfp8, {{"pair", "0"}}));
    CHECK(eight.parameters.at("tile_kv") == 96);
    const auto eight_fits = fit_design(shipped_kernel("fa4_fwd"), shipped_gpu("b200"),
                                       forward_problem(128, 128, DType::fp8),
                                       with(mxfp8, {{"pair", "0"}, {"tile_kv", "128"}}));
    REQUIRE(eight_fits);
    CHECK(excess(budget_of(eight_fits->budgets, "TMEM columns")) == 3 * 4);
    // At head dim 64 there is room for 128 keys.
    CHECK(plan_of("b200", 64, nvfp4).parameters.at("tile_kv") == 128);
    const KernelPlan stages =
        plan_of("b200", 128, with(nvfp4, {{"pair", "0"}, {"kv_stages", "4"}}));
    const std::int64_t q = 2 * 128 * 64, kv = 4 * 64 * 64, out = 2 * 128 * 128 * 2;
    const std::int64_t q_scales = 2 * 128 * 8, kv_scales = 4 * 128 * 8, p_scales = 2 * 128 * 4;
    const std::int64_t rest = 2 * 128 * 2 * 4 + (9 * 2 + 2 * 4) * 8;
    CHECK(budget_of(stages.budgets, "SMEM").used ==
          q + kv + out + q_scales + kv_scales + p_scales + rest);
}

TEST_CASE("a step's demands follow from its formats") {
    const Set plain = {{"pair", "0"}, {"emulated", "0"}};
    struct Demand {
        std::string gpu;
        Set set;
        double keys, tensor, exponentials;
    };
    // Tensor: 4 * 256 * keys * 128 / rate. MUFU: two warps a sub-partition, each with an
    // exponential a key, the scale, and for nvfp4 a reciprocal of every 16 keys; 8 clk, on B300 4
    // for ex2 alone.
    const std::vector<Demand> demands = {
        {"b200", {}, 128, 1024, 2 * 129 * 8},
        {"b200", mxfp8, 96, 768, 2 * 97 * 8},
        {"b200", nvfp4, 64, 256, 2 * (65 + 4) * 8},
        {"b300", nvfp4, 64, 256, 2 * (65 * 4 + 4 * 8)},
    };
    for (const Demand& demand : demands) {
        INFO(demand.gpu << " " << design_text(demand.set));
        const KernelPlan plan = plan_of(demand.gpu, 128, with(demand.set, plain));
        CHECK(plan.parameters.at("tile_kv") == demand.keys);
        CHECK(cycles(plan, demand.gpu, Unit::tensor) == demand.tensor);
        CHECK(cycles(plan, demand.gpu, Unit::xu) == demand.exponentials);
    }
}

TEST_CASE("scaling P by block costs maxima, scales and products") {
    const auto of = [](const char* scaled) {
        return with(mxfp8,
                    {{"pair", "0"}, {"emulated", "0"}, {"tile_kv", "64"}, {"p_scaled", scaled}});
    };
    const KernelPlan constant = plan_of("b200", 128, of("0"));
    const KernelPlan scaled = plan_of("b200", 128, of("1"));
    // Of 64 keys, 32 more maxima (fmnmx3), 2 * 2 conversions and 2 shifts of 2 clk, the conversions
    // of 4; a warp of each stage.
    const double alu = cycles(scaled, "b200", Unit::alu) - cycles(constant, "b200", Unit::alu);
    CHECK(alu == 2 * (32 * 2 + 4 * 4 + 2 * 2));
    // 32 packed products and 2 single ones.
    CHECK(cycles(scaled, "b200", Unit::fma) - cycles(constant, "b200", Unit::fma) ==
          2 * (32 * 2 + 2));
    CHECK(constant.parameters.at("rescale_threshold") == 0);
    CHECK(scaled.parameters.at("rescale_threshold") == 8);
}

TEST_CASE("every format runs to the end, with tiles of any length") {
    for (const std::string gpu : {"b200", "b300"}) {
        for (const Set& set : {mxfp8, nvfp4, with(mxfp8, {{"p_scaled", "1"}})}) {
            INFO(gpu << " " << design_text(set));
            const KernelPlan plan = plan_of(gpu, 128, set);
            const MemoryEnvironment memory = idle_memory(shipped_gpu(gpu));
            CHECK(recurrence_bound(plan, memory).has_value());
            for (std::int64_t blocks = 0; blocks <= 3; ++blocks) {
                CHECK(simulate(plan, {{{blocks, blocks > 0 ? 1 : 0, 0}, 2}}, memory).has_value());
            }
            const auto prediction =
                predict(shipped_gpu(gpu), plan, forward_problem(128, 128, DType::fp8));
            REQUIRE_MESSAGE(prediction, prediction.error().text());
            CHECK(prediction->seconds > 0.0);
        }
    }
}
