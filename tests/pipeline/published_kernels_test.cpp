// Kernels that others published: FlashAttention-1, cuDNN, Triton's tutorial and AVO. That they run
// wherever they may, that they execute what their sources say, and what their choices are worth.
#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::gpu;

namespace {

const std::string data_dir = source_dir();
constexpr MaskKind full = MaskKind::full;
constexpr MaskKind causal = MaskKind::causal;

struct Kernel {
    std::string id;
    std::vector<std::string> gpus;
    Direction direction = Direction::forward;
};

const std::vector<Kernel>& kernels() {
    static const std::vector<Kernel> all = {
        {"fa1_fwd", {"a100_sxm"}},
        {"avo_fwd", {"b200"}},
        {"cudnn_fwd", {"b200", "gb200", "gb300"}},
        {"cudnn_sm90_fwd", {"h200"}},
        {"cudnn_bwd", {"b200", "gb200", "gb300"}, Direction::backward},
        {"cudnn_sm90_bwd", {"h200"}, Direction::backward},
        {"triton_fwd", {"b200"}},
        {"triton_sm90_fwd", {"h200"}},
    };
    return all;
}

AttentionProblem problem(std::int64_t d, MaskKind mask, std::int64_t seqlen = 4096,
                         Direction direction = Direction::forward) {
    AttentionProblem attention;
    attention.batch = 32768 / seqlen;
    attention.heads_q = attention.heads_kv = 16;
    attention.seqlen_q = attention.seqlen_kv = seqlen;
    attention.head_dim_qk = attention.head_dim_v = d;
    attention.mask.kind = mask;
    attention.direction = direction;
    return attention;
}

using Set = std::vector<ParameterOverride>;

KernelPlan plan_of(const std::string& kernel, const std::string& id,
                   const AttentionProblem& attention, const Set& set = {}) {
    Result<KernelPlan> plan = load_plan(data_dir, kernel, gpu(id), attention, set);
    REQUIRE_MESSAGE(plan, plan.error().text());
    return std::move(*plan);
}

double seconds_of(const std::string& kernel, const std::string& id,
                  const AttentionProblem& attention, const Set& set = {}) {
    const auto prediction =
        predict(gpu(id), plan_of(kernel, id, attention, set), attention, PredictOptions{});
    REQUIRE_MESSAGE(prediction, prediction.error().text());
    return prediction->seconds;
}

/// Cycles that a step asks of a unit.
double asked(const std::string& kernel, const std::string& id, const AttentionProblem& attention,
             Unit unit) {
    const Roofline steady = steady_roofline(plan_of(kernel, id, attention), idle_memory(gpu(id)));
    return steady.demand.at(static_cast<std::size_t>(unit)).ticks / ticks_per_cycle;
}

void check_tiles(const KernelPlan& plan, const std::string& id) {
    EngineOptions quick;
    quick.granularity = 8;
    const MemoryEnvironment memory = idle_memory(gpu(id));
    Tick before = 0;
    for (const std::int64_t blocks : {0, 1, 2, 3, 9}) {
        INFO(blocks << " blocks");
        const TileClass tile{blocks, std::min<std::int64_t>(blocks, 2), 0};
        const auto schedule = simulate(plan, {{tile, 2}}, memory, quick);
        REQUIRE_MESSAGE(schedule, schedule.error().text());
        CHECK(schedule->makespan >= before);
        CHECK(roofline(plan, {{tile, 2}}, memory).ticks <= static_cast<double>(schedule->makespan));
        before = schedule->makespan;
    }
    const TileRun none{{0, 0, 0}, 1};
    CHECK(simulate(plan, {none, {{3, 2, 1}, 2}, none, {{1, 1, 0}, 1}}, memory, quick));
}

}  // namespace

TEST_CASE("published kernels run on each of their GPUs: head dims 64, 128 and an odd one") {
    for (const Kernel& kernel : kernels()) {
        for (const std::string& id : kernel.gpus) {
            for (const std::int64_t d : {64, 88, 128}) {
                for (const MaskKind mask : {full, causal}) {
                    INFO(kernel.id << " on " << id << ", head dim " << d << ", mask "
                                   << static_cast<int>(mask));
                    check_tiles(plan_of(kernel.id, id, problem(d, mask, 1024, kernel.direction)),
                                id);
                }
            }
        }
    }
}

