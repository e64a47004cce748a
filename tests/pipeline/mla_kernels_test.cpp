// Absorbed multi-head latent attention: head dims 576 and 512 with V inside K.
#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::gpu;

namespace {

const std::string data_dir = source_dir();

AttentionProblem latent(std::int64_t batch, std::int64_t queries, std::int64_t keys,
                        std::int64_t heads = 128) {
    AttentionProblem p;
    p.batch = batch;
    p.heads_q = heads;
    p.heads_kv = 1;
    p.seqlen_q = queries;
    p.seqlen_kv = keys;
    p.head_dim_qk = 576;
    p.head_dim_v = 512;
    return p;
}

struct Kernel {
    std::string id, gpu;
};

const std::vector<Kernel>& kernels() {
    static const std::vector<Kernel> all = {{"mla_absorbed_fwd", "b200"},
                                            {"mla_absorbed_fwd", "gb300"},
                                            {"mla_decode", "b200"},
                                            {"mla_decode", "b300"},
                                            {"mla_absorbed_sm90_fwd", "h100_sxm"},
                                            {"mla_absorbed_sm90_fwd", "h200"},
                                            {"mla_decode_sm90", "h100_sxm"},
                                            {"mla_decode_sm90", "h200"}};
    return all;
}

using Overrides = std::vector<ParameterOverride>;

Result<KernelPlan> plan_of(const Kernel& kernel, const AttentionProblem& problem,
                           const Overrides& set = {}) {
    return load_plan(data_dir, kernel.id, gpu(kernel.gpu), problem, set);
}

Prediction predicted(const Kernel& kernel, const AttentionProblem& problem,
                     const Overrides& set = {}) {
    const auto source = read_pipeline(data_dir, kernel.id);
    const auto operation = make_operation(source.value(), gpu(kernel.gpu), problem, set);
    REQUIRE_MESSAGE(operation, operation.error().text());
    PredictOptions quick;
    quick.granularity = 4;
    auto prediction = predict_operation(gpu(kernel.gpu), *operation, problem, quick);
    REQUIRE_MESSAGE(prediction, prediction.error().text());
    return std::move(*prediction);
}

}  // namespace

