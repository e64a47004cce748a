// The backward pipelines: what each executes, what it needs, and where it can run. Figures:
// flash-attention 0251105a, and the backward roofline of the FlashAttention-4 paper
// (arXiv:2603.05451, Table 3).
#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/roofline/attention_tables.hpp"
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

AttentionProblem problem(std::int64_t d_qk, std::int64_t d_v, MaskKind mask,
                         std::int64_t length = 4096) {
    AttentionProblem attention;
    attention.direction = Direction::backward;
    attention.batch = 4;
    attention.heads_q = attention.heads_kv = 16;
    attention.seqlen_q = attention.seqlen_kv = length;
    attention.head_dim_qk = d_qk;
    attention.head_dim_v = d_v;
    attention.mask.kind = mask;
    if (mask == MaskKind::sliding_window) {
        attention.mask.window = 512;
    }
    return attention;
}

Result<KernelPlan> plan_of(const std::string& kernel, const std::string& id,
                           const AttentionProblem& attention,
                           const std::vector<ParameterOverride>& set = {}) {
    return load_plan(data_dir, kernel, gpu(id), attention, set);
}

double steady_cycles(const KernelPlan& plan, const GpuSpec& spec, Unit unit) {
    const Roofline steady = steady_roofline(plan, idle_memory(spec));
    return steady.demand.at(static_cast<std::size_t>(unit)).ticks / ticks_per_cycle;
}

struct Kernel {
    std::string name;
    std::vector<std::string> gpus;
    std::vector<std::pair<std::int64_t, std::int64_t>> head_dims;
};

const std::vector<Kernel>& kernels() {
    const std::vector<std::string> blackwell = {"b200", "gb200", "b300", "gb300"};
    const std::vector<std::string> hopper = {"h100_sxm", "h200"};
    static const std::vector<Kernel> all = {
        {"fa4_bwd", blackwell, {{64, 64}, {88, 88}, {96, 96}, {128, 128}, {192, 128}}},
        {"fa4_bwd_hd256_dq", blackwell, {{256, 256}}},
        {"fa4_bwd_hd256_dkv", blackwell, {{256, 256}}},
        {"fa4_sm90_bwd", hopper, {{64, 64}, {72, 72}, {128, 128}, {192, 128}, {256, 256}}},
        {"fa3_bwd", hopper, {{64, 64}, {72, 72}, {128, 128}, {192, 192}, {256, 256}}},
        {"fa2_bwd",
         {"a100_sxm", "h100_sxm", "h200", "b200"},
         {{64, 64}, {72, 72}, {128, 128}, {256, 256}}},
    };
    return all;
}

}  // namespace

TEST_CASE("every backward kernel runs on each of its GPUs, whatever the trip count") {
    for (const Kernel& kernel : kernels()) {
        for (const std::string& id : kernel.gpus) {
            for (const auto& [d_qk, d_v] : kernel.head_dims) {
                for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
                    INFO(kernel.name << " on " << id << " " << d_qk << ":" << d_v);
                    const auto plan = plan_of(kernel.name, id, problem(d_qk, d_v, mask));
                    REQUIRE_MESSAGE(plan, plan.error().text());
                    for (const Budget& budget : plan->budgets) {
                        CHECK(budget.used <= budget.limit);
                    }
                    Tick before = -1;
                    for (const std::int64_t blocks : {0, 1, 2, 3, 9}) {
                        const TileClass tile{blocks, std::min<std::int64_t>(blocks, 2), 0};
                        const auto schedule = simulate(*plan, {{tile, 1}}, idle_memory(gpu(id)));
                        REQUIRE_MESSAGE(schedule, schedule.error().text());
                        CHECK(schedule->makespan > before);
                        before = schedule->makespan;
                    }
                }
            }
        }
    }
}

