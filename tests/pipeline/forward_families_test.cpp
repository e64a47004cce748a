// The forward kernels of FlashAttention-2, -3 and -4 for the GPUs before Blackwell: their choices,
// that they run wherever they may, and what their designs are worth. Figures: flash-attention
// 0251105a (hopper/tile_size.h, flash_attn/cute/interface.py, csrc/flash_attn).
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

AttentionProblem problem(std::int64_t d_qk, std::int64_t d_v, MaskKind mask,
                         DType dtype = DType::bf16) {
    AttentionProblem attention;
    attention.batch = 2;
    attention.heads_q = attention.heads_kv = 16;
    attention.seqlen_q = attention.seqlen_kv = 8448;
    attention.head_dim_qk = d_qk;
    attention.head_dim_v = d_v;
    attention.mask = {mask, mask == MaskKind::sliding_window ? 1024 : 0};
    attention.dtype = dtype;
    return attention;
}

KernelPlan plan_of(const std::string& kernel, const std::string& id,
                   const AttentionProblem& attention,
                   const std::vector<ParameterOverride>& set = {}) {
    Result<KernelPlan> plan = load_plan(data_dir, kernel, gpu(id), attention, set);
    REQUIRE_MESSAGE(plan, plan.error().text());
    return std::move(*plan);
}

/// Cycles that one more step of a long tile takes.
double step_cycles(const KernelPlan& plan, const std::string& id) {
    constexpr std::int64_t steps = 64;
    const auto time = [&](std::int64_t blocks) {
        const auto schedule = simulate(plan, {{{blocks, 1, 0}, 1}}, idle_memory(gpu(id)), {});
        REQUIRE_MESSAGE(schedule, schedule.error().text());
        return static_cast<double>(schedule->makespan);
    };
    return (time(16 + steps) - time(16)) / steps / ticks_per_cycle;
}

struct Kernel {
    std::string id;
    std::vector<std::string> gpus;
    DType dtype = DType::bf16;
};

const std::vector<Kernel>& kernels() {
    static const std::vector<Kernel> all = {
        {"fa2_fwd", {"a100_sxm", "h100_sxm", "h200", "b200"}},
        {"fa3_fwd", {"h100_sxm", "h200"}},
        {"fa3_fwd", {"h100_sxm", "h200"}, DType::fp8},
        {"fa4_sm90_fwd", {"h100_sxm", "h200"}},
    };
    return all;
}

struct Tiles {
    std::int64_t d_qk, d_v;
    MaskKind mask;
    double tile_m, tile_kv;
    int cluster;
    DType dtype = DType::bf16;
};

void check_tiles(const std::string& kernel, const std::vector<Tiles>& expected) {
    for (const Tiles& tiles : expected) {
        INFO(kernel << " " << tiles.d_qk << ":" << tiles.d_v << " mask "
                    << static_cast<int>(tiles.mask));
        const KernelPlan plan =
            plan_of(kernel, "h100_sxm", problem(tiles.d_qk, tiles.d_v, tiles.mask, tiles.dtype));
        CHECK(plan.parameters.at("tile_m") == tiles.tile_m);
        CHECK(plan.parameters.at("tile_kv") == tiles.tile_kv);
        CHECK(plan.cluster == tiles.cluster);
        for (const Budget& budget : plan.budgets) {
            CHECK(budget.used <= budget.limit);
        }
    }
}

constexpr MaskKind full = MaskKind::full;
constexpr MaskKind causal = MaskKind::causal;
constexpr MaskKind window = MaskKind::sliding_window;

}  // namespace

TEST_CASE("a wgmma is queued as the GPU says, an mma.sync waits in its warp") {
    const AttentionProblem attention = problem(128, 128, MaskKind::full);
    for (const char* const id : {"h200", "b200"}) {
        CHECK(plan_of("fa2_fwd", id, attention).machine.tensor_queue_depth == 1);
    }
    const int queued = gpu("h200").tensor_queue_depth;
    CHECK(queued > 1);
    CHECK(plan_of("fa3_fwd", "h200", attention).machine.tensor_queue_depth == queued);
}

