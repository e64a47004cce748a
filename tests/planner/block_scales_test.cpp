// mxfp8 and nvfp4: rates, what scale factors take, and what they add to a step.
#include "planner_fixture.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/hardware/dtype.hpp"
#include "warpline/hardware/mma_timing.hpp"
#include "warpline/pipeline/design.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

using Set = std::vector<ParameterOverride>;

constexpr DType mxfp8 = DType::mxfp8;
constexpr DType nvfp4 = DType::nvfp4;

KernelPlan plan_of(const std::string& gpu, std::int64_t d, DType dtype, const Set& set = {}) {
    auto plan =
        make_plan(shipped_kernel("fa4_fwd"), shipped_gpu(gpu), forward_problem(d, d, dtype), set);
    REQUIRE_MESSAGE(plan, plan.error().text());
    return std::move(*plan);
}

double cycles(const KernelPlan& plan, const std::string& gpu, Unit unit) {
    const Roofline steady = steady_roofline(plan, idle_memory(shipped_gpu(gpu)));
    return steady.demand.at(static_cast<std::size_t>(unit)).ticks / ticks_per_cycle;
}

MmaShape shape(DType dtype, double element_bytes = 0.0, std::int64_t k = 0) {
    return {MmaPath::tcgen05, 128, 128, 1, OperandSource::smem, dtype, element_bytes, k};
}

}  // namespace

TEST_CASE("an instruction takes the same time in every format and spans more of K") {
    const std::vector<std::pair<MmaShape, int>> shapes = {
        {shape(DType::bf16), 16}, {shape(DType::fp8), 32}, {shape(DType::fp8, 1.0), 32},
        {shape(mxfp8), 32},       {shape(nvfp4), 64},      {shape(nvfp4, 0.0, 192), 64}};
    for (const auto& [one, k] : shapes) {
        const auto timing = mma_timing(shipped_gpu("b200"), one);
        REQUIRE(timing);
        CHECK(timing->k == k);
        CHECK(timing->tensor == ticks_from_cycles(64));
        CHECK(timing->smem_bytes == 256 * 32);
        CHECK(timing->flops == 2 * 128 * 128 * k);
    }
}

