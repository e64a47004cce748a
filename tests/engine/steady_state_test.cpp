// Skipping whole periods of a long loop must change nothing but the number of events.
#include "fa4_like_plan.hpp"
#include "program_writer.hpp"
#include "random_plans.hpp"
#include "schedule_checks.hpp"
#include "warpline/engine/engine.hpp"

#include <doctest/doctest.h>

namespace warpline::test {

namespace {

/// Runs both ways; returns whether anything was skipped.
bool check_fold(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                const MemoryEnvironment& memory, EngineOptions options = {}) {
    options.fold_steady_state = true;
    const auto folded = simulate(plan, tiles, memory, options);
    options.fold_steady_state = false;
    const auto whole = simulate(plan, tiles, memory, options);
    REQUIRE(folded.has_value());
    REQUIRE(whole.has_value());
    check_accounts(*folded);
    check_accounts(*whole);
    check_same(*folded, *whole);
    return folded->events_processed < whole->events_processed;
}

}  // namespace

TEST_CASE("random pipelines fold exactly") {
    int skipped = 0;
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        RandomCase random = random_case(seed);
        random.tiles = {{{150 + seed, 2, 1}, 1}, {{3, 1, 0}, 2}, {{260, 1, 1}, 2}};
        EngineOptions options;
        options.role_offsets = random.role_offsets;
        options.granularity = 1 + static_cast<int>(seed % 9);
        skipped += check_fold(random.plan, random.tiles, random.memory, options) ? 1 : 0;
    }
    CHECK(skipped >= 140);
    MESSAGE("skipped periods in " << skipped << " of 150 random pipelines");
}

TEST_CASE("tiles that are masked throughout fold exactly, too") {
    int skipped = 0;
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        RandomCase random = random_case(seed);
        const std::int64_t blocks = 200 + seed;
        random.tiles = {{{blocks, blocks, 0}, 1}, {{blocks, blocks - 1, 0}, 1}, {{3, 3, 0}, 2}};
        EngineOptions options;
        options.role_offsets = random.role_offsets;
        skipped += check_fold(random.plan, random.tiles, random.memory, options) ? 1 : 0;
    }
    CHECK(skipped >= 45);
}

TEST_CASE("a tile that repeats the one before says what every further one adds") {
    int repeating = 0;
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const RandomCase random = random_case(seed);
        EngineOptions options;
        options.role_offsets = random.role_offsets;
        const Engine engine(random.plan, options);
        const auto tiles = [&](std::int64_t count) {
            return engine.run({{{150 + seed, 2, 1}, count}}, random.memory).value();
        };
        const Schedule two = tiles(2);
        if (!two.repeat.found) {
            continue;
        }
        ++repeating;
        for (const std::int64_t count : {1, 3, 5}) {
            CAPTURE(count);
            const Schedule other = tiles(count);
            const TileRepeat& repeat = two.repeat;
            CHECK(other.makespan == two.makespan + (count - 2) * repeat.period);
            CHECK(other.flops == two.flops + (count - 2) * repeat.flops);
            CHECK(other.bytes_read == two.bytes_read + (count - 2) * repeat.bytes_read);
            CHECK(other.bytes_written == two.bytes_written + (count - 2) * repeat.bytes_written);
            for (std::size_t i = 0; i < two.units.size(); ++i) {
                CHECK(other.units[i].busy == two.units[i].busy + (count - 2) * repeat.busy[i]);
            }
            if (count > 1) {  // alone, the first tile meets no other's work
                CHECK(other.tile_ends[0] == two.tile_ends[0]);
            }
            for (std::size_t tile = 1; tile + 1 < other.tile_ends.size(); ++tile) {
                CHECK(other.tile_ends[tile] == other.tile_ends[tile - 1] + repeat.period);
            }
        }
    }
    CHECK(repeating >= 10);
}

