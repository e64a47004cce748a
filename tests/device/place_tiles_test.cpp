#include "warpline/device/place_tiles.hpp"

#include "fake_runner.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

struct Case {
    std::vector<HeadTiles> tiles;
    TileTimes times;
};

Case measured(std::vector<HeadTiles> tiles, TileScheduler scheduler,
              const FakeKernel& kernel = {}) {
    auto times = TileTimes::measure(tiles, scheduler, 1, kernel.runner()).value();
    return {std::move(tiles), std::move(times)};
}

std::vector<TileClass> in_order(const std::vector<HeadTiles>& tiles) {
    std::vector<TileClass> all;
    for (const HeadTiles& head : tiles) {
        for (std::int64_t group = 0; group < head.groups; ++group) {
            for (const TileRun& run : expand_group(head)) {
                all.insert(all.end(), static_cast<std::size_t>(run.count), run.tile);
            }
        }
    }
    return all;
}

/// List scheduling the plain way.
std::vector<double> list_ends(const Case& c, std::int64_t slots, const LaunchCost& launch) {
    std::vector<double> free(static_cast<std::size_t>(slots), 0.0);
    for (const TileClass& tile : in_order(c.tiles)) {
        *std::min_element(free.begin(), free.end()) +=
            launch.start + c.times.at(tile).alone + launch.exit;
    }
    return free;
}

HeadTiles random_group(std::mt19937& random) {
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    HeadTiles head;
    head.groups = between(1, 3);
    for (int sections = between(1, 3); sections > 0; --sections) {
        TileSection section;
        section.repeats = between(1, 4);
        section.step = between(0, 3);
        for (int runs = between(1, 3); runs > 0; --runs) {
            section.runs.push_back({{between(0, 60), 1, 0}, between(1, 30)});
        }
        head.sections.push_back(section);
    }
    return head;
}

std::vector<HeadTiles> equal_tiles(std::int64_t count, std::int64_t blocks = 10) {
    return {{{{{{{blocks, 1, 0}, count}}, 1, 0}}, 1}};
}

}  // namespace

TEST_CASE("list scheduling agrees with a plain search for the first free slot") {
    std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    for (int round = 0; round < 300; ++round) {
        std::vector<HeadTiles> tiles;
        tiles.push_back(random_group(random));
        tiles.push_back(random_group(random));
        const Case c = measured(tiles, TileScheduler::single_tile);
        const std::int64_t slots = 1 + round % 17;
        const LaunchCost launch{50, 30};
        const auto placed = place_tiles(c.tiles, c.times, TileScheduler::single_tile,
                                        {slots, 1, 1, slots + 1}, launch);
        REQUIRE(placed);
        const auto ends = list_ends(c, slots, launch);
        const double sum = std::accumulate(ends.begin(), ends.end(), 0.0);
        CHECK(placed->makespan == *std::max_element(ends.begin(), ends.end()));
        CHECK(placed->mean_active ==
              doctest::Approx(sum / static_cast<double>(slots + 1)).epsilon(1e-12));
        CHECK(placed->tail ==
              doctest::Approx(placed->makespan - sum / static_cast<double>(slots)).epsilon(1e-9));
        CHECK(placed->makespan_error == 0.0);
    }
}

TEST_CASE("causal heads of any order and many lengths are placed as by a plain search") {
    AttentionProblem p;
    p.mask.kind = MaskKind::causal;
    p.heads_q = p.heads_kv = 3;
    p.varlen = {{70000, 70000}, {300, 300}, {33000, 33000}, {12345, 23456}, {1, 1}, {9000, 9000}};
    for (const TileOrder order : {TileOrder::longest_first, TileOrder::linear}) {
        for (const std::int64_t slots : {7, 74, 148, 296}) {
            const TileShape shape{.rows = 256, .block = 128, .order = order};
            const Case c = measured(cut_into_tiles(p, shape), TileScheduler::single_tile);
            const LaunchCost launch{50, 30};
            const auto placed = place_tiles(c.tiles, c.times, TileScheduler::single_tile,
                                            {slots, 1, 1, slots}, launch)
                                    .value();
            const auto ends = list_ends(c, slots, launch);
            CHECK(placed.makespan == *std::max_element(ends.begin(), ends.end()));
            CHECK(placed.tail ==
                  doctest::Approx(placed.makespan - std::accumulate(ends.begin(), ends.end(), 0.0) /
                                                        static_cast<double>(slots))
                      .epsilon(1e-9));
        }
    }
}