TEST_CASE("the latent is read from HBM once, as keys and values together") {
    for (const Kernel& kernel : kernels()) {
        INFO(kernel.id << " on " << kernel.gpu);
        const AttentionProblem problem = latent(2, 1, 16'384);
        const Prediction prediction = predicted(kernel, problem);
        const double splits = prediction.plan.parameters.at("num_splits");
        const double cache = 2.0 * 16'384 * 576 * 2;
        const double rows = 2.0 * 128;
        const double results = splits > 1 ? splits * rows * (4 * 512 + 4) : rows * 512 * 2;
        CHECK(prediction.waves.hbm_bytes >= cache + rows * 576 * 2 + results - 1.0);
        CHECK(prediction.waves.hbm_bytes <= 1.01 * (cache + rows * 576 * 2 + results));
    }
}

TEST_CASE("with few heads the latent's bytes are the bound, with 128 it is not they alone") {
    for (const Kernel& kernel : {Kernel{"mla_decode", "b200"}, Kernel{"mla_decode_sm90", "h200"}}) {
        INFO(kernel.id);
        const Prediction few = predicted(kernel, latent(64, 1, 65'536, 16));
        const double rate = gpu(kernel.gpu).memory.hbm_bytes_per_second;
        const double at_least = few.waves.hbm_bytes / rate;
        CHECK(few.seconds > at_least);
        // Tiles hold 128 rows (64 on Hopper) whether or not there are so many: no faster than
        // those.
        CHECK(few.utilization > 0.2);
        const Prediction many = predicted(kernel, latent(64, 1, 65'536));
        CHECK(many.tflops > 1.8 * few.tflops);
        CHECK(many.utilization > 0.3);
    }
}

TEST_CASE("FlashAttention-4's frame fits with 64 rows and one stage, and not otherwise") {
    const AttentionProblem problem = latent(1, 4096, 4096);
    const auto why = [&](const Overrides& set) {
        const auto plan = plan_of({"mla_absorbed_fwd", "b200"}, problem, set);
        return plan ? std::string{} : plan.error().text();
    };
    CHECK(why({}).empty());
    CHECK(why({{"pair", "0"}}).empty());
    // O of 128 rows is all of tensor memory, and Q alone 144 KiB.
    const std::string rows = why({{"pair", "0"}, {"tile_m", "128"}});
    CHECK(rows.find("TMEM columns: 1024 columns needed, 512 available, 512 over") !=
          std::string::npos);
    CHECK(rows.find("o 512") != std::string::npos);
    CHECK(rows.find("q 147456") != std::string::npos);
    CHECK(rows.find("fits with tile_m = 64") != std::string::npos);
    // Two stages of 64 rows take as much.
    const std::string stages = why({{"q_stages", "2"}});
    CHECK(stages.find("TMEM columns") != std::string::npos);
    CHECK(stages.find("fits with q_stages = 1") != std::string::npos);
    CHECK(why({{"v_from_k", "1"}}).find("V must be loaded again") != std::string::npos);
    // Smaller heads leave room for the frame as it was.
    AttentionProblem small = problem;
    small.head_dim_qk = small.head_dim_v = 128;
    CHECK(load_plan(data_dir, "mla_absorbed_fwd", gpu("b200"), small,
                    {{"tile_m", "128"}, {"q_stages", "2"}, {"pair", "0"}}));
}

TEST_CASE("the kernel of its own is faster because P does not overwrite S") {
    const AttentionProblem problem = latent(1, 2048, 8192);
    const Prediction frame = predicted({"mla_absorbed_fwd", "b200"}, problem);
    const Prediction own = predicted({"mla_decode", "b200"}, problem);
    CHECK(own.tflops > 1.4 * frame.tflops);
    CHECK(own.tflops < 2.0 * frame.tflops);
    // Both execute the same: whole tiles, nothing twice.
    CHECK(own.executed_flops == doctest::Approx(frame.executed_flops).epsilon(1e-9));
    CHECK(own.executed_flops == doctest::Approx(own.counted_flops).epsilon(1e-9));
    // A second buffer of S is worth little: S is free again as soon as it is in registers.
    const Prediction single = predicted({"mla_decode", "b200"}, problem, {{"s_stages", "1"}});
    CHECK(single.tflops > 0.97 * own.tflops);
    CHECK(single.tflops <= own.tflops);
    // One CTA of 64 rows has half the tensor cores' rate.
    const Prediction alone = predicted({"mla_absorbed_fwd", "b200"}, problem, {{"pair", "0"}});
    CHECK(alone.utilization < 0.5);
    CHECK(alone.tflops < frame.tflops);
}

TEST_CASE("the pair fetches the latent twice, the others once") {
    const AttentionProblem problem = latent(1, 1, 8192);
    const auto l2_over_hbm = [&](const Kernel& kernel, const Overrides& set = {}) {
        const Prediction prediction = predicted(kernel, problem, set);
        return prediction.waves.l2_bytes / prediction.waves.hbm_bytes;
    };
    const Overrides whole = {{"num_splits", "1"}};
    CHECK(l2_over_hbm({"mla_decode", "b200"}, whole) == doctest::Approx(1.86).epsilon(0.02));
    CHECK(l2_over_hbm({"mla_decode_sm90", "h200"}, whole) == doctest::Approx(1.94).epsilon(0.03));
}

TEST_CASE("every kernel runs on degenerate tiles, paged and split") {
    EngineOptions quick;
    quick.granularity = 8;
    for (const Kernel& kernel : kernels()) {
        const bool pages = kernel.id != "mla_absorbed_fwd";
        for (const char* splits : {"1", "3"}) {
            for (const char* page : {"0", "64"}) {
                INFO(kernel.id << " on " << kernel.gpu << ", " << splits << " splits, pages of "
                               << page);
                Overrides set = {{"num_splits", splits}};
                if (pages) {
                    set.push_back({"page_size", page});
                }
                const auto plan = plan_of(kernel, latent(1, 2, 4096, 16), set);
                REQUIRE_MESSAGE(plan, plan.error().text());
                const MemoryEnvironment memory = idle_memory(gpu(kernel.gpu));
                Tick before = 0;
                for (const std::int64_t blocks : {0, 1, 2, 3, 9}) {
                    const TileClass tile{blocks, std::min<std::int64_t>(blocks, 1), 0};
                    const auto schedule = simulate(*plan, {{tile, 2}}, memory, quick);
                    REQUIRE_MESSAGE(schedule, schedule.error().text());
                    CHECK(schedule->makespan > before);
                    before = schedule->makespan;
                }
            }
        }
        const auto plan = plan_of(kernel, latent(1, 128, 4096));
        const auto bound = recurrence_bound(*plan, idle_memory(gpu(kernel.gpu)));
        REQUIRE_MESSAGE(bound, bound.error().text());
        CHECK(steady_roofline(*plan, idle_memory(gpu(kernel.gpu))).ticks <= bound->ticks_per_block);
    }
}

TEST_CASE("other latents are taken as far as they fit") {
    AttentionProblem problem = latent(1, 64, 4096);
    problem.head_dim_qk = 320;
    problem.head_dim_v = 256;
    for (const Kernel& kernel : kernels()) {
        INFO(kernel.id << " on " << kernel.gpu);
        CHECK(plan_of(kernel, problem));
        AttentionProblem large = problem;
        large.head_dim_qk = 1024;
        large.head_dim_v = 960;
        const auto refused = plan_of(kernel, large);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == FailureKind::infeasible);
        CHECK(refused.error().text().find("SMEM") != std::string::npos);
    }
}