TEST_CASE("backward kernels execute the products of their head dim, and no more") {
    struct Work {
        std::string kernel, gpu;
        std::int64_t d_qk, d_v;
        double flops;  // of a block, over all CTAs of the cluster
    };
    const double tile = 128.0 * 128.0;
    const std::vector<Work> works = {
        {"fa4_bwd", "b200", 64, 64, 10 * tile * 64},
        {"fa4_bwd", "b200", 128, 128, 2 * 10 * tile * 128},
        {"fa4_bwd", "b200", 192, 128, 2 * tile * (6 * 192 + 4 * 128)},
        {"fa4_bwd_hd256_dq", "b200", 256, 256, 2 * 6 * tile * 256},
        {"fa4_bwd_hd256_dkv", "b200", 256, 256, 8 * tile * 256},
        {"fa3_bwd", "h100_sxm", 64, 64, 10 * tile * 64},
        {"fa3_bwd", "h100_sxm", 128, 128, 10.0 * 80 * 128 * 128},
        {"fa3_bwd", "h100_sxm", 192, 192, 10.0 * 64 * 96 * 192},
        {"fa3_bwd", "h100_sxm", 256, 256, 10.0 * 64 * 80 * 256},
        {"fa4_sm90_bwd", "h100_sxm", 96, 96, 10.0 * 64 * 128 * 96},
        {"fa4_sm90_bwd", "h100_sxm", 192, 128, 64.0 * 96 * (6 * 192 + 4 * 128)},
        {"fa4_sm90_bwd", "h100_sxm", 256, 256, 10.0 * 64 * 64 * 256},
        {"fa2_bwd", "a100_sxm", 64, 64, 10 * tile * 64},
        {"fa2_bwd", "b200", 128, 128, 10.0 * 64 * 128 * 128},
        {"fa2_bwd", "h200", 256, 256, 10.0 * 64 * 64 * 256},
    };
    for (const Work& work : works) {
        INFO(work.kernel << " " << work.d_qk << ":" << work.d_v);
        const auto plan =
            plan_of(work.kernel, work.gpu, problem(work.d_qk, work.d_v, MaskKind::full));
        REQUIRE(plan);
        for (const std::int64_t blocks : {1, 2, 5}) {
            const auto schedule =
                simulate(*plan, {{{blocks, 0, 0}, 1}}, idle_memory(gpu(work.gpu)));
            REQUIRE(schedule);
            CHECK(static_cast<double>(schedule->flops) ==
                  doctest::Approx(work.flops * static_cast<double>(blocks)));
        }
    }
}

TEST_CASE("head dim 256 executes seven products where five are counted, and shows both") {
    const AttentionProblem attention = problem(256, 256, MaskKind::full, 8192);
    double counted = 0.0;
    double executed = 0.0;
    for (const char* kernel : {"fa4_bwd_hd256_dq", "fa4_bwd_hd256_dkv"}) {
        const auto plan = plan_of(kernel, "b200", attention);
        const auto prediction = predict(gpu("b200"), plan.value(), attention);
        REQUIRE(prediction);
        CHECK(prediction->executed_flops / prediction->counted_flops == doctest::Approx(7.0 / 5));
        counted += prediction->counted_flops;
        executed += prediction->executed_flops;
    }
    CHECK(counted == doctest::Approx(counted_flops(attention)));
    CHECK(executed == doctest::Approx(1.4 * counted));
}

TEST_CASE("fa4_bwd asks of each unit what the paper's backward roofline says") {
    for (const bool pair : {false, true}) {
        INFO((pair ? "CTA pair" : "one CTA"));
        const auto plan = plan_of("fa4_bwd", "b200", problem(128, 128, MaskKind::full),
                                  {{"pair", pair ? "1" : "0"}});
        REQUIRE(plan);
        const BackwardCycles table = backward_table({128, 128, 128, pair});
        CHECK(steady_cycles(*plan, gpu("b200"), Unit::tensor) == table.mma);
        CHECK(steady_cycles(*plan, gpu("b200"), Unit::xu) == table.exponentials);
        // The paper leaves out the row statistics that every warp reads for its 64 queries: two
        // values each, four to an instruction of two port cycles. And it counts the half of dS
        // that a pair exchanges twice, among all of dS and as staged; the kernel writes it once.
        const double statistics = 8 * 2 * (64 / 4) * 2;
        const double staged_twice = pair ? 128.0 * 64 * 2 / 128 : 0.0;
        CHECK(steady_cycles(*plan, gpu("b200"), Unit::smem) ==
              table.smem() + statistics - staged_twice);
    }
}

TEST_CASE("fa4_bwd chooses pairs, stages and staging as the kernel's dispatch does") {
    struct Choice {
        std::int64_t d_qk, d_v;
        MaskKind mask;
        bool deterministic;
        int ctas, q_stages, chunk, in_flight, reduce, compute;
    };
    const std::vector<Choice> choices = {
        {64, 64, MaskKind::full, false, 1, 2, 32, 2, 152, 136},
        {96, 96, MaskKind::causal, false, 1, 2, 32, 2, 136, 144},
        {96, 96, MaskKind::causal, true, 1, 2, 32, 2, 152, 136},
        {128, 128, MaskKind::full, false, 2, 1, 8, 4, 136, 136},
        {128, 128, MaskKind::causal, true, 2, 1, 16, 2, 136, 136},
        {192, 128, MaskKind::full, false, 2, 1, 24, 2, 136, 136},
        {192, 128, MaskKind::causal, false, 2, 1, 32, 1, 136, 136},
    };
    for (const Choice& choice : choices) {
        INFO(choice.d_qk << ":" << choice.d_v);
        AttentionProblem attention = problem(choice.d_qk, choice.d_v, choice.mask);
        attention.deterministic = choice.deterministic;
        const auto plan = plan_of("fa4_bwd", "b200", attention);
        REQUIRE(plan);
        CHECK(plan->cluster == choice.ctas);
        CHECK(plan->parameters.at("q_stages") == choice.q_stages);
        CHECK(plan->parameters.at("chunk") == choice.chunk);
        CHECK(plan->parameters.at("chunks_in_flight") == choice.in_flight);
        CHECK(plan->parameters.at("reduce_registers") == choice.reduce);
        CHECK(plan->parameters.at("compute_registers") == choice.compute);
    }
}

