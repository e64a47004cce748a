#include "warpline/device/kernel_tiles.hpp"

#include "warpline/device/predict_listed.hpp"
#include "warpline/pipeline/tile_work.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

AttentionProblem problem() {
    AttentionProblem p;
    p.batch = 2;
    p.heads_q = p.heads_kv = 3;
    p.seqlen_q = p.seqlen_kv = 1024;
    return p;
}

KernelPlan plan(const TileWork& work) {
    KernelPlan out;
    out.kernel = "mine";
    out.tiles.rows = 256;
    out.tiles.block = 128;
    write_tile_work(work, out.parameters);
    return out;
}

const TileWork listing{1, false, true};

std::string refusal(const BlockLists& lists, const AttentionProblem& p = problem(),
                    const TileWork& work = listing) {
    const auto fits = check_block_lists(lists, p, plan(work));
    return fits ? std::string{} : fits.error().text();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a plan carries what its tiles do with their blocks") {
    CHECK(tile_work(KernelPlan{}) == TileWork{});
    const TileWork work{8, true, true, true};
    CHECK(tile_work(plan(work)) == work);
    CHECK(plan(TileWork{}).parameters.empty());
}

TEST_CASE("tiles that visit their blocks in the other order run masked code at the other end") {
    AttentionProblem p = problem();
    p.mask.kind = MaskKind::sliding_window;
    p.mask.window = 200;
    TileWork work;
    const auto usual = kernel_tiles(p, plan(work));
    work.reversed = true;
    const auto reversed = kernel_tiles(p, plan(work));
    REQUIRE(usual.size() == reversed.size());
    for (std::size_t i = 0; i < usual.size(); ++i) {
        const auto a = expand_group(usual[i]), b = expand_group(reversed[i]);
        REQUIRE(a.size() == b.size());
        for (std::size_t j = 0; j < a.size(); ++j) {
            CHECK(a[j].count == b[j].count);
            CHECK(a[j].tile.blocks == b[j].tile.blocks);
            CHECK(a[j].tile.masked_first == b[j].tile.masked_last);
            CHECK(a[j].tile.masked_last == b[j].tile.masked_first);
        }
    }
}

TEST_CASE("tiles are shared out to a plan's splits") {
    AttentionProblem p;
    p.heads_q = 32;
    p.heads_kv = 4;
    p.seqlen_kv = 8192;
    KernelPlan split = plan({8, false, false});
    split.tiles.rows = 64;
    split.tiles.pack_gqa = true;
    CHECK(kernel_tiles(p, split) == std::vector<HeadTiles>{{{{{{{8, 1, 0}, 8}}, 1, 0}}, 4}});
    CHECK(count_tiles(kernel_tiles(p, split)).value() == 32);
    CHECK(kernel_tiles(p, plan({})) == cut_into_tiles(p, plan({}).tiles));
}

TEST_CASE("lists become tiles, masked blocks first, of one head for all or of every head") {
    const BlockLists lists{256, 128, {{3, 1, 2}, {0, 0, 1}, {2, 2, 1}}};
    REQUIRE(refusal(lists).empty());
    KernelPlan kernel = plan(listing);
    const auto tiles = kernel_tiles(problem(), kernel, lists);
    REQUIRE(tiles.size() == 1);
    CHECK(tiles[0].groups == 6);
    CHECK(expand_group(tiles[0]) ==
          std::vector<TileRun>{{{4, 1, 0}, 2}, {{0, 0, 0}, 1}, {{4, 2, 0}, 1}});
    kernel.tiles.order = TileOrder::longest_first;
    CHECK(expand_group(kernel_tiles(problem(), kernel, lists)[0]) ==
          std::vector<TileRun>{{{4, 2, 0}, 1}, {{0, 0, 0}, 1}, {{4, 1, 0}, 2}});
    const BlockLists own{256, 128, {{1, 0, 12}, {8, 0, 12}}};
    REQUIRE(refusal(own).empty());
    const auto every = kernel_tiles(problem(), kernel, own);
    CHECK(every.at(0).groups == 1);
    CHECK(count_tiles(every).value() == 24);
    CHECK(all_listed_pairs(own, problem()) == 256.0 * 128 * (12 + 8 * 12));
    CHECK(all_listed_pairs(lists, problem()) == 256.0 * 128 * 12 * 6);
    CHECK(all_listed_pairs({256, 128, {{8, 0, 4}}}, problem()) == unmasked_scores(problem()));
}

TEST_CASE("lists must fit the problem and the kernel") {
    CHECK(contains(refusal({256, 128, {{3, 1, 5}}}), "a head has 4 of 256 rows, and all heads 24"));
    CHECK(contains(refusal({256, 128, {{9, 0, 4}}}), "entry 1 of the block lists has 9 blocks"));
    CHECK(contains(refusal({256, 128, {{1, 0, 3}, {7, 2, 1}}}), "entry 2"));
    AttentionProblem p = problem();
    p.mask.kind = MaskKind::causal;
    CHECK(contains(refusal({256, 128, {{3, 1, 4}}}, p), "in place of a mask"));
    p = problem();
    p.direction = Direction::backward;
    CHECK(contains(refusal({256, 128, {{3, 1, 4}}}, p), "forward problem only"));
    p = problem();
    p.varlen = {{1024, 1024}};
    CHECK(contains(refusal({256, 128, {{3, 1, 4}}}, p), "one length"));
    CHECK(contains(refusal({256, 128, {{3, 1, 4}}}, problem(), {}), "takes no block lists"));
    CHECK(contains(refusal({128, 128, {{3, 1, 8}}}),
                   "tiles of 128 x 128, the kernel's are 256 x 128"));
    const BlockLists usage{256, 128, {{3, 1, 5}}};
    CHECK(check_block_lists(usage, problem(), plan(listing)).error().kind == FailureKind::usage);
    const BlockLists other{128, 128, {{3, 1, 8}}};
    CHECK(check_block_lists(other, problem(), plan(listing)).error().kind ==
          FailureKind::infeasible);
}
