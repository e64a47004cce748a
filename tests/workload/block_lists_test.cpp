#include "warpline/workload/block_lists.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::string header = "schema: warpline-blocks/1\nrows: 256\nblock: 128\n";

std::string errors(const std::string& text) {
    const auto lists = parse_block_lists(text, "lists.yaml");
    return lists ? std::string{} : lists.error().text();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("block lists are read from a document") {
    const auto lists = parse_block_lists(
        header + "tiles:\n  - {full: 3, masked: 1}\n  - {full: 0}\n  - {full: 2, count: 2}\n", "f");
    REQUIRE_MESSAGE(lists, lists.error().text());
    CHECK(*lists == BlockLists{256, 128, {{3, 1, 1}, {0, 0, 1}, {2, 0, 2}}});
    CHECK(listed_tiles(*lists) == 4);
    CHECK(listed_pairs(*lists, 1024, 1024) == 256.0 * 128 * (4 + 0 + 2 + 2));
}

TEST_CASE("what is wrong with block lists is said, all at once and with its place") {
    CHECK(contains(errors(header), "tiles"));
    CHECK(contains(errors(header + "tiles: 3\n"), "must be a list"));
    CHECK(contains(errors("schema: warpline-blocks/2\nrows: 1\nblock: 1\ntiles: []\n"),
                   "this version reads warpline-blocks/1"));
    const std::string many =
        errors(header +
               "tiles:\n  - {full: -1}\n  - {masked: 1}\n  - {full: 1, cuont: 2}\n"
               "  - {full: 1.5}\n  - {full: 1, count: 0}\n");
    CHECK(contains(many, "lists.yaml:5:"));
    CHECK(contains(many, "\"-1\""));
    CHECK(contains(many, "full"));
    CHECK(contains(many, "did you mean 'count'?"));
    CHECK(contains(many, "\"1.5\""));
    CHECK(contains(many, "from 1 to"));
    CHECK(contains(errors("schema: warpline-blocks/1\nrows: 0\nblock: 128\ntiles: []\n"), "rows"));
}

TEST_CASE("pairs are those of the listed blocks, the last tile and block of a head ragged") {
    CHECK(listed_pairs({256, 128, {{3, 1, 2}, {1, 0, 2}}}, 1024, 1024) == 256.0 * 128 * 10);
    CHECK(listed_pairs({256, 128, {{9, 0, 5}}}, 1100, 1100) == 1100.0 * 1100);
    // Two heads of five tiles.
    CHECK(listed_pairs({256, 128, {{9, 0, 10}}}, 1100, 1100) == 2 * 1100.0 * 1100);
}

TEST_CASE("a scattered pattern has its density, unevenly, and is always the same") {
    const BlockLists lists = scattered_lists(0.25, 256, 128, 65536, 65536);
    CHECK(lists == scattered_lists(0.25, 256, 128, 65536, 65536));
    CHECK(listed_tiles(lists) == 256);
    std::int64_t listed = 0, fewest = 512, most = 0;
    for (const ListedTile& tile : lists.tiles) {
        listed += tile.full;
        fewest = std::min(fewest, tile.full);
        most = std::max(most, tile.full);
    }
    // 131072 draws: the standard deviation is 157 blocks, that of one tile's 512 is 9.8.
    CHECK(static_cast<double>(listed) == doctest::Approx(0.25 * 131072).epsilon(0.02));
    CHECK(most - fewest > 20);
    CHECK(most - fewest < 100);
    CHECK(scattered_lists(1.0, 256, 128, 512, 512).tiles ==
          std::vector<ListedTile>{{4, 0, 1}, {4, 0, 1}});
    CHECK(scattered_lists(0.0, 256, 128, 256, 512).tiles == std::vector<ListedTile>{{0, 0, 1}});
}