TEST_CASE("the growth of one period is what one more period adds") {
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        const RandomCase random = random_case(seed);
        const auto one = simulate(random.plan, {{{300, 2, 1}, 1}}, random.memory).value();
        if (!one.steady.found) {
            continue;
        }
        const std::int64_t longer = 300 + one.steady.blocks;
        const auto more = simulate(random.plan, {{{longer, 2, 1}, 1}}, random.memory).value();
        CHECK(more.makespan == one.makespan + one.steady.period);
        for (std::size_t i = 0; i < one.units.size(); ++i) {
            CHECK(more.units[i].busy == one.units[i].busy + one.steady.busy[i]);
        }
    }
}

TEST_CASE("an FA4-like plan folds exactly at any trip count and ring size") {
    for (const int stages : {2, 3, 5, 7}) {
        for (const int rescale : {0, 1, 5, 32}) {
            Fa4LikeShape shape;
            shape.kv_stages = stages;
            shape.rescale_64ths = rescale;
            CAPTURE(stages);
            CAPTURE(rescale);
            const std::vector<TileRun> tiles = {
                {{600, 2, 0}, 1}, {{37, 1, 0}, 2}, {{601, 1, 0}, 1}};
            CHECK(check_fold(fa4_like_plan(shape), tiles, fa4_like_memory()));
        }
    }
}

TEST_CASE("few blocks: none, one, about as many as the ring has stages") {
    const KernelPlan plan = fa4_like_plan();
    for (std::int64_t blocks = 0; blocks <= 9; ++blocks) {
        CAPTURE(blocks);
        check_fold(plan, {{{blocks, std::min<std::int64_t>(blocks, 1), 0}, 3}}, fa4_like_memory());
        check_fold(plan, {{{blocks, 0, 0}, 1}, {{0, 0, 0}, 1}, {{blocks, 0, 0}, 1}},
                   fa4_like_memory());
    }
    const auto empty = simulate(plan, {}, fa4_like_memory());
    REQUIRE(empty.has_value());
    CHECK(empty->tile_ends.empty());
}

TEST_CASE("two billion blocks take no more events than two thousand") {
    const KernelPlan plan = fa4_like_plan();
    const auto some = simulate(plan, one_tile(2048), fa4_like_memory());
    const auto many = simulate(plan, one_tile(std::int64_t{1} << 31U), fa4_like_memory());
    REQUIRE(some.has_value());
    REQUIRE(many.has_value());
    check_accounts(*many);
    CHECK(many->events_processed < 2 * some->events_processed);
    REQUIRE(many->steady.found);
    const auto growth = static_cast<double>(many->makespan - some->makespan);
    const double blocks = static_cast<double>((std::int64_t{1} << 31U) - 2048);
    const double per_block =
        static_cast<double>(many->steady.period) / static_cast<double>(many->steady.blocks);
    CHECK(growth / blocks == doctest::Approx(per_block).epsilon(1e-6));
}

TEST_CASE("what repeats is skipped up to the last iteration, where that is like any other") {
    // The shortest loop in which the state is seen to recur in time has one period to skip.
    const KernelPlan plan = fa4_like_plan({3, 0, 0, true});
    const auto run = [&](std::int64_t blocks, bool fold) {
        EngineOptions options;
        options.fold_steady_state = fold;
        return simulate(plan, one_tile(blocks), fa4_like_memory(), options).value();
    };
    std::int64_t blocks = 4;
    while (blocks < 60 && !run(blocks, true).steady.found) {
        ++blocks;
    }
    const Schedule folded = run(blocks, true);
    REQUIRE(folded.steady.blocks == 1);
    const Schedule whole = run(blocks, false);
    check_same(folded, whole);
    CHECK(folded.events_processed < whole.events_processed);
}

TEST_CASE("a schedule longer than the clock can count is an error") {
    const auto schedule =
        simulate(fa4_like_plan(), {{{std::int64_t{1} << 61U, 1, 0}, 1}}, fa4_like_memory());
    REQUIRE_FALSE(schedule.has_value());
    CHECK(schedule.error().kind == FailureKind::infeasible);
}

TEST_CASE("a run beyond the event limit is an error") {
    EngineOptions options;
    options.max_events = 1000;
    const auto schedule = simulate(fa4_like_plan(), one_tile(64), fa4_like_memory(), options);
    REQUIRE_FALSE(schedule.has_value());
    CHECK(schedule.error().kind == FailureKind::infeasible);
}

}  // namespace warpline::test