TEST_CASE("a B300 multiplies 96 of K at a time where they divide it") {
    for (const auto& [k, one] : std::vector<std::pair<std::int64_t, int>>{
             {64, 64}, {96, 96}, {128, 64}, {192, 96}, {256, 64}}) {
        const auto timing = mma_timing(shipped_gpu("b300"), shape(nvfp4, 0.0, k));
        REQUIRE(timing);
        CHECK(timing->k == one);
        CHECK(timing->tensor == ticks_from_cycles(64));
        CHECK(timing->smem_bytes == 256 * one / 2);
        CHECK(timing->flops == 2 * 128 * 128 * one);
    }
    const auto eight = mma_timing(shipped_gpu("b300"), shape(mxfp8, 0.0, 96));
    REQUIRE(eight);
    CHECK(eight->k == 32);
    // NVIDIA's datasheet: 14 to 15 PFLOP/s of dense NVFP4 at the clock of 2.25 PFLOP/s of bf16.
    const GpuSpec& spec = shipped_gpu("b300");
    const ClockHz clock(1'856'000'000);
    CHECK(peak_flops(spec, clock, nvfp4) == doctest::Approx(6.0 * spec.peak_flops(clock)));
    CHECK(peak_flops(spec, clock, nvfp4) == doctest::Approx(14e15).epsilon(0.05));
    CHECK(peak_flops(spec, clock, mxfp8) == doctest::Approx(2.0 * spec.peak_flops(clock)));
    const GpuSpec& b200 = shipped_gpu("b200");
    CHECK(peak_flops(b200, clock, nvfp4) == doctest::Approx(4.0 * b200.peak_flops(clock)));
}

TEST_CASE("formats know their widths, in operands and in memory") {
    CHECK(element_bytes(DType::bf16) == 2.0);
    CHECK(element_bytes(mxfp8) == 1.0);
    CHECK(element_bytes(nvfp4) == 0.5);
    CHECK(scale_block(DType::fp8) == 0);
    CHECK(stored_bytes(mxfp8) == 1.0 + 1.0 / 32.0);
    CHECK(stored_bytes(nvfp4) == 0.5 + 1.0 / 16.0);
    for (const DType dtype : all_dtypes) {
        CHECK(dtype_from_name(dtype_name(dtype)) == dtype);
    }
    CHECK_FALSE(dtype_from_name("fp4"));
    // Q, K and V of one head and token, and O of 16 bits.
    AttentionProblem problem = forward_problem(128, 128, nvfp4);
    const double rows = static_cast<double>(problem.batch * problem.heads_q * problem.seqlen_q);
    CHECK(compulsory_bytes(problem) ==
          doctest::Approx(rows * (3.0 * 128.0 * 0.5625 + 128.0 * 2.0)));
}

TEST_CASE("block-scaled operands want tcgen05, whole instructions and a kernel that takes them") {
    for (const DType dtype : {mxfp8, nvfp4}) {
        MmaShape half = shape(dtype);
        half.m = 64;
        CHECK_FALSE(mma_timing(shipped_gpu("b200"), half));
        CHECK_FALSE(mma_timing(shipped_gpu("h200"),
                               {MmaPath::wgmma, 64, 128, 1, OperandSource::smem, dtype}));
        for (const char* kernel : {"fa4_bwd", "avo_fwd", "cudnn_fwd", "decode_sm100", "fa2_fwd"}) {
            AttentionProblem problem = forward_problem(128, 128, dtype);
            if (std::string(kernel) == "fa4_bwd") {
                problem.direction = Direction::backward;
            }
            const auto refused = make_plan(shipped_kernel(kernel), shipped_gpu("b200"), problem);
            INFO(kernel);
            REQUIRE_FALSE(refused);
            CHECK(refused.error().kind == FailureKind::infeasible);
            CHECK(refused.error().text().find("the kernel multiplies bf16, fp16") !=
                  std::string::npos);
        }
    }
}

TEST_CASE("scale factors take tensor and shared memory") {
    // Head dim 128: Q and K have 128 / 16 = 8 scales a row (4 of mxfp8), and four scales of 128
    // rows are 4 columns and 512 bytes. With S and O of two stages in 512 columns, S has to shrink.
    const KernelPlan four = plan_of("b200", 128, nvfp4, {{"pair", "0"}});
    CHECK(four.parameters.at("tile_kv") == 64);
    const auto four_fits =
        fit_design(shipped_kernel("fa4_fwd"), shipped_gpu("b200"), forward_problem(128, 128, nvfp4),
                   {{"pair", "0"}, {"tile_kv", "128"}});
    REQUIRE(four_fits);
    CHECK(excess(budget_of(four_fits->budgets, "TMEM columns")) == 3 * 8);
    const KernelPlan eight = plan_of("b200", 128, mxfp8, {{"pair", "0"}});
    CHECK(eight.parameters.at("tile_kv") == 96);
    const auto eight_fits =
        fit_design(shipped_kernel("fa4_fwd"), shipped_gpu("b200"), forward_problem(128, 128, mxfp8),
                   {{"pair", "0"}, {"tile_kv", "128"}});
    REQUIRE(eight_fits);
    CHECK(excess(budget_of(eight_fits->budgets, "TMEM columns")) == 3 * 4);
    // At head dim 64 there is room for 128 keys.
    CHECK(plan_of("b200", 64, nvfp4).parameters.at("tile_kv") == 128);
    const KernelPlan stages = plan_of("b200", 128, nvfp4, {{"pair", "0"}, {"kv_stages", "4"}});
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
        DType dtype;
        double keys, tensor, exponentials;
    };
    // Tensor: 4 * 256 * keys * 128 / rate. MUFU: two warps a sub-partition, each with an
    // exponential a key, the scale, and for nvfp4 a reciprocal of every 16 keys; 8 clk, on B300 4
    // for ex2 alone.
    const std::vector<Demand> demands = {
        {"b200", DType::fp8, 128, 1024, 2 * 129 * 8},
        {"b200", mxfp8, 96, 768, 2 * 97 * 8},
        {"b200", nvfp4, 64, 256, 2 * (65 + 4) * 8},
        {"b300", nvfp4, 64, 256, 2 * (65 * 4 + 4 * 8)},
    };
    for (const Demand& demand : demands) {
        INFO(demand.gpu << " " << dtype_name(demand.dtype));
        const KernelPlan plan = plan_of(demand.gpu, 128, demand.dtype, plain);
        CHECK(plan.parameters.at("tile_kv") == demand.keys);
        CHECK(cycles(plan, demand.gpu, Unit::tensor) == demand.tensor);
        CHECK(cycles(plan, demand.gpu, Unit::xu) == demand.exponentials);
    }
}