TEST_CASE("as PyTorch builds FlashAttention-2, an exponential takes four instructions more") {
    const AttentionProblem attention = problem(128, 128, MaskKind::full);
    const auto instructions = [&](double fast_math) {
        const KernelPlan plan =
            plan_of("fa2_fwd", "h200", attention, {{"fast_math", std::to_string(fast_math)}});
        std::int64_t count = 0;
        for (const Op& op : plan.roles.front().program) {
            if (const auto* issue = std::get_if<IssueOp>(&op.body);
                issue != nullptr && op.label == "exponentials") {
                for (const IssuePart& part : issue->parts) {
                    count += part.count;
                }
            }
        }
        return count;
    };
    constexpr std::int64_t scores = 128 * 64 / 128;  // of a thread: a tile of 128 x 64 on 128
    CHECK(instructions(1) == 3 * scores);
    CHECK(instructions(0) == 7 * scores);
}

TEST_CASE("fa3_fwd chooses tiles and clusters as the kernel's dispatch does") {
    check_tiles("fa3_fwd", {{64, 64, full, 192, 192, 1},
                            {64, 64, causal, 192, 128, 1},
                            {80, 80, full, 192, 144, 1},
                            {96, 96, window, 192, 128, 1},
                            {128, 128, full, 128, 176, 2},
                            {128, 128, causal, 128, 128, 1},
                            {192, 192, full, 128, 112, 2},
                            {192, 128, causal, 128, 128, 1},
                            {192, 128, window, 128, 96, 1},
                            {256, 256, full, 128, 80, 2},
                            {256, 256, window, 128, 64, 1},
                            {64, 64, full, 192, 160, 1, DType::fp8},
                            {128, 128, causal, 128, 224, 1, DType::fp8},
                            {192, 192, full, 128, 160, 2, DType::fp8},
                            {256, 256, full, 128, 128, 1, DType::fp8}});
}

TEST_CASE("fa4_sm90_fwd and fa2_fwd choose tiles as their dispatch does") {
    check_tiles("fa4_sm90_fwd", {{64, 64, full, 192, 128, 1},
                                 {96, 96, full, 192, 144, 1},
                                 {96, 96, causal, 192, 128, 1},
                                 {128, 128, full, 128, 128, 1},
                                 {192, 128, full, 128, 128, 1},
                                 {192, 192, causal, 128, 112, 1},
                                 {256, 256, full, 128, 80, 1}});
    check_tiles("fa2_fwd", {{32, 32, full, 128, 128, 1},
                            {64, 64, full, 128, 128, 1},
                            {96, 96, full, 128, 64, 1},
                            {128, 128, causal, 128, 64, 1},
                            {192, 192, full, 128, 64, 1},
                            {256, 256, full, 64, 64, 1}});
    CHECK(plan_of("fa2_fwd", "h100_sxm", problem(128, 128, full)).ctas_per_sm == 2);
    CHECK(plan_of("fa2_fwd", "h100_sxm", problem(192, 192, full)).ctas_per_sm == 1);
    CHECK(plan_of("fa2_fwd", "h100_sxm", problem(256, 256, full)).ctas_per_sm == 2);
    const KernelPlan ampere = plan_of("fa2_fwd", "a100_sxm", problem(256, 256, full));
    CHECK(ampere.ctas_per_sm == 1);
    CHECK(ampere.parameters.at("tile_m") == 128);
}

TEST_CASE("every kernel runs on each of its GPUs: head dims 64, 128 and an odd one, all masks") {
    EngineOptions quick;
    quick.granularity = 8;
    for (const Kernel& kernel : kernels()) {
        for (const std::string& id : kernel.gpus) {
            for (const std::int64_t d : {64, 80, 128}) {
                for (const MaskKind mask : {full, causal, window}) {
                    INFO(kernel.id << " on " << id << ", head dim " << d << ", mask "
                                   << static_cast<int>(mask));
                    const KernelPlan plan =
                        plan_of(kernel.id, id, problem(d, d, mask, kernel.dtype));
                    const MemoryEnvironment memory = idle_memory(gpu(id));
                    Tick before = 0;
                    for (const std::int64_t blocks : {0, 1, 2, 3, 9}) {
                        INFO(blocks << " blocks");
                        const TileClass tile{blocks, std::min<std::int64_t>(blocks, 2), 0};
                        const auto schedule = simulate(plan, {{tile, 2}}, memory, quick);
                        REQUIRE_MESSAGE(schedule, schedule.error().text());
                        CHECK(schedule->makespan > before);
                        CHECK(roofline(plan, {{tile, 2}}, memory).ticks <=
                              static_cast<double>(schedule->makespan));
                        before = schedule->makespan;
                    }
                    const TileRun none{{0, 0, 0}, 1};
                    const auto mixed =
                        simulate(plan, {none, {{3, 2, 1}, 2}, none, {{1, 1, 0}, 1}}, memory, quick);
                    CHECK_MESSAGE(mixed, mixed.error().text());
                }
            }
        }
    }
}

