#include "warpline/workload/split_tiles.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

/// Every tile on its own, in launch order.
std::vector<TileClass> written_out(const std::vector<TileSection>& sections) {
    std::vector<TileClass> tiles;
    for (const TileSection& section : sections) {
        for (std::int64_t i = 0; i < section.repeats; ++i) {
            for (const TileRun& run : section.runs) {
                TileClass tile = run.tile;
                tile.blocks += i * section.step;
                tiles.insert(tiles.end(), static_cast<std::size_t>(run.count), tile);
            }
        }
    }
    return tiles;
}

/// The parts of one tile, by following its visiting order block by block.
std::vector<TileClass> parts_by_hand(const TileClass& tile, std::int64_t splits) {
    const std::int64_t share = (tile.blocks + splits - 1) / splits;
    std::vector<TileClass> parts(static_cast<std::size_t>(splits));
    for (std::int64_t block = 0; block < tile.blocks; ++block) {
        TileClass& part = parts[static_cast<std::size_t>(block / share)];
        const bool leading = part.blocks == 0 || block < tile.masked_first;
        part.masked_first += leading ? 1 : 0;
        part.masked_last += !leading && block >= tile.blocks - tile.masked_last ? 1 : 0;
        ++part.blocks;
    }
    return parts;
}

/// What splitting must give: as a multiset, since equal tiles of a run are split together.
std::vector<TileClass> expected(const std::vector<TileSection>& sections, std::int64_t splits) {
    std::vector<TileClass> all;
    for (const TileClass& tile : written_out(sections)) {
        const auto parts = parts_by_hand(tile, splits);
        all.insert(all.end(), parts.begin(), parts.end());
    }
    return all;
}

std::vector<TileClass> sorted(std::vector<TileClass> tiles) {
    std::sort(tiles.begin(), tiles.end(), [](const TileClass& a, const TileClass& b) {
        return std::vector{a.blocks, a.masked_first, a.masked_last} <
               std::vector{b.blocks, b.masked_first, b.masked_last};
    });
    return tiles;
}

}  // namespace

TEST_CASE("splits share out a tile's blocks, the last taking what is left") {
    const std::vector<TileSection> sections = {{{{{10, 1, 0}, 6}}, 1, 0}};
    CHECK(split_tiles(sections, 1) == sections);
    CHECK(split_tiles(sections, 3) ==
          std::vector<TileSection>{{{{{4, 1, 0}, 12}, {{2, 1, 0}, 6}}, 1, 0}});
    // Six parts of two blocks would be twelve: the sixth has none.
    CHECK(split_tiles(sections, 6) ==
          std::vector<TileSection>{{{{{2, 1, 0}, 30}, {{0, 0, 0}, 6}}, 1, 0}});
    const std::vector<TileSection> none = {{{{{0, 0, 0}, 2}}, 1, 0}};
    CHECK(split_tiles(none, 4) == std::vector<TileSection>{{{{{0, 0, 0}, 8}}, 1, 0}});
}

TEST_CASE("masked blocks go with the parts that visit them") {
    const std::vector<TileSection> sections = {{{{{8, 3, 2}, 1}}, 1, 0}};
    CHECK(written_out(split_tiles(sections, 4)) ==
          std::vector<TileClass>{{2, 2, 0}, {2, 1, 0}, {2, 1, 0}, {2, 1, 1}});
}

TEST_CASE("splitting agrees with following every block, progressions included") {
    std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int round = 0; round < 2000; ++round) {
        TileSection section;
        section.repeats = between(1, 60);
        section.step = between(-4, 4);
        const std::int64_t low = section.step < 0 ? -section.step * (section.repeats - 1) : 0;
        for (int i = between(1, 3); i > 0; --i) {
            TileClass tile;
            tile.blocks = low + between(3, 40);
            tile.masked_first = between(1, 2);
            tile.masked_last = between(0, 1);
            section.runs.push_back({tile, between(1, 3)});
        }
        const std::int64_t splits = between(1, 7);
        const auto split = split_tiles({section}, splits);
        REQUIRE(sorted(written_out(split)) == sorted(expected({section}, splits)));
    }
}

TEST_CASE("a long progression stays one") {
    const std::vector<TileSection> sections = {{{{{1000, 2, 0}, 1}}, 100'000, 2}};
    const auto split = split_tiles(sections, 6);
    CHECK(split.size() <= 3);
    std::int64_t blocks = 0;
    for (const TileClass& tile : written_out(split)) {
        blocks += tile.blocks;
    }
    CHECK(blocks == 100'000LL * 1000 + 100'000LL * 99'999);
}