TEST_CASE("scaling P by block costs maxima, scales and products") {
    const auto of = [](const char* scaled) {
        return plan_of("b200", 128, mxfp8,
                       {{"pair", "0"}, {"emulated", "0"}, {"tile_kv", "64"}, {"p_scaled", scaled}});
    };
    const KernelPlan constant = of("0");
    const KernelPlan scaled = of("1");
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
    struct Case {
        DType dtype;
        Set set;
    };
    for (const std::string gpu : {"b200", "b300"}) {
        for (const Case& one : {Case{mxfp8, {}}, Case{nvfp4, {}}, Case{mxfp8, {{"p_scaled", "1"}}},
                                Case{nvfp4, {{"tile_kv", "64"}, {"pair", "0"}}}}) {
            INFO(gpu << " " << dtype_name(one.dtype) << " " << design_text(one.set));
            const KernelPlan plan = plan_of(gpu, 128, one.dtype, one.set);
            const MemoryEnvironment memory = idle_memory(shipped_gpu(gpu));
            CHECK(recurrence_bound(plan, memory).has_value());
            for (std::int64_t blocks = 0; blocks <= 3; ++blocks) {
                CHECK(simulate(plan, {{{blocks, blocks > 0 ? 1 : 0, 0}, 2}}, memory).has_value());
            }
            const AttentionProblem problem = forward_problem(128, 128, one.dtype);
            const auto prediction = predict(shipped_gpu(gpu), plan, problem);
            REQUIRE_MESSAGE(prediction, prediction.error().text());
            CHECK(prediction->seconds > 0.0);
            CHECK(prediction->utilization < 1.0);
        }
    }
}

TEST_CASE("head dims that 96 divides take a third of the products of 64 less on a B300") {
    // QK of 192: two instructions in place of three; PV of 96 keys one in place of two.
    const Set set = {{"variant", "1"}, {"pair", "0"}, {"tile_kv", "96"}, {"q_stages", "1"}};
    const KernelPlan wide = plan_of("b300", 192, nvfp4, set);
    CHECK(wide.parameters.at("dq") == 192);
    CHECK(wide.parameters.at("pv_k") == 96);
    const double qk = 2 * 48.0;  // N = 96: 48 clk each
    const double pv = 1 * 96.0;  // N = 192
    CHECK(cycles(wide, "b300", Unit::tensor) == qk + pv);
    // 96 keys are no whole products of 64.
    CHECK_FALSE(fit_design(shipped_kernel("fa4_fwd"), shipped_gpu("b200"),
                           forward_problem(192, 192, nvfp4), set)
                    ->fits());
    CHECK(plan_of("b300", 128, nvfp4).parameters.at("dq") == 128);
}
