// List scheduling of runs and progressions, against a plain search for the first free slot.
#include "warpline/device/free_slots.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

constexpr double no_limit = 1e12;

struct Plain {
    std::vector<double> ends;
    std::vector<FreeSlots::Given> given;

    explicit Plain(std::int64_t slots)
        : ends(static_cast<std::size_t>(slots), 0.0), given(static_cast<std::size_t>(slots)) {}

    void place(const std::vector<TimedSection>& tiles) {
        for (const TimedSection& section : tiles) {
            for (std::int64_t repeat = 0; repeat < section.repeats; ++repeat) {
                for (const TimedRun& run : section.runs) {
                    for (std::int64_t i = 0; i < run.count; ++i) {
                        place_one(section, run, repeat);
                    }
                }
            }
        }
    }

  private:
    void place_one(const TimedSection& section, const TimedRun& run, std::int64_t repeat) {
        const auto first = std::min_element(ends.begin(), ends.end());
        *first += run.duration + static_cast<double>(repeat) * section.duration_step;
        FreeSlots::Given& to = given[static_cast<std::size_t>(first - ends.begin())];
        ++to.tiles;
        to.last = run.tile;
        to.last.blocks += repeat * section.block_step;
    }
};

void check_same(const FreeSlots& slots, const Plain& plain) {
    CHECK(slots.ends() == plain.ends);
    for (std::size_t i = 0; i < plain.given.size(); ++i) {
        CHECK(slots.given()[i].tiles == plain.given[i].tiles);
        CHECK(slots.given()[i].last == plain.given[i].last);
    }
}

/// Tiles of `first` ticks and `step` more each, as a causal head has them.
std::vector<TimedSection> progression(double first, double step, std::int64_t repeats) {
    return {{{{{1 << 30, 1, 0}, first, 1}}, repeats, step < 0 ? -1 : 1, step}};
}

}  // namespace

TEST_CASE("progressions of every shape go to the slots that a plain search finds") {
    std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int round = 0; round < 600; ++round) {
        CAPTURE(round);
        const double tick = round % 3 == 0 ? 1.0 / 256.0 : round % 7 == 0 ? 0.1 : 1.0;
        std::vector<TimedSection> tiles;
        for (int sections = between(1, 4); sections > 0; --sections) {
            TimedSection section;
            section.repeats = between(1, 500);
            const int step = between(-30, 30);
            section.duration_step = tick * step;
            section.block_step = between(-2, 2);
            const int least = std::max(0, -step) * static_cast<int>(section.repeats);
            for (int runs = between(1, between(1, 3)); runs > 0; --runs) {
                const double duration = tick * (least + between(0, round % 2 == 0 ? 50 : 20000));
                section.runs.push_back({{between(1000, 2000), 1, 0}, duration, between(1, 3)});
            }
            tiles.push_back(section);
        }
        // Tenths add up to what rounding makes of them: no whole rounds of one run at a time.
        const std::int64_t count = between(tick == 0.1 ? 4 : 1, 40);
        FreeSlots slots(count, no_limit);
        Plain plain(count);
        for (int group = between(1, 4); group > 0; --group) {
            REQUIRE(slots.place(tiles));
            plain.place(tiles);
        }
        check_same(slots, plain);
    }
}

TEST_CASE("where two slots become free at one time the first in number is next") {
    const auto runs = [](const std::vector<double>& durations, std::int64_t repeats) {
        TimedSection section;
        section.repeats = repeats;
        for (const double duration : durations) {
            section.runs.push_back({{1000, 1, 0}, duration, 1});
        }
        return section;
    };
    // Cycles of rounds end where two slots meet.
    const std::vector<TimedSection> meeting = {runs({126, 110, 132, 102}, 11),
                                               runs({110, 140, 110}, 4)};
    // The slots lie just one tile apart.
    const std::vector<TimedSection> apart = {runs({1, 501}, 1), runs({500, 500, 500, 500}, 1)};
    const std::vector<TimedSection> run_apart = {runs({1, 501}, 1),
                                                 {{{{1000, 1, 0}, 500, 4}}, 1, 0, 0.0}};
    for (const auto& [tiles, count] :
         {std::pair(meeting, 4), std::pair(apart, 2), std::pair(run_apart, 2)}) {
        FreeSlots slots(count, no_limit);
        Plain plain(count);
        REQUIRE(slots.place(tiles));
        plain.place(tiles);
        check_same(slots, plain);
    }
}

TEST_CASE("heads of tiles that grow shorter are exact, one after the other") {
    for (const std::int64_t count : {1, 2, 7, 74, 132, 148}) {
        CAPTURE(count);
        FreeSlots slots(count, no_limit);
        Plain plain(count);
        for (int head = 0; head < 5; ++head) {
            const auto tiles = progression(78520.0 * 3000 + 60000, -78520, 3000);
            REQUIRE(slots.place(tiles));
            plain.place(tiles);
        }
        check_same(slots, plain);
    }
}

