#include "warpline/device/tile_times.hpp"

#include "fake_runner.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

std::vector<HeadTiles> causal_head(std::int64_t length) {
    AttentionProblem p;
    p.heads_q = p.heads_kv = 3;
    p.seqlen_q = p.seqlen_kv = length;
    p.mask.kind = MaskKind::causal;
    return cut_into_tiles(p, {.rows = 256, .block = 128});
}

}  // namespace

TEST_CASE("a causal problem of any length needs a dozen engine runs at most") {
    const FakeKernel kernel;
    for (const std::int64_t length : {256, 4096, 1 << 20, 1 << 30}) {
        const auto times =
            TileTimes::measure(causal_head(length), TileScheduler::single_tile, 1, kernel.runner());
        REQUIRE(times);
        CHECK(times->engine_runs() <= 12);
        CHECK(times->exact());
        CHECK(times->at({2, 2, 0}).alone == static_cast<double>(kernel.alone({2, 2, 0})));
        REQUIRE(times->longest());
        CHECK(times->longest()->blocks == length / 128);
    }
}

TEST_CASE("totals add up over heads, whatever is written as a progression") {
    const FakeKernel kernel;
    const auto tiles = causal_head(4096);
    const auto times =
        TileTimes::measure(tiles, TileScheduler::single_tile, 1, kernel.runner()).value();
    const TileCost total = times.total(tiles);
    const double blocks = 3 * (2 + 32) * 16 / 2;
    CHECK(total.flops == 10 * blocks);
    CHECK(total.bytes_read == 100 * blocks);
    CHECK(total.bytes_written == 7 * 48);
    CHECK(total.busy[static_cast<std::size_t>(Unit::tensor)] == 20 * blocks);
    CHECK(total.busy[static_cast<std::size_t>(Unit::xu)] == 4 * 5 * blocks);
    CHECK(total.alone == 48 * (1000 + 80) + 160 * blocks);
}

TEST_CASE("persistent classes are measured in sequences") {
    const FakeKernel kernel;
    AttentionProblem p;
    p.seqlen_q = p.seqlen_kv = 2048;
    const auto tiles = cut_into_tiles(p, {.rows = 256, .block = 128});
    const auto times =
        TileTimes::measure(tiles, TileScheduler::static_persistent, 1, kernel.runner()).value();
    const TileCost cost = times.at({16, 1, 0});
    const auto alone = static_cast<double>(kernel.alone({16, 1, 0}));
    CHECK(cost.alone == alone);
    CHECK(cost.two == 2 * alone - 300);
    CHECK(cost.middle() == alone - 300);
    CHECK(times.phases().first == alone);
    CHECK(times.phases().middle == alone - 300);
    CHECK(times.phases().last == alone - 300);
    CHECK(times.tile_rate_departure() == 0.0);
}

TEST_CASE("co-resident clusters share the counted work") {
    FakeKernel kernel;
    kernel.residents = 2;
    const auto times =
        TileTimes::measure(causal_head(256), TileScheduler::single_tile, 2, kernel.runner())
            .value();
    CHECK(times.at({2, 2, 0}).flops == 20);
}

TEST_CASE("a problem without tiles has no times and no work") {
    const auto times =
        TileTimes::measure({}, TileScheduler::single_tile, 1, FakeKernel{}.runner()).value();
    CHECK_FALSE(times.longest());
    CHECK(times.total(std::vector<HeadTiles>{}).flops == 0.0);
}
