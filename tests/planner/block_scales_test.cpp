// mxfp8 and nvfp4: rates, what scale factors take, and what they add to a step.
#include "planner_fixture.hpp"
#include "warpline/hardware/mma_timing.hpp"
#include "warpline/hardware/number_format.hpp"
#include "warpline/pipeline/design.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

KernelPlan plan_of(const std::string& gpu, std::int64_t d, DType dtype,
                   const std::vector<ParameterOverride>& set = {}) {
    auto plan =
        make_plan(shipped_kernel("fa4_fwd"), shipped_gpu(gpu), forward_problem(d, d, dtype), set);
    REQUIRE_MESSAGE(plan, plan.error().text());
    return std::move(*plan);
}

double cycles(const KernelPlan& plan, const std::string& gpu, Unit unit) {
    const Roofline steady = steady_roofline(plan, idle_memory(shipped_gpu(gpu)));
    return steady.demand.at(static_cast<std::size_t>(unit)).ticks / ticks_per_cycle;
}

MmaShape shape(DType dtype, bool wide = false) {
    return {MmaPath::tcgen05, 128, 128, 1, OperandSource::smem, dtype, wide};
}

}  // namespace

TEST_CASE("an instruction takes the same time in every format and spans more of K") {
    const GpuSpec& spec = shipped_gpu("b200");
    for (const auto& [dtype, k] : {std::pair{DType::bf16, 16}, std::pair{DType::fp8, 32},
                                   std::pair{DType::mxfp8, 32}, std::pair{DType::nvfp4, 64}}) {
        const auto timing = mma_timing(spec, shape(dtype));
        REQUIRE(timing);
        CHECK(timing->k == k);
        CHECK(timing->tensor == ticks_from_cycles(64));
        CHECK(timing->smem_bytes == 256 * 32);
        CHECK(timing->flops == 2 * 128 * 128 * k);
    }
    CHECK(dense_rate(spec, DType::mxfp8) == 2.0);
    CHECK(dense_rate(spec, DType::nvfp4) == 4.0);
}

TEST_CASE("sm_103 has a wide nvfp4 form, which wants more of shared memory") {
    const GpuSpec& spec = shipped_gpu("b300");
    const auto wide = mma_timing(spec, shape(DType::nvfp4, true));
    REQUIRE(wide);
    CHECK(wide->k == 96);
    CHECK(wide->tensor == ticks_from_cycles(64));
    CHECK(wide->smem_bytes == 256 * 48);
    CHECK(dense_rate(spec, DType::nvfp4) == 6.0);
    CHECK_FALSE(mma_timing(spec, shape(DType::mxfp8, true)));
    CHECK_FALSE(mma_timing(shipped_gpu("b200"), shape(DType::nvfp4, true)));
}

TEST_CASE("block-scaled operands want tcgen05 and whole instructions") {
    MmaShape half = shape(DType::nvfp4);
    half.m = 64;
    CHECK_FALSE(mma_timing(shipped_gpu("b200"), half));
    CHECK_FALSE(mma_timing(shipped_gpu("h200"),
                           {MmaPath::wgmma, 64, 128, 1, OperandSource::smem, DType::mxfp8}));
    const auto refused = make_plan(shipped_kernel("fa2_fwd"), shipped_gpu("b200"),
                                   forward_problem(128, 128, DType::nvfp4));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == FailureKind::infeasible);
    CHECK(refused.error().text().find("takes bf16, fp16, fp8, not nvfp4") != std::string::npos);
}

TEST_CASE("scale factors take tensor and shared memory") {
    // Head dim 128: Q and K have 128 / 16 = 8 scales a row (4 of mxfp8), and four scales of 128
    // rows are 4 columns and 512 bytes. With S and O of two stages in 512 columns, S has to shrink.
    const KernelPlan narrow = plan_of("b200", 128, DType::nvfp4, {{"pair", "0"}});
    CHECK(narrow.parameters.at("tile_kv") == 64);
    CHECK(budget_of(narrow.budgets, "TMEM columns").exact == 2 * 64 + 2 * 128 + 3 * 8);
    const KernelPlan eight = plan_of("b200", 128, DType::mxfp8, {{"pair", "0"}});
    CHECK(eight.parameters.at("tile_kv") == 96);
    CHECK(budget_of(eight.budgets, "TMEM columns").exact == 2 * 96 + 2 * 128 + 3 * 4);
    // At head dim 64 there is room for 128 keys.
    CHECK(plan_of("b200", 64, DType::nvfp4).parameters.at("tile_kv") == 128);
    const KernelPlan stages =
        plan_of("b200", 128, DType::nvfp4, {{"pair", "0"}, {"kv_stages", "4"}});
    const std::int64_t q = 2 * 128 * 64, kv = 4 * 64 * 64, out = 2 * 128 * 128 * 2;
    const std::int64_t q_scales = 2 * 128 * 8, kv_scales = 4 * 128 * 8, p_scales = 2 * 128 * 4;
    const std::int64_t rest = 2 * 128 * 2 * 4 + (9 * 2 + 2 * 4) * 8;
    CHECK(budget_of(stages.budgets, "SMEM").used ==
          q + kv + out + q_scales + kv_scales + p_scales + rest);
}

