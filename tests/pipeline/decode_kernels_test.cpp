// Decoding kernels: few query rows against a long cache. Where the bytes are the bound they must be
// all that counts, and where they are not, launches and latency.
#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/device/side_launch_time.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/tile_work.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::gpu;

namespace {

const std::string data_dir = source_dir();

AttentionProblem decoding(std::int64_t batch, std::int64_t keys, std::int64_t heads_q = 64,
                          std::int64_t heads_kv = 8, std::int64_t head_dim = 128) {
    AttentionProblem p;
    p.batch = batch;
    p.heads_q = heads_q;
    p.heads_kv = heads_kv;
    p.seqlen_q = 1;
    p.seqlen_kv = keys;
    p.head_dim_qk = p.head_dim_v = head_dim;
    return p;
}

struct Kernel {
    std::string id, gpu;
};

const std::vector<Kernel>& kernels() {
    static const std::vector<Kernel> all = {
        {"decode", "a100_sxm"},   {"decode", "h100_sxm"},      {"decode", "h200"},
        {"decode", "b200"},       {"decode", "b300"},          {"decode", "gb200"},
        {"decode", "gb300"},      {"decode_sm90", "h100_sxm"}, {"decode_sm90", "h200"},
        {"decode_sm100", "b200"}, {"decode_sm100", "b300"},    {"decode_sm100", "gb200"},
        {"decode_sm100", "gb300"}};
    return all;
}

using Overrides = std::vector<ParameterOverride>;

Operation operation_of(const Kernel& kernel, const AttentionProblem& problem,
                       const Overrides& set = {}) {
    auto operation =
        make_operation(read_pipeline(data_dir, kernel.id).value(), gpu(kernel.gpu), problem, set);
    REQUIRE_MESSAGE(operation, operation.error().text());
    return std::move(*operation);
}

Prediction predicted(const Kernel& kernel, const AttentionProblem& problem,
                     const Overrides& set = {}) {
    PredictOptions quick;
    quick.granularity = 4;
    quick.boost_clock = true;
    auto prediction =
        predict_operation(gpu(kernel.gpu), operation_of(kernel, problem, set), problem, quick);
    REQUIRE_MESSAGE(prediction, prediction.error().text());
    return std::move(*prediction);
}

double parameter(const Prediction& prediction, const std::string& name) {
    return prediction.plan.parameters.at(name);
}

/// Q and the cache once; the output, or the partial results of every split.
double bytes_of(const AttentionProblem& p, double splits) {
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    const double rows = number(p.batch * p.heads_q * p.seqlen_q);
    const double cache =
        number(p.batch * p.heads_kv * p.seqlen_kv) * number(p.head_dim_qk + p.head_dim_v) * 2.0;
    const double d_v = number(p.head_dim_v);
    return cache + rows * number(p.head_dim_qk) * 2.0 +
           (splits > 1.0 ? splits * rows * (4.0 * d_v + 4.0) : rows * d_v * 2.0);
}

}  // namespace