TEST_CASE("every cluster launch pays its start and exit") {
    const Case c = measured(equal_tiles(5), TileScheduler::single_tile);
    const double tile = c.times.at({10, 1, 0}).alone;
    const auto placed =
        place_tiles(c.tiles, c.times, TileScheduler::single_tile, {4, 1, 1, 4}, {50, 30}).value();
    CHECK(placed.makespan == 2 * (tile + 80));
    CHECK(placed.mean_active == (2 + 1 + 1 + 1) * (tile + 80) / 4);
    CHECK(placed.waves == 1.25);
    CHECK(placed.slots_used == 4);
}

TEST_CASE("one tile more than the slots hold starts another wave; one fewer does not") {
    const Case full = measured(equal_tiles(148), TileScheduler::single_tile);
    const Case over = measured(equal_tiles(149), TileScheduler::single_tile);
    const ClusterSlots slots{148, 1, 1, 148};
    const double tile = full.times.at({10, 1, 0}).alone;
    CHECK(place_tiles(full.tiles, full.times, TileScheduler::single_tile, slots, {})->makespan ==
          tile);
    CHECK(place_tiles(over.tiles, over.times, TileScheduler::single_tile, slots, {})->makespan ==
          2 * tile);
}

TEST_CASE("a persistent cluster overlaps tiles and pays one start") {
    const FakeKernel kernel;
    for (const std::int64_t tiles : {1, 2, 3, 4, 5, 9, 100}) {
        const Case c = measured(equal_tiles(tiles), TileScheduler::static_persistent);
        const auto placed =
            place_tiles(c.tiles, c.times, TileScheduler::static_persistent, {3, 1, 1, 3}, {50, 30})
                .value();
        const auto alone = static_cast<double>(kernel.alone({10, 1, 0}));
        const auto most = static_cast<double>((tiles + 2) / 3);
        CHECK(placed.makespan == 50 + alone + (most - 1) * (alone - 300) + 30);
        CHECK(placed.slots_used == std::min<std::int64_t>(tiles, 3));
    }
}

TEST_CASE("persistent slots take every slots-th tile, however runs fall") {
    std::mt19937 random(9);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    const FakeKernel kernel;
    for (int round = 0; round < 200; ++round) {
        // Some groups fewer, and many more, than it takes until a group's first slot comes again.
        HeadTiles head = random_group(random);
        head.groups = 1 + round % 40;
        const Case c = measured({head, random_group(random)}, TileScheduler::static_persistent);
        const std::int64_t slots = 1 + round % 13;
        const auto placed = place_tiles(c.tiles, c.times, TileScheduler::static_persistent,
                                        {slots, 1, 1, slots}, {50, 30})
                                .value();
        std::vector<double> ends(static_cast<std::size_t>(slots), 0.0);
        std::size_t next = 0;
        for (const TileClass& tile : in_order(c.tiles)) {
            double& end = ends[next++ % ends.size()];
            end += (end == 0.0 ? 80.0 : -300.0) + c.times.at(tile).alone;
        }
        CHECK(placed.makespan ==
              doctest::Approx(*std::max_element(ends.begin(), ends.end())).epsilon(1e-9));
    }
}

TEST_CASE("a dynamic scheduler gives the next tile to the cluster that is free first") {
    std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    for (int round = 0; round < 200; ++round) {
        const Case c = measured({random_group(random)}, TileScheduler::dynamic_persistent);
        const std::int64_t slots = 1 + round % 13;
        const auto placed = place_tiles(c.tiles, c.times, TileScheduler::dynamic_persistent,
                                        {slots, 1, 1, slots}, {50, 30})
                                .value();
        // A tile keeps its cluster for 300 ticks less than it takes alone; the last of a cluster
        // takes all of its time.
        std::vector<double> steady(static_cast<std::size_t>(slots), 0.0);
        for (const TileClass& tile : in_order(c.tiles)) {
            *std::min_element(steady.begin(), steady.end()) += c.times.at(tile).alone - 300.0;
        }
        CHECK(placed.makespan ==
              doctest::Approx(80.0 + 300.0 + *std::max_element(steady.begin(), steady.end()))
                  .epsilon(1e-9));
        CHECK(placed.makespan <= place_tiles(c.tiles, c.times, TileScheduler::single_tile,
                                             {slots, 1, 1, slots}, {50, 30})
                                     ->makespan);
    }
}

TEST_CASE("an SM is active until the last of its residents ends") {
    const Case c = measured(equal_tiles(3), TileScheduler::single_tile);
    const double tile = c.times.at({10, 1, 0}).alone;
    // Two positions of a CTA pair, two residents each, on five SMs: the third tile joins position
    // 0.
    const auto placed =
        place_tiles(c.tiles, c.times, TileScheduler::single_tile, {2, 2, 2, 5}, {}).value();
    CHECK(placed.makespan == tile);
    CHECK(placed.mean_active == tile * 4 / 5);
}

