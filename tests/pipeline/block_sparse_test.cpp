// FlexAttention's lists of blocks on FlashAttention-4's frame.
#include "source_dir.hpp"
#include "warpline/device/predict_listed.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::string data_dir = source_dir();

const GpuSpec& b200() {
    static const GpuSpec spec = load_gpu_spec(data_dir, "b200").value();
    return spec;
}

AttentionProblem problem() {
    AttentionProblem p;
    p.batch = 4;
    p.heads_q = p.heads_kv = 16;
    p.seqlen_q = p.seqlen_kv = 8192;
    return p;
}

using Tiles = std::vector<ListedTile>;
using Overrides = std::vector<ParameterOverride>;

Prediction predicted(const AttentionProblem& p, const std::optional<BlockLists>& lists,
                     const Overrides& set = {}, const std::string& kernel = "block_sparse_fwd") {
    const auto plan = load_plan(data_dir, kernel, b200(), p, set);
    REQUIRE_MESSAGE(plan, plan.error().text());
    PredictOptions quick;
    quick.granularity = 4;
    auto prediction = predict_listed(b200(), *plan, p, lists, quick);
    REQUIRE_MESSAGE(prediction, prediction.error().text());
    return std::move(*prediction);
}

Prediction predicted(Tiles tiles, const Overrides& set = {}) {
    return predicted(problem(), BlockLists{256, 128, std::move(tiles)}, set);
}

}  // namespace

TEST_CASE("a full list takes what one CTA of FlashAttention-4 takes, and its lists beside") {
    const Prediction sparse = predicted(Tiles{{64, 0, 32}});
    const Prediction dense = predicted(problem(), std::nullopt, {{"pair", "0"}}, "fa4_fwd");
    CHECK(sparse.executed_flops == dense.executed_flops);
    CHECK(sparse.counted_flops == dense.counted_flops);
    CHECK(sparse.seconds > 0.98 * dense.seconds);
    CHECK(sparse.seconds < 1.05 * dense.seconds);
}

TEST_CASE("work is that of the listed blocks, masked ones whole") {
    const Prediction prediction = predicted(Tiles{{10, 2, 16}, {0, 3, 8}, {0, 0, 4}, {64, 0, 4}});
    const double blocks = 12.0 * 16 + 3 * 8 + 64 * 4;
    CHECK(prediction.executed_flops == 64 * blocks * 256 * 128 * 2 * 256);
    CHECK(prediction.counted_flops == prediction.executed_flops);
    CHECK(prediction.waves.tiles == 64 * 32);
}

TEST_CASE("time goes with the density, and a mask function costs its own") {
    const double full = predicted(Tiles{{64, 0, 32}}).seconds;
    const double half = predicted(Tiles{{32, 0, 32}}).seconds;
    const double masked = predicted(Tiles{{0, 32, 32}}).seconds;
    CHECK(half > 0.5 * full);
    CHECK(half < 0.58 * full);
    CHECK(masked > 1.02 * half);
    const double dear =
        predicted(Tiles{{0, 32, 32}}, {{"mask_arithmetic", "8"}, {"mask_comparisons", "4"}})
            .seconds;
    CHECK(dear > 1.5 * masked);
}

TEST_CASE("uneven lists leave SMs without work, and the scheduler decides how many") {
    // As much work, all of it in the last quarter of each head's tiles.
    const Tiles even = {{16, 0, 32}};
    const Tiles uneven = {{0, 0, 24}, {64, 0, 8}};
    const Prediction flat = predicted(even);
    const Prediction dealt = predicted(uneven);
    CHECK(flat.executed_flops == dealt.executed_flops);
    CHECK(dealt.waves.tail_cycles > 2 * flat.waves.tail_cycles);
    CHECK(dealt.seconds > 1.05 * flat.seconds);
    // Whoever is free takes the next tile: less is lost than when tiles are dealt out in turn.
    const Prediction listed = predicted(uneven, {{"persistent", "0"}});
    CHECK(listed.waves.tail_cycles < dealt.waves.tail_cycles);
}

TEST_CASE("tiles without a block, of one block, and lists of every head are answered") {
    CHECK(predicted(Tiles{{0, 0, 32}}).executed_flops == 0.0);
    CHECK(predicted(Tiles{{1, 0, 32}}).waves.first_tile_cycles >
          predicted(Tiles{{0, 0, 32}}).waves.first_tile_cycles);
    CHECK(predicted(Tiles{{4, 0, 1024}, {0, 4, 1024}}).waves.tiles == 2048);
    AttentionProblem single = problem();
    single.seqlen_q = 128;
    const BlockLists lists{128, 128, {{5, 1, 1}}};
    CHECK(predicted(single, lists).plan.parameters.at("q_stages") == 1);
}

TEST_CASE("the kernel runs on every Blackwell and head dim it takes") {
    for (const char* id : {"b200", "gb200", "b300", "gb300"}) {
        const GpuSpec spec = load_gpu_spec(data_dir, id).value();
        for (const std::int64_t d : {64, 72, 128}) {
            INFO(id << ", head dim " << d);
            AttentionProblem p = problem();
            p.head_dim_qk = p.head_dim_v = d;
            const auto plan = load_plan(data_dir, "block_sparse_fwd", spec, p);
            REQUIRE_MESSAGE(plan, plan.error().text());
            for (const TileClass& tile : {TileClass{0, 0, 0}, TileClass{1, 0, 0},
                                          TileClass{1, 1, 0}, TileClass{40, 3, 0}}) {
                CHECK(simulate(*plan, {{tile, 2}}, idle_memory(spec), {}));
            }
        }
    }
}

TEST_CASE("a kernel that takes lists refuses masks, and heads that do not fit") {
    const auto why = [](const AttentionProblem& p) {
        const auto plan = load_plan(data_dir, "block_sparse_fwd", b200(), p);
        REQUIRE_FALSE(plan);
        CHECK(plan.error().kind == FailureKind::infeasible);
        return plan.error().text();
    };
    AttentionProblem causal = problem();
    causal.mask.kind = MaskKind::causal;
    CHECK(why(causal).find("the block lists are the mask") != std::string::npos);
    AttentionProblem large = problem();
    large.head_dim_qk = large.head_dim_v = 512;
    CHECK(why(large).find("TMEM columns") != std::string::npos);
    const auto dense = load_plan(data_dir, "fa4_fwd", b200(), problem());
    REQUIRE(dense);
    const BlockLists lists{256, 128, {{3, 1, 32}}};
    const auto refused = predict_listed(b200(), *dense, problem(), lists);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("takes no block lists") != std::string::npos);
}