TEST_CASE("a window slides over the kernels that take one, and the others refuse it") {
    AttentionProblem attention = problem(128, MaskKind::sliding_window, 2048);
    attention.mask.window = 512;
    for (const char* kernel : {"avo_fwd", "cudnn_fwd"}) {
        INFO(kernel);
        check_tiles(plan_of(kernel, "b200", attention), "b200");
    }
    check_tiles(plan_of("cudnn_sm90_fwd", "h200", attention), "h200");
    for (const auto& [kernel, id] : std::vector<std::pair<std::string, std::string>>{
             {"fa1_fwd", "a100_sxm"}, {"triton_fwd", "b200"}, {"triton_sm90_fwd", "h200"}}) {
        INFO(kernel);
        const auto plan = load_plan(data_dir, kernel, gpu(id), attention);
        REQUIRE_FALSE(plan);
        CHECK(plan.error().kind == FailureKind::infeasible);
        CHECK(plan.error().text().find("window") != std::string::npos);
    }
}

TEST_CASE("the three answers are in order for published kernels") {
    for (const Kernel& kernel : kernels()) {
        INFO(kernel.id);
        const std::string& id = kernel.gpus.front();
        const AttentionProblem attention = problem(128, full, 4096, kernel.direction);
        const auto prediction =
            predict(gpu(id), plan_of(kernel.id, id, attention), attention, PredictOptions{});
        REQUIRE_MESSAGE(prediction, prediction.error().text());
        const SteadyAnswers& steady = prediction->steady;
        CHECK(steady.roofline <= steady.recurrence * (1.0 + 1e-9));
        CHECK(steady.recurrence <= steady.simulated * (1.0 + 1e-9));
    }
}

TEST_CASE("published kernels execute the products and exponentials of their tiles") {
    struct Work {
        std::string kernel, gpu;
        MaskKind mask;
        double tensor, exponentials;  // cycles a step
    };
    // Tensor: 4 * rows * block * d over the FLOPs a clock: 8192 on Blackwell, 4096 on Hopper, 2048
    // on Ampere. MUFU: an exponential a score less the emulated ones, and the factors, at 16 a
    // clock; four sub-partitions.
    const std::vector<Work> all = {
        {"avo_fwd", "b200", causal, 2048, 2 * 8 * (128 - 24 + 1)},
        {"avo_fwd", "b200", full, 2048, 2 * 8 * (128 - 16 + 1)},
        {"cudnn_fwd", "b200", causal, 2048, 2 * 8 * (128 + 1)},
        {"cudnn_fwd", "gb300", full, 2048, 2 * 4 * (128 + 1)},
        {"cudnn_sm90_fwd", "h200", full, 2048, 2 * 8 * (64 + 2)},
        {"triton_fwd", "b200", full, 1024, 2 * 8 * (64 + 1)},  // half a row a thread, eight warps
        {"triton_sm90_fwd", "h200", full, 2048, 2 * 8 * (64 + 2)},
        // 32 blocks of 128 keys a step of 16 queries, two CTAs; 16 scores a thread and two factors,
        // a logarithm and a reciprocal
        {"fa1_fwd", "a100_sxm", full, 2 * 32 * 512, 2 * 32 * 8 * (16 + 4)},
    };
    for (const Work& work : all) {
        INFO(work.kernel << " on " << work.gpu);
        const AttentionProblem attention = problem(128, work.mask);
        CHECK(asked(work.kernel, work.gpu, attention, Unit::tensor) == work.tensor);
        CHECK(asked(work.kernel, work.gpu, attention, Unit::xu) == work.exponentials);
    }
}

TEST_CASE("executed work of whole problems is counted work and what masks waste") {
    const auto executed = [](const std::string& kernel, const std::string& id,
                             const AttentionProblem& attention) {
        const auto prediction =
            predict(gpu(id), plan_of(kernel, id, attention), attention, PredictOptions{});
        REQUIRE_MESSAGE(prediction, prediction.error().text());
        return prediction->executed_flops / prediction->counted_flops;
    };
    const double s = 4096;
    CHECK(executed("cudnn_fwd", "b200", problem(128, full)) == doctest::Approx(1.0));
    CHECK(executed("cudnn_fwd", "b200", problem(128, causal)) == doctest::Approx(1 + 256 / s));
    CHECK(executed("triton_fwd", "b200", problem(128, causal)) == doctest::Approx(1 + 128 / s));
    CHECK(executed("triton_sm90_fwd", "h200", problem(128, causal)) ==
          doctest::Approx(1 + 128 / s));
    CHECK(executed("fa1_fwd", "a100_sxm", problem(128, full)) == doctest::Approx(1.0));
    CHECK(executed("fa1_fwd", "a100_sxm", problem(128, causal)) == doctest::Approx(1 + 128 / s));
}