TEST_CASE("what a progression costs does not grow with its length") {
    for (const std::int64_t repeats : {std::int64_t{1} << 14, std::int64_t{1} << 24}) {
        const double longest = 100.0 * static_cast<double>(repeats) + 900.0;
        for (const auto& tiles :
             {progression(longest, -100, repeats), progression(1000, 100, repeats)}) {
            FreeSlots slots(148, 4000.0);
            REQUIRE(slots.place(tiles));
            const std::vector<double> ends = slots.ends();
            const auto n = static_cast<double>(repeats);
            CHECK(std::accumulate(ends.begin(), ends.end(), 0.0) ==
                  900.0 * n + 100.0 * n * (n + 1.0) / 2.0);
        }
        FreeSlots heads(148, 4000.0 * 16);
        for (int head = 0; head < 16; ++head) {
            REQUIRE(heads.place(progression(longest, -100, repeats)));
        }
    }
}

TEST_CASE("sums that cannot be exact are not taken at one stroke") {
    const auto tiles = progression(1e13 + 0.3, -1.0, 3000);
    FreeSlots slots(10, no_limit);
    Plain plain(10);
    REQUIRE(slots.place(tiles));
    plain.place(tiles);
    check_same(slots, plain);
}

TEST_CASE("a pattern of tiles comes to repeat, and costs no more from then on") {
    // One tile of four takes a little longer, as where a sliding window begins inside a block.
    const auto pattern = [](std::int64_t repeats) {
        return std::vector<TimedSection>{
            {{{{9, 1, 2}, 46168.0, 1}, {{9, 1, 1}, 44613.0, 3}}, repeats, 0, 0.0}};
    };
    for (const std::int64_t count : {std::int64_t{12}, std::int64_t{22}}) {
        CAPTURE(count);
        FreeSlots slots(count, no_limit);
        Plain plain(count);
        for (const std::int64_t repeats : {9, 5000, 301}) {  // others than the slots divide
            REQUIRE(slots.place(pattern(repeats)));
            plain.place(pattern(repeats));
            check_same(slots, plain);
        }
    }
    FreeSlots many(152, 400'000.0);
    CHECK(many.place(pattern(std::int64_t{1} << 32)));
    std::int64_t tiles = 0;
    for (const FreeSlots::Given& given : many.given()) {
        tiles += given.tiles;
    }
    CHECK(tiles == std::int64_t{1} << 34);
}

TEST_CASE("a pattern of a billion tiles is not dealt one by one") {
    const std::vector<TimedSection> tiles = {
        {{{{46, 0, 0}, 46168, 1}, {{1, 0, 0}, 100, 1'000'000'000}}, 13, 0, 0.0}};
    FreeSlots slots(4, 1 << 20);
    REQUIRE(slots.place(tiles));
    const double work = 13 * (46168.0 + 1e11);
    const std::vector<double> ends = slots.ends();
    const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
    CHECK(std::accumulate(ends.begin(), ends.end(), 0.0) == work);
    CHECK(*last - *first <= 46168);
}

TEST_CASE("equal tiles behind a long one are placed at one stroke") {
    const auto behind = [](double longest, std::int64_t count) {
        return std::vector<TimedSection>{
            {{{{1000, 1, 0}, longest, 1}, {{1, 1, 0}, 350.0, 2}, {{0, 0, 0}, 100.0, count}},
             1,
             0,
             0.0}};
    };
    for (const std::int64_t slots_count : {1, 2, 7, 30}) {
        for (const std::int64_t count : {1, 60, 1000, 20000}) {
            CAPTURE(slots_count);
            CAPTURE(count);
            FreeSlots slots(slots_count, no_limit);
            Plain plain(slots_count);
            for (int group = 0; group < 3; ++group) {
                REQUIRE(slots.place(behind(100'000.0, count)));
                plain.place(behind(100'000.0, count));
            }
            check_same(slots, plain);
        }
    }
    FreeSlots many(148, 1000.0);
    CHECK(many.place(behind(1e9, 1'000'000'000)));
}

TEST_CASE("a round takes tiles of several progressions") {
    std::vector<TimedSection> tiles;
    for (int section = 0; section < 40; ++section) {
        const double longest = 1e6 - 1e3 * section;
        tiles.push_back({{{{2000 - section, 1, 0}, longest, 1}}, 13, -1, -70.0});
    }
    FreeSlots slots(74, no_limit, FreeSlots::Keep::ends);
    Plain plain(74);
    REQUIRE(slots.place(tiles));
    plain.place(tiles);
    CHECK(slots.ends() == plain.ends);
    CHECK(slots.given().empty());
}