TEST_CASE("a step's demands follow from its formats") {
    const std::vector<ParameterOverride> plain = {{"pair", "0"}, {"emulated", "0"}};
    struct Demand {
        std::string gpu;
        DType dtype;
        double keys, tensor, exponentials;
    };
    // Tensor: 4 * 256 * keys * 128 / rate. MUFU: two warps a sub-partition, each with an
    // exponential a key, the scale, and for nvfp4 a reciprocal of every 16 keys; 8 clk, on B300 4
    // for ex2 alone.
    const std::vector<Demand> demands = {
        {"b200", DType::fp8, 128, 1024, 2 * 129 * 8},
        {"b200", DType::mxfp8, 96, 768, 2 * 97 * 8},
        {"b200", DType::nvfp4, 64, 256, 2 * (65 + 4) * 8},
        {"b300", DType::nvfp4, 64, 256, 2 * (65 * 4 + 4 * 8)},
    };
    for (const Demand& demand : demands) {
        INFO(demand.gpu << " " << std::string(dtype_name(demand.dtype)));
        const KernelPlan plan = plan_of(demand.gpu, 128, demand.dtype, plain);
        CHECK(plan.parameters.at("tile_kv") == demand.keys);
        CHECK(cycles(plan, demand.gpu, Unit::tensor) == demand.tensor);
        CHECK(cycles(plan, demand.gpu, Unit::xu) == demand.exponentials);
    }
}

TEST_CASE("scaling P by block costs maxima, scales and products") {
    const auto set = [](const char* scaled) {
        return std::vector<ParameterOverride>{
            {"pair", "0"}, {"emulated", "0"}, {"tile_kv", "64"}, {"p_scaled", scaled}};
    };
    const KernelPlan constant = plan_of("b200", 128, DType::mxfp8, set("0"));
    const KernelPlan scaled = plan_of("b200", 128, DType::mxfp8, set("1"));
    // Of 64 keys, 32 more maxima (fmnmx3), 2 * 2 conversions and 2 shifts of 2 clk, the latter in
    // f2fp's 4; a warp of each stage.
    const double alu = cycles(scaled, "b200", Unit::alu) - cycles(constant, "b200", Unit::alu);
    CHECK(alu == 2 * (32 * 2 + 4 * 4 + 2 * 2));
    // 32 packed products and 2 single ones.
    CHECK(cycles(scaled, "b200", Unit::fma) - cycles(constant, "b200", Unit::fma) ==
          2 * (32 * 2 + 2));
    CHECK(constant.parameters.at("rescale_threshold") == 0);
    CHECK(scaled.parameters.at("rescale_threshold") == 8);
}

TEST_CASE("every shipped format runs, and fewer bits never take longer") {
    for (const std::string gpu : {"b200", "b300"}) {
        double before = 1e9;
        for (const DType dtype : {DType::bf16, DType::fp8}) {
            const AttentionProblem problem = forward_problem(128, 128, dtype);
            const auto prediction = predict(shipped_gpu(gpu), plan_of(gpu, 128, dtype), problem);
            REQUIRE_MESSAGE(prediction, prediction.error().text());
            CHECK(prediction->seconds < before);
            before = prediction->seconds;
        }
        for (const DType dtype : {DType::mxfp8, DType::nvfp4}) {
            const AttentionProblem problem = forward_problem(128, 128, dtype);
            const KernelPlan plan = plan_of(gpu, 128, dtype);
            CHECK(recurrence_bound(plan, idle_memory(shipped_gpu(gpu))).has_value());
            const auto prediction = predict(shipped_gpu(gpu), plan, problem);
            REQUIRE_MESSAGE(prediction, prediction.error().text());
            CHECK(prediction->utilization < 1.0);
        }
    }
}