TEST_CASE("long contexts are read at HBM's rate on every GPU") {
    for (const Kernel& kernel : kernels()) {
        INFO(kernel.id << " on " << kernel.gpu);
        // Two tiles for every SM; waiting for memory leaves the clock where it may be.
        const GpuSpec& spec = gpu(kernel.gpu);
        const AttentionProblem problem = decoding(spec.sm_count / 4, 65'536);
        const Prediction prediction = predicted(kernel, problem);
        const double bytes = bytes_of(problem, parameter(prediction, "num_splits"));
        CHECK(prediction.waves.hbm_bytes == doctest::Approx(bytes).epsilon(1e-9));
        const double at_least = bytes / spec.memory.hbm_bytes_per_second;
        CHECK(prediction.seconds > at_least);
        // mma.sync at its legacy rate cannot keep up with the memory of a Blackwell.
        const bool slow_cores = kernel.id == "decode" && spec.has("tcgen05");
        CHECK(prediction.seconds < (slow_cores ? 1.6 : 1.04) * at_least);
        if (!slow_cores) {
            CHECK(prediction.bound_by == "HBM bandwidth");
        }
    }
}

TEST_CASE("without a second buffer of S a tile takes QK, softmax and PV in turn") {
    const Kernel kernel{"decode_sm100", "b200"};
    const auto step = [&](const char* stages) {
        return predicted(kernel, decoding(37, 65'536), {{"s_stages", stages}}).steady.simulated;
    };
    CHECK(step("2") < 0.8 * step("1"));
    CHECK(step("2") > 1024.0);  // both products of a tile
}

TEST_CASE("short contexts take launches and latency, not bytes") {
    for (const Kernel& kernel : kernels()) {
        INFO(kernel.id << " on " << kernel.gpu);
        const AttentionProblem problem = decoding(1, 256);
        const Prediction prediction = predicted(kernel, problem);
        const double launch = gpu(kernel.gpu).launch.kernel_seconds;
        CHECK(prediction.seconds > launch);
        CHECK(prediction.seconds < 20e-6);
        CHECK(prediction.waves.hbm_bytes / gpu(kernel.gpu).memory.hbm_bytes_per_second <
              0.1 * prediction.seconds);
        CHECK(prediction.bound_by != "HBM bandwidth");
    }
}

TEST_CASE("time grows with the bytes, and by nothing else once they are the bound") {
    const Kernel kernel{"decode_sm100", "b200"};
    const double one = predicted(kernel, decoding(16, 131'072)).seconds;
    const double two = predicted(kernel, decoding(16, 262'144)).seconds;
    CHECK(two > 1.9 * one);
    CHECK(two < 2.0 * one);
}

TEST_CASE("work follows from the tiles: blocks of all splits, with the rows of whole tiles") {
    for (const Kernel& kernel : kernels()) {
        for (const std::int64_t keys : {1, 1000, 8192, 20'000}) {
            INFO(kernel.id << " on " << kernel.gpu << ", " << keys << " keys");
            const AttentionProblem problem = decoding(3, keys);
            const Prediction prediction = predicted(kernel, problem);
            const double tile_kv = parameter(prediction, "tile_kv");
            const double blocks = std::ceil(static_cast<double>(keys) / tile_kv);
            const double flops =
                3.0 * 8 * blocks * 2 * parameter(prediction, "tile_m") * tile_kv * (128 + 128);
            CHECK(prediction.executed_flops == doctest::Approx(flops).epsilon(1e-9));
            CHECK(static_cast<double>(prediction.waves.tiles) ==
                  3 * 8 * parameter(prediction, "num_splits"));
        }
    }
}

TEST_CASE("splits follow the kernels' heuristics") {
    const auto splits = [](const Kernel& kernel, const AttentionProblem& problem) {
        return operation_of(kernel, problem).plan.parameters.at("num_splits");
    };
    const Kernel sm80{"decode", "a100_sxm"};
    const Kernel sm90{"decode_sm90", "h200"};
    const Kernel sm100{"decode_sm100", "b200"};
    // FlashAttention-4: SMs over tiles, rounded down; none up to four blocks.
    CHECK(splits(sm100, decoding(1, 65'536)) == 18);  // 148 / 8
    CHECK(splits(sm100, decoding(2, 65'536)) == 9);
    CHECK(splits(sm100, decoding(4, 65'536)) == 4);
    CHECK(splits(sm100, decoding(32, 65'536)) == 1);
    CHECK(splits(sm100, decoding(1, 512)) == 1);
    CHECK(splits(sm100, decoding(1, 1024)) == 8);  // no more than there are blocks
    // FlashAttention-3: the fewest whose waves are 85 % as full as the best.
    CHECK(splits(sm90, decoding(1, 65'536)) == 15);  // 120 of 132; 33 would fill two waves
    CHECK(splits(sm90, decoding(16, 65'536)) == 1);  // 128 tiles are 0.97 of 132
    CHECK(splits(sm90, decoding(1, 600)) == 1);      // 4 blocks
    // FlashAttention-2: the same over two CTAs an SM, counts that change nothing left out.
    CHECK(splits(sm80, decoding(1, 65'536)) == 23);  // 184 of 216
    CHECK(splits(sm80, decoding(32, 65'536)) == 1);
}

TEST_CASE("splitting wins where tiles are few, and its price is a kernel and its partial results") {
    for (const Kernel& kernel : {Kernel{"decode", "a100_sxm"}, Kernel{"decode_sm90", "h200"},
                                 Kernel{"decode_sm100", "b200"}}) {
        INFO(kernel.id << " on " << kernel.gpu);
        const AttentionProblem long_context = decoding(1, 131'072);
        CHECK(predicted(kernel, long_context).seconds <
              0.25 * predicted(kernel, long_context, {{"num_splits", "1"}}).seconds);
        const AttentionProblem problem = decoding(4, 4096);
        const Operation split = operation_of(kernel, problem, {{"num_splits", "8"}});
        REQUIRE(split.launches.size() == 1);
        const SideLaunch& combine = split.launches.front();
        CHECK(combine.name == "combine");
        CHECK(combine.after);
        const double rows = 4 * 64;
        CHECK(combine.bytes_read == 8 * rows * (4 * 128 + 4));
        CHECK(combine.bytes_written == rows * 128 * 2);
        CHECK(combine.cached == 1.0);
        CHECK(operation_of(kernel, problem, {{"num_splits", "1"}}).launches.empty());
        const Prediction together = predicted(kernel, problem, {{"num_splits", "8"}});
        const double combining = side_launch_seconds(combine, gpu(kernel.gpu), together.clock.hz);
        CHECK(combining > gpu(kernel.gpu).launch.graph_kernel_seconds);
        CHECK(together.seconds > combining + gpu(kernel.gpu).launch.kernel_seconds);
    }
}

TEST_CASE("query heads of a KV head share its reads when they are packed") {
    for (const Kernel& kernel : {Kernel{"decode_sm90", "h200"}, Kernel{"decode_sm100", "b200"}}) {
        INFO(kernel.id);
        const AttentionProblem problem = decoding(16, 32'768);
        const Prediction packed = predicted(kernel, problem);
        const Prediction apart = predicted(kernel, problem, {{"pack_gqa", "0"}});
        CHECK(apart.waves.l2_bytes > 7.5 * packed.waves.l2_bytes);
        CHECK(apart.seconds > 2 * packed.seconds);
    }
}

TEST_CASE("pages cost table lookups, and copies row by row where they are small") {
    const auto tile_time = [](const Kernel& kernel, const std::string& page) {
        Overrides set = {{"page_size", page}, {"tile_kv", "128"}};
        if (kernel.id == "decode") {
            set.push_back({"resident", "1"});  // two on an SM shift each other, which is worth more
        }
        const Operation operation = operation_of(kernel, decoding(16, 32'768), set);
        const auto schedule =
            simulate(operation.plan, {{{32, 1, 0}, 1}}, idle_memory(gpu(kernel.gpu)), {});
        REQUIRE_MESSAGE(schedule, schedule.error().text());
        return static_cast<double>(schedule->makespan);
    };
    for (const Kernel& kernel : {Kernel{"decode", "a100_sxm"}, Kernel{"decode_sm90", "h200"},
                                 Kernel{"decode_sm100", "b200"}}) {
        INFO(kernel.id);
        const double whole = tile_time(kernel, "0");
        const double large = tile_time(kernel, "128");
        const double small = tile_time(kernel, "16");
        CHECK(large > whole);
        CHECK(large < 1.3 * whole);
        CHECK(small > 0.99 * whole);  // four warps begin sooner than one, and end later
        CHECK(small < 2 * whole);
    }
    // One page that holds everything is still looked up.
    const Kernel kernel{"decode_sm100", "b200"};
    const Overrides one_page = {{"page_size", "32768"}};
    CHECK(predicted(kernel, decoding(16, 32'768), one_page).seconds > 0.0);
    // Pages by TMA on request: as many copies as a tile has pages.
    const Operation by_tma =
        operation_of(kernel, decoding(16, 32'768), {{"page_size", "16"}, {"by_tma", "1"}});
    CHECK(by_tma.plan.parameters.at("page_copies") == 8);
    CHECK(tile_work(by_tma.plan).splits == 1);
}

TEST_CASE("a page that is no multiple or part of a tile is refused") {
    const auto refused = make_plan(read_pipeline(data_dir, "decode_sm100").value(), gpu("b200"),
                                   decoding(1, 8192), {{"page_size", "48"}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == FailureKind::infeasible);
    CHECK(refused.error().text().find("whole pages") != std::string::npos);
}

TEST_CASE("every decoding kernel runs: head dims, masks, no block, one block, several rows") {
    EngineOptions quick;
    quick.granularity = 8;
    for (const Kernel& kernel : kernels()) {
        const std::int64_t largest = kernel.id == "decode_sm100" ? 192 : 256;
        for (const std::int64_t head_dim :
             {std::int64_t{64}, std::int64_t{80}, std::int64_t{128}, largest}) {
            for (const char* splits : {"1", "4"}) {
                AttentionProblem problem = decoding(2, 5000, 24, 8, head_dim);
                problem.seqlen_q = head_dim == 64 ? 3 : 1;
                problem.mask.kind = head_dim == 80 ? MaskKind::causal : MaskKind::full;
                INFO(kernel.id << " on " << kernel.gpu << ", head dim " << head_dim << ", "
                               << splits << " splits");
                const KernelPlan plan =
                    operation_of(kernel, problem, {{"num_splits", splits}}).plan;
                const MemoryEnvironment memory = idle_memory(gpu(kernel.gpu));
                Tick before = 0;
                for (const std::int64_t blocks : {0, 1, 2, 3, 9}) {
                    const TileClass tile{blocks, std::min<std::int64_t>(blocks, 1), 0};
                    const auto schedule = simulate(plan, {{tile, 2}}, memory, quick);
                    REQUIRE_MESSAGE(schedule, schedule.error().text());
                    CHECK(schedule->makespan > before);
                    before = schedule->makespan;
                }
            }
        }
    }
}

TEST_CASE("sequences of several lengths and no keys at all are answered") {
    for (const Kernel& kernel : kernels()) {
        INFO(kernel.id << " on " << kernel.gpu);
        AttentionProblem ragged = decoding(1, 1);
        ragged.varlen = {{1, 100}, {1, 40'000}, {1, 0}, {1, 5000}};
        CHECK(predicted(kernel, ragged).seconds > 0.0);
        CHECK(predicted(kernel, decoding(2, 0)).executed_flops == 0.0);
    }
}

TEST_CASE("head dims beyond a kernel are refused with the budget that fails") {
    struct Refusal {
        Kernel kernel;
        std::int64_t d_qk, d_v;
        std::string words;
    };
    const std::vector<Refusal> refusals = {
        {{"decode", "a100_sxm"}, 512, 512, "SMEM"},
        {{"decode", "h200"}, 576, 512, "registers a thread"},
        {{"decode", "b200"}, 1024, 1024, "SMEM"},
        {{"decode_sm90", "h200"}, 320, 320, "SMEM"},
        {{"decode_sm90", "h200"}, 576, 512, "registers"},
        {{"decode_sm100", "b200"}, 256, 256, "SMEM"},
        {{"decode_sm100", "b200"}, 576, 512, "TMEM columns"},
        {{"decode_sm100", "b200"}, 1024, 1024, "TMEM columns"},
    };
    for (const Refusal& refusal : refusals) {
        INFO(refusal.kernel.id << " " << refusal.d_qk << ":" << refusal.d_v);
        AttentionProblem problem = decoding(1, 8192);
        problem.head_dim_qk = refusal.d_qk;
        problem.head_dim_v = refusal.d_v;
        REQUIRE(make_attention(problem));
        const auto plan = load_plan(data_dir, refusal.kernel.id, gpu(refusal.kernel.gpu), problem);
        REQUIRE_FALSE(plan);
        CHECK(plan.error().kind == FailureKind::infeasible);
        CHECK(plan.error().text().find(refusal.words) != std::string::npos);
    }
}