TEST_CASE("equal tiles are placed a round at a time, however many") {
    const std::int64_t many = 1'000'000'000'001;
    const Case c = measured(equal_tiles(many), TileScheduler::single_tile);
    const double tile = c.times.at({10, 1, 0}).alone;
    const auto placed =
        place_tiles(c.tiles, c.times, TileScheduler::single_tile, {148, 1, 1, 148}, {}).value();
    CHECK(placed.makespan == static_cast<double>((many + 147) / 148) * tile);
    CHECK(placed.makespan_error == 0.0);
}

TEST_CASE("a problem too large to place is bounded, and the exact makespan lies inside") {
    AttentionProblem p;
    p.seqlen_q = p.seqlen_kv = 1 << 16;
    p.mask.kind = MaskKind::causal;
    p.heads_q = p.heads_kv = 1;
    const TileShape shape{.rows = 256, .block = 128};
    const ClusterSlots slots{148, 1, 1, 148};
    p.batch = 5000;  // 1.28 M tiles of 256 classes
    const Case large = measured(cut_into_tiles(p, shape), TileScheduler::single_tile);
    const auto bounded =
        place_tiles(large.tiles, large.times, TileScheduler::single_tile, slots, {}).value();
    CHECK(bounded.makespan_error > 0.0);
    CHECK(bounded.makespan_error < 0.01 * bounded.makespan);
    const auto ends = list_ends(large, 148, {});
    const double exact = *std::max_element(ends.begin(), ends.end());
    CHECK(std::abs(exact - bounded.makespan) <= bounded.makespan_error);

    const Case dealt = measured(cut_into_tiles(p, shape), TileScheduler::static_persistent);
    const auto between =
        place_tiles(dealt.tiles, dealt.times, TileScheduler::static_persistent, slots, {}).value();
    const double mean = dealt.times.total(dealt.tiles).middle() / 148.0;
    // Equal heads dealt out in turn repeat: nothing is left to bound.
    CHECK(between.makespan_error == 0.0);
    CHECK(between.makespan >= mean);

    const Case taken = measured(cut_into_tiles(p, shape), TileScheduler::dynamic_persistent);
    const auto dynamic =
        place_tiles(taken.tiles, taken.times, TileScheduler::dynamic_persistent, slots, {}).value();
    CHECK(dynamic.makespan_error > 0.0);
    CHECK(dynamic.makespan_error < 0.01 * dynamic.makespan);
    CHECK(dynamic.makespan + dynamic.makespan_error >= mean);

    p.seqlen_q = p.seqlen_kv = 2147483647;
    p.batch = 100000;
    const Case huge = measured(cut_into_tiles(p, shape), TileScheduler::single_tile);
    const auto placed =
        place_tiles(huge.tiles, huge.times, TileScheduler::single_tile, slots, {}).value();
    CHECK(placed.tiles == 8388608LL * 100000);
    CHECK(placed.makespan_error < 1e-4 * placed.makespan);
}

TEST_CASE("tiny tiles behind a huge one do not take for ever") {
    std::vector<HeadTiles> tiles = {
        {{{{{{1'000'000'000, 1, 0}, 1}}, 1, 0}, {{{{0, 0, 0}, 1'000'000'000'000}}, 1, 0}}, 1}};
    const Case c = measured(tiles, TileScheduler::single_tile);
    const auto placed =
        place_tiles(c.tiles, c.times, TileScheduler::single_tile, {148, 1, 1, 148}, {}).value();
    CHECK(placed.makespan > 0.0);
}

TEST_CASE("no tiles take no time") {
    const Case c = measured({}, TileScheduler::single_tile);
    const auto placed =
        place_tiles(c.tiles, c.times, TileScheduler::single_tile, {148, 1, 1, 148}, {50, 30});
    REQUIRE(placed);
    CHECK(placed->makespan == 0.0);
    CHECK(placed->mean_active == 0.0);
    CHECK(placed->waves == 0.0);
}

TEST_CASE("clusters live in one GPC") {
    GpuSpec spec;
    spec.id = "test";
    spec.sm_count = 148;
    CHECK(cluster_slots(spec, 2, 1)->positions == 74);
    CHECK(cluster_slots(spec, 3, 1)->positions == 49);
    spec.gpc_sms = {17, 17, 16, 4};
    CHECK(cluster_slots(spec, 1, 1)->positions == 54);
    CHECK(cluster_slots(spec, 2, 2)->slots() == 2 * (8 + 8 + 8 + 2));
    CHECK(cluster_slots(spec, 16, 1)->positions == 3);
    const auto none = cluster_slots(spec, 18, 1);
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == FailureKind::infeasible);
}
