#include "warpline/workload/block_lists.hpp"

#include "warpline/workload/tiling.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::string header = "schema: warpline-blocks/1\nrows: 256\nblock: 128\n";

AttentionProblem problem(const BlockLists& lists) {
    AttentionProblem p;
    p.batch = 2;
    p.heads_q = p.heads_kv = 3;
    p.seqlen_q = p.seqlen_kv = 1024;
    p.blocks = lists;
    return p;
}

std::string errors(const std::string& text) {
    const auto lists = parse_block_lists(text, "lists.yaml");
    return lists ? std::string{} : lists.error().text();
}

std::string refusal(const BlockLists& lists) {
    const auto checked = make_attention(problem(lists));
    return checked ? std::string{} : checked.error().text();
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

TEST_CASE("lists must fit the problem that they belong to") {
    CHECK(refusal({256, 128, {{3, 1, 4}}}).empty());   // one head for all
    CHECK(refusal({256, 128, {{3, 1, 24}}}).empty());  // every head its own
    CHECK(contains(refusal({256, 128, {{3, 1, 5}}}), "a head has 4 of 256 rows, and all heads 24"));
    CHECK(contains(refusal({256, 128, {{9, 0, 4}}}), "full blocks of entry 1"));
    CHECK(contains(refusal({256, 128, {{7, 2, 4}}}), "masked blocks of entry 1"));
    CHECK(contains(refusal({256, 128, {{7, 1, 0}}}), "count of entry 1"));
    AttentionProblem causal = problem({256, 128, {{3, 1, 4}}});
    causal.mask.kind = MaskKind::causal;
    CHECK(contains(make_attention(causal).error().text(), "in place of a mask"));
    AttentionProblem backward = problem({256, 128, {{3, 1, 4}}});
    backward.direction = Direction::backward;
    CHECK(contains(make_attention(backward).error().text(), "forward problem only"));
    AttentionProblem ragged = problem({256, 128, {{3, 1, 4}}});
    ragged.varlen = {{1024, 1024}};
    CHECK(contains(make_attention(ragged).error().text(), "one length"));
}

TEST_CASE("listed blocks are what is counted") {
    const AttentionProblem shared = problem({256, 128, {{3, 1, 2}, {1, 0, 2}}});
    const double pairs = 256.0 * 128 * (4 + 4 + 1 + 1) * 6;
    CHECK(unmasked_scores(shared) == pairs);
    CHECK(counted_flops(shared) == pairs * 2 * 256);
    CHECK(contains(describe(shared), "blocks 31.2 %"));
    AttentionProblem dense = problem({256, 128, {{8, 0, 4}}});
    const double all = counted_flops(dense);
    dense.blocks.reset();
    CHECK(all == counted_flops(dense));
    // A last tile of 76 rows and a last block of 76 keys.
    AttentionProblem ragged = problem({256, 128, {{9, 0, 5}}});
    ragged.seqlen_q = ragged.seqlen_kv = 1100;
    CHECK(unmasked_scores(ragged) == 1100.0 * 1100 * 6);
}

TEST_CASE("lists become tiles, masked blocks first, for shapes that take them") {
    const AttentionProblem p = problem({256, 128, {{3, 1, 2}, {0, 0, 1}, {2, 2, 1}}});
    TileShape shape{.rows = 256, .block = 128};
    CHECK(expand_group(cut_into_tiles(p, shape).at(0)) ==
          std::vector<TileRun>{{{8, 1, 0}, 4}});  // a dense kernel does not look at them
    shape.block_lists = true;
    const auto tiles = cut_into_tiles(p, shape);
    REQUIRE(tiles.size() == 1);
    CHECK(tiles[0].groups == 6);
    CHECK(expand_group(tiles[0]) ==
          std::vector<TileRun>{{{4, 1, 0}, 2}, {{0, 0, 0}, 1}, {{4, 2, 0}, 1}});
    shape.order = TileOrder::longest_first;
    CHECK(expand_group(cut_into_tiles(p, shape).at(0)) ==
          std::vector<TileRun>{{{4, 2, 0}, 1}, {{0, 0, 0}, 1}, {{4, 1, 0}, 2}});
    const AttentionProblem own = problem({256, 128, {{1, 0, 12}, {8, 0, 12}}});
    shape.order = TileOrder::linear;
    const auto every = cut_into_tiles(own, shape);
    CHECK(every.at(0).groups == 1);
    CHECK(count_tiles(every).value() == 24);
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