TEST_CASE("what no backward kernel takes is refused with a reason") {
    for (const auto& [d, word] : std::vector<std::pair<std::int64_t, std::string>>{
             {80, "32 columns"}, {256, "256"}, {100, "multiples of 8"}}) {
        const auto plan = plan_of("fa4_bwd", "b200", problem(d, d, MaskKind::full));
        INFO("head dim " << d);
        REQUIRE_FALSE(plan);
        CHECK(plan.error().kind == FailureKind::infeasible);
        CHECK(plan.error().text().find(word) != std::string::npos);
    }
    CHECK_FALSE(plan_of("fa4_bwd", "h200", problem(128, 128, MaskKind::full)));
    CHECK_FALSE(plan_of("fa3_bwd", "b200", problem(128, 128, MaskKind::full)));
    CHECK_FALSE(plan_of("fa3_bwd", "h200", problem(264, 264, MaskKind::full)));
}

TEST_CASE("a pair is faster than one CTA, by less than its shared-memory time alone would allow") {
    const AttentionProblem attention = problem(128, 128, MaskKind::full, 8192);
    const auto step = [&](const char* pair) {
        const auto plan = plan_of("fa4_bwd", "b200", attention, {{"pair", pair}});
        return predict(gpu("b200"), plan.value(), attention).value().steady.simulated;
    };
    const double ratio = step("0") / step("1");
    CHECK(ratio > 1.05);
    CHECK(ratio < 1.40);
}

TEST_CASE("causal tiles execute 1 + 256/S of the counted work in pairs, 1 + 128/S alone") {
    for (const std::int64_t length : {1024, 8192}) {
        for (const auto& [d, waste] : {std::pair{64, 128.0}, {128, 256.0}}) {
            const AttentionProblem attention = problem(d, d, MaskKind::causal, length);
            const auto plan = plan_of("fa4_bwd", "b200", attention);
            const auto prediction = predict(gpu("b200"), plan.value(), attention);
            REQUIRE(prediction);
            CHECK(prediction->executed_flops / prediction->counted_flops ==
                  doctest::Approx(1.0 + waste / static_cast<double>(length)));
        }
    }
}

TEST_CASE("masks cost instructions on every block under a causal mask, on masked blocks else") {
    const auto issued = [](MaskKind mask) {
        const auto plan = plan_of("fa4_bwd", "b200", problem(64, 64, mask));
        return steady_cycles(plan.value(), gpu("b200"), Unit::issue);
    };
    // 64 selects, 8 R2P and some 15 shifts and logic for each of a sub-partition's two warps.
    CHECK(issued(MaskKind::causal) - issued(MaskKind::full) ==
          doctest::Approx(2 * 85).epsilon(0.05));
    CHECK(issued(MaskKind::sliding_window) > issued(MaskKind::causal));
    const auto plan = plan_of("fa4_bwd", "b200", problem(64, 64, MaskKind::full)).value();
    const auto time = [&](std::int64_t masked) {
        return simulate(plan, {{{8, masked, 0}, 1}}, idle_memory(gpu("b200"))).value().makespan;
    };
    CHECK(time(8) > time(0));
}

TEST_CASE("every shape of problem predicts: ragged, unequal lengths, grouped heads, windows") {
    for (const Kernel& kernel : kernels()) {
        const std::string& id = kernel.gpus.front();
        const auto [d_qk, d_v] = kernel.head_dims.back();
        for (const MaskKind mask : {MaskKind::full, MaskKind::causal, MaskKind::sliding_window}) {
            if (mask == MaskKind::sliding_window && d_qk == 256 && kernel.name[2] == '4') {
                continue;  // not a choice of the kernels of this head dim
            }
            AttentionProblem attention = problem(d_qk, d_v, mask);
            attention.seqlen_q = 1000;
            attention.seqlen_kv = 1500;
            attention.heads_kv = 4;
            INFO(kernel.name << " mask " << static_cast<int>(mask));
            const auto plan = plan_of(kernel.name, id, attention);
            REQUIRE_MESSAGE(plan, plan.error().text());
            const auto prediction = predict(gpu(id), *plan, attention);
            REQUIRE_MESSAGE(prediction, prediction.error().text());
            CHECK(prediction->executed_flops > 0.0);
            CHECK(prediction->steady.roofline <= prediction->steady.recurrence + 1e-6);
            CHECK(prediction->steady.recurrence <= prediction->steady.simulated + 1e-6);
        }
    }
}