TEST_CASE("AVO's published changes: what each is worth in its own kernel") {
    const AttentionProblem attention = problem(128, causal);
    const double as_published = seconds_of("avo_fwd", "b200", attention);
    const auto with = [&](const Set& set) { return seconds_of("avo_fwd", "b200", attention, set); };
    CHECK(with({{"lighter_fence", "0"}}) > as_published);
    CHECK(with({{"early_normalise", "0"}}) > as_published);
    // 80 registers a correction thread spill eight
    CHECK(with({{"softmax_registers", "192"}, {"correction_registers", "80"}}) > as_published);
    // Without a branch O is rescaled every time: better than a branch that is taken most times,
    // which narrow pieces make slow, worse than one that is never taken.
    CHECK(with({{"branch_free_rescale", "0"},
                {"rescale_on_any_rise", "1"},
                {"correction_columns", "16"}}) > as_published);
    CHECK(with({{"branch_free_rescale", "0"}}) < as_published);
}

TEST_CASE("cuDNN's choices against FlashAttention-4's") {
    const AttentionProblem attention = problem(128, causal, 8192);
    const double as_published = seconds_of("cudnn_fwd", "b200", attention);
    const auto with = [&](const Set& set) {
        return seconds_of("cudnn_fwd", "b200", attention, set);
    };
    CHECK(with({{"rescale_on_any_rise", "0"}}) < as_published);  // it has no threshold
    CHECK(with({{"sum_chains", "4"}}) < 1.001 * as_published);
    CHECK(with({{"persistent", "0"}}) > as_published);
    const double other = seconds_of("fa4_fwd", "b200", attention);
    CHECK(as_published > 0.8 * other);
    CHECK(as_published < 1.3 * other);
}

TEST_CASE("what makes Triton's tutorial slower than FlashAttention-4") {
    for (const std::int64_t seqlen : {1024, 8192}) {
        INFO(seqlen << " tokens");
        const AttentionProblem attention = problem(128, full, seqlen);
        const double tutorial = seconds_of("triton_fwd", "b200", attention);
        CHECK(tutorial > 2.0 * seconds_of("fa4_fwd", "b200", attention));
        CHECK(tutorial < 3.2 * seconds_of("fa4_fwd", "b200", attention));
        const auto with = [&](const Set& set) {
            return seconds_of("triton_fwd", "b200", attention, set);
        };
        // Without the second buffer of S two CTAs fit, and each fills the other's gaps.
        CHECK(plan_of("triton_fwd", "b200", attention).ctas_per_sm == 1);
        CHECK(with({{"s_stages", "1"}, {"tile_kv", "64"}, {"warps", "4"}}) < 0.85 * tutorial);
        CHECK(with({{"qk_ahead", "1"}}) < 0.85 * tutorial);
        CHECK(with({{"reduction_chains", "4"}}) < tutorial);
        CHECK(with({{"always_rescale", "0"}}) < 0.92 * tutorial);
        CHECK(with({{"packed", "1"}}) < tutorial);
        CHECK(with({{"emulated", "16"}}) < tutorial);
        CHECK(with({{"persistent", "1"}}) < tutorial);
    }
    const AttentionProblem attention = problem(128, full);
    const double hopper = seconds_of("triton_sm90_fwd", "h200", attention);
    CHECK(seconds_of("triton_sm90_fwd", "h200", attention, {{"overlapped_pv", "0"}}) > hopper);
    CHECK(seconds_of("triton_sm90_fwd", "h200", attention, {{"always_rescale", "0"}}) < hopper);
}

TEST_CASE("FlashAttention-1 moves O through memory where FlashAttention-2 keeps it") {
    const AttentionProblem attention = problem(128, full, 2048);
    const auto of = [&](const std::string& kernel) {
        const auto prediction = predict(gpu("a100_sxm"), plan_of(kernel, "a100_sxm", attention),
                                        attention, PredictOptions{});
        REQUIRE_MESSAGE(prediction, prediction.error().text());
        return *prediction;
    };
    const Prediction first = of("fa1_fwd");
    const Prediction second = of("fa2_fwd");
    CHECK(first.seconds > 1.5 * second.seconds);
    // Each of 16 blocks of keys reads Q, all but the first read O and all but the last write it as
    // fp32, the last as 16 bits; K and V once.
    const double rows = 16.0 * 16 * 2048;
    const double expected = rows * 128 * (16 * 2 + 15 * 4 + 15 * 4 + 2 + 2 * 2);
    CHECK(first.waves.l2_bytes == doctest::Approx(expected).epsilon(0.01));
    // A CTA a head: with half the heads of a full GPU, half the GPU works.
    CHECK(seconds_of("fa1_fwd", "a100_sxm", problem(128, full, 8192)) >
          4.0 * seconds_of("fa2_fwd", "a100_sxm", problem(128, full, 8192)));
}