TEST_CASE("the three answers are in order for every kernel") {
    for (const Kernel& kernel : kernels()) {
        INFO(kernel.id << " " << static_cast<int>(kernel.dtype));
        const AttentionProblem attention = problem(128, 128, full, kernel.dtype);
        const std::string& id = kernel.gpus.front();
        const KernelPlan plan = plan_of(kernel.id, id, attention);
        const auto bound = recurrence_bound(plan, idle_memory(gpu(id)));
        REQUIRE_MESSAGE(bound, bound.error().text());
        CHECK(steady_roofline(plan, idle_memory(gpu(id))).ticks <= bound->ticks_per_block);
        CHECK(bound->ticks_per_block / ticks_per_cycle <= step_cycles(plan, id));
    }
}

TEST_CASE("fa3_fwd loses time without its pipelining, and more without its producer warp") {
    const AttentionProblem attention = problem(128, 128, full);
    const auto cycles = [&](const std::vector<ParameterOverride>& set) {
        return step_cycles(plan_of("fa3_fwd", "h100_sxm", attention, set), "h100_sxm");
    };
    const double as_shipped = cycles({});
    CHECK(cycles({{"pipelined", "0"}}) > 1.02 * as_shipped);
    CHECK(cycles({{"warp_specialized", "0"}}) > 1.02 * as_shipped);
}

TEST_CASE("softmax beside a wgmma costs fa3_fwd time, and nothing when the mechanism is off") {
    const KernelPlan plan = plan_of("fa3_fwd", "h100_sxm", problem(128, 128, full));
    const auto time = [&](bool ideal) {
        EngineOptions options;
        if (ideal) {
            options.ideal = {Mechanism::register_contention};
        }
        return simulate(plan, {{{32, 1, 0}, 1}}, idle_memory(gpu("h100_sxm")), options)->makespan;
    };
    CHECK(static_cast<double>(time(false)) > 1.05 * static_cast<double>(time(true)));
}

TEST_CASE("kernels say what they do not take") {
    struct Refusal {
        std::string kernel, id;
        AttentionProblem attention;
        std::string words;
    };
    const std::vector<Refusal> refusals = {
        {"fa3_fwd", "h100_sxm", problem(264, 264, full), "at most 256"},
        {"fa3_fwd", "h100_sxm", problem(100, 100, full), "multiples of 16 bytes"},
        {"fa3_fwd", "h100_sxm", problem(64, 128, full), "may not exceed"},
        {"fa3_fwd", "b200", problem(128, 128, full), "wgmma"},
        {"fa4_sm90_fwd", "h100_sxm", problem(128, 128, full, DType::fp8),
         "multiplies bf16, fp16, not fp8"},
        {"fa4_sm90_fwd", "a100_sxm", problem(128, 128, full), "wgmma"},
        {"fa2_fwd", "a100_sxm", problem(128, 64, full), "equal head dims"},
        {"fa2_fwd", "a100_sxm", problem(128, 128, full, DType::fp8),
         "multiplies bf16, fp16, not fp8"},
    };
    for (const Refusal& refusal : refusals) {
        INFO(refusal.kernel << " on " << refusal.id << ": " << refusal.words);
        const auto plan = load_plan(data_dir, refusal.kernel, gpu(refusal.id), refusal.attention);
        REQUIRE_FALSE(plan);
        CHECK(plan.error().kind == FailureKind::infeasible);
        CHECK(plan.error().text().find(refusal.words) != std::string::npos);
    }
}

TEST_CASE("queries of a group share a tile where the kernel packs them") {
    AttentionProblem attention = problem(128, 128, causal);
    attention.heads_kv = 4;
    attention.seqlen_q = 16;
    for (const char* kernel : {"fa3_fwd", "fa4_sm90_fwd"}) {
        const KernelPlan plan = plan_of(kernel, "h200", attention);
        INFO(kernel);
        CHECK(plan.tiles.pack_gqa);
        CHECK(simulate(plan, {{{6, 1, 0}, 2}}, idle_memory(gpu("h200")), {}));
    }
    CHECK_FALSE(plan_of("fa2_fwd", "h200", attention).tiles.pack_gqa);
    attention.seqlen_q = 1;
    CHECK(plan_of("fa2_fwd", "h200", attention).tiles.pack_gqa);
}
