// Waiting for turns over a whole GPU, against an event-by-event simulation and closed forms.
#include "warpline/device/place_in_turn.hpp"

#include "fake_runner.hpp"
#include "turn_reference.hpp"
#include "warpline/workload/mask_geometry.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

using namespace warpline;
using test::LaunchedTile;
using test::TurnReference;

namespace {

struct Case {
    AttentionProblem problem;
    TileShape shape;
    TurnPace pace{160.0, 160.0, 0, 50.0, 200.0, 200.0};
    std::int64_t slots = 8;
    LaunchCost launch{50.0, 30.0};
    FakeKernel kernel;

    [[nodiscard]] Placement place(bool in_turn = true) const {
        const auto tiles = cut_into_tiles(problem, shape);
        const auto times =
            TileTimes::measure(tiles, TileScheduler::single_tile, 1, kernel.runner()).value();
        const ClusterSlots positions{slots, 1, 1, slots};
        const Placement placed =
            place_tiles(tiles, times, TileScheduler::single_tile, positions, launch).value();
        return in_turn ? place_in_turn(placed, problem, shape, times, pace, positions, launch)
                       : placed;
    }

    /// Every tile, in launch order.
    [[nodiscard]] std::vector<LaunchedTile> launched() const {
        const MaskGeometry head(problem.sequence(0), problem.mask, shape, 1);
        const std::int64_t heads = problem.batch * problem.heads_q;
        std::vector<LaunchedTile> all;
        for (std::int64_t from = 0; from < heads; from += shape.head_group) {
            for (std::int64_t i = 0; i < head.tiles(); ++i) {
                const std::int64_t index =
                    shape.order == TileOrder::longest_first ? head.tiles() - 1 - i : i;
                for (std::int64_t h = from; h < std::min(heads, from + shape.head_group); ++h) {
                    const TileClass tile = head.tile(index);
                    all.push_back({h, std::max<std::int64_t>(0, head.edges(index).begin),
                                   tile.blocks, static_cast<double>(kernel.alone(tile))});
                }
            }
        }
        return all;
    }
};

/// One head whose tiles all run at a time.
Case together(MaskKind mask, TileOrder order, std::int64_t tiles, std::int64_t rows = 128) {
    Case c;
    c.problem.direction = Direction::backward;
    c.problem.batch = c.problem.heads_q = c.problem.heads_kv = 1;
    c.problem.seqlen_q = c.problem.seqlen_kv = tiles * rows;
    c.problem.mask.kind = mask;
    c.shape = {.rows = rows, .block = 128, .loop = TileLoop::over_q, .order = order};
    c.slots = tiles;
    c.kernel.masked = 0;
    return c;
}

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

TEST_CASE("waiting for turns agrees with a simulation of all CTAs and blocks, event by event") {
    std::mt19937 random(9);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    int waited = 0;
    for (int round = 0; round < 400; ++round) {
        const auto mask = static_cast<MaskKind>(between(0, 2));
        Case c = together(mask, static_cast<TileOrder>(between(0, 1)), between(1, 9),
                          between(0, 1) == 0 ? 128 : 256);
        c.problem.mask.window = mask == MaskKind::sliding_window ? between(1, 900) : 0;
        c.problem.batch = between(1, 3);
        c.problem.heads_q = c.problem.heads_kv = between(1, 3);
        c.problem.seqlen_q = between(1, 2500);
        c.shape.head_group = between(1, 5);
        c.slots = between(1, 12);
        c.kernel.masked = between(0, 40);
        c.pace.late_step = between(20, 160);
        c.pace.behind = between(0, 2);
        c.pace.pass = between(0, 400);
        c.pace.last_pass = between(0, 400);
        c.pace.after = between(0, 800);
        INFO("round " << round);
        const Placement placed = c.place();
        TurnReference reference(c.launched(), c.slots, c.pace, c.launch);
        const auto& ends = reference.run();
        CHECK(reference.done() == static_cast<std::size_t>(placed.tiles));
        CHECK(placed.makespan ==
              doctest::Approx(*std::max_element(ends.begin(), ends.end())).epsilon(1e-9));
        CHECK(placed.mean_active ==
              doctest::Approx(sum(ends) / static_cast<double>(c.slots)).epsilon(1e-9));
        CHECK(placed.turn_wait >= -1e-6);
        waited += placed.turn_wait > 100.0 ? 1 : 0;
    }
    CHECK(waited > 100);
}

TEST_CASE("a tile that has its head to itself never waits, nor does one alone on the GPU") {
    Case c = together(MaskKind::full, TileOrder::linear, 1);
    c.problem.seqlen_q = 9000;
    c.problem.heads_q = c.problem.heads_kv = 20;
    CHECK(c.place().turn_wait == 0.0);
    CHECK(c.place().makespan == doctest::Approx(c.place(false).makespan).epsilon(1e-12));
    c = together(MaskKind::full, TileOrder::linear, 12);
    c.slots = 1;
    CHECK(c.place().turn_wait == 0.0);
    CHECK(c.place().makespan == doctest::Approx(c.place(false).makespan).epsilon(1e-12));
}

TEST_CASE("tiles that begin together on one block are skewed by one addition each") {
    const Case c = together(MaskKind::full, TileOrder::linear, 10);
    CHECK(c.place().makespan == doctest::Approx(c.place(false).makespan + 9 * c.pace.pass));
    CHECK(c.place().turn_wait == doctest::Approx(9 * c.pace.pass));
}

TEST_CASE("a turn that is passed on one block later skews tiles by a step more") {
    Case c = together(MaskKind::full, TileOrder::linear, 4);
    c.pace.pass = 100.0;
    c.pace.behind = 1;
    c.pace.last_pass = 90.0;
    CHECK(c.place().turn_wait == doctest::Approx(3 * (c.pace.step + c.pace.pass)));
}

TEST_CASE("shortest first under a causal mask never waits where two blocks lie between tiles") {
    Case c = together(MaskKind::causal, TileOrder::longest_first, 10, 256);
    c.pace.behind = 1;
    c.pace.pass = 150.0;
    CHECK(c.place().turn_wait == doctest::Approx(0.0));
    // With one block between them, each waits for what lies between its steps and the pass.
    c = together(MaskKind::causal, TileOrder::longest_first, 10);
    CHECK(c.place().turn_wait == doctest::Approx(0.0));
    c.pace.pass = c.pace.step + 25.0;
    CHECK(c.place().turn_wait == doctest::Approx(9 * 25.0));
    // What only the last addition comes late by is hidden where it is short beside the tile's end.
    c.pace.last_pass = 10.0;
    CHECK(c.place().turn_wait == doctest::Approx(8 * 25.0));
}

TEST_CASE("longest first under a causal mask makes every tile wait for the one before") {
    const Case c = together(MaskKind::causal, TileOrder::linear, 10);
    // Tile j begins at block j, when tile 0 is there and j tiles have added.
    CHECK(c.place().turn_wait == doctest::Approx(9 * c.pace.pass));
    const Case shortest = together(MaskKind::causal, TileOrder::longest_first, 10);
    CHECK(c.place().mean_active > shortest.place().mean_active + 4 * c.pace.step);
}

TEST_CASE("lateness within a tile's buffers costs nothing, and what is beyond costs once") {
    Case c = together(MaskKind::full, TileOrder::linear, 2);
    c.problem.seqlen_q = 12800;
    c.pace.late_step = 100.0;  // buffers for 60 ticks
    c.pace.after = 500.0;
    CHECK(c.place().turn_wait == doctest::Approx(0.0));
    c.pace.pass = 85.0;
    CHECK(c.place().turn_wait == doctest::Approx(25.0));
}

TEST_CASE("a million tokens cost tiles, not blocks") {
    TurnPace pace{160.0, 150.0, 1, 400.0, 300.0, 200.0};
    const std::int64_t blocks = 8192;
    BlockTimes passed(blocks);
    double start = 0.0;
    for (std::int64_t tile = 0; tile < 4096; ++tile) {
        // As 74 slots launch them under a causal mask, shortest first.
        const std::int64_t first = blocks - 2 * (tile + 1);
        start += tile % 74 == 0 ? static_cast<double>(blocks - first) * pace.step : 0.0;
        const TileTurns turns = take_turns(first, blocks - first, start, pace, passed);
        passed.overwrite(turns.passed);
        REQUIRE(turns.taken.stretches().size() < 400);
    }
    Case c = together(MaskKind::causal, TileOrder::longest_first, 4096, 256);
    c.problem.heads_q = c.problem.heads_kv = 4;
    c.slots = 74;
    const Placement placed = c.place();
    CHECK(placed.tiles == 4 * 4096);
    CHECK(placed.makespan >= c.place(false).makespan);
}

TEST_CASE("beyond the tiles that are placed one by one, waiting keeps its share") {
    Case c = together(MaskKind::full, TileOrder::linear, 4);
    c.problem.heads_q = c.problem.heads_kv = 1000;
    const double few = c.place().makespan / c.place(false).makespan;
    c.problem.batch = 200;  // 800,000 tiles
    CHECK(c.place().makespan / c.place(false).makespan == doctest::Approx(few).epsilon(0.01));
    CHECK(c.place().turn_wait > 0.0);
}
