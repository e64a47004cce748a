#include "warpline/workload/tiling.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

/// The keys that a packed query row sees, by the definition of the mask. `edge` columns are the
/// newest and the oldest key of the row, whether or not they exist.
struct RowView {
    std::int64_t low, high;  ///< inclusive; before clamping to the sequence
};

RowView view(std::int64_t token, const SequencePair& s, const Mask& mask) {
    const std::int64_t newest = token + s.kv - s.q;
    if (mask.kind == MaskKind::full) {
        return {0, s.kv - 1};
    }
    return {mask.kind == MaskKind::causal ? 0 : newest - mask.window + 1, newest};
}

/// Forward, by brute force over every (row, key) pair of the tile, padding rows included.
TileClass forward_tile(std::int64_t index, const SequencePair& s, const Mask& mask,
                       const TileShape& shape, std::int64_t packed) {
    std::set<std::int64_t> visited;
    std::set<std::int64_t> beyond_newest;
    std::set<std::int64_t> beyond_oldest;
    for (std::int64_t row = index * shape.rows; row < (index + 1) * shape.rows; ++row) {
        const RowView v = view(row / packed, s, mask);
        for (std::int64_t key = 0; key < (s.kv + shape.block - 1) / shape.block * shape.block;
             ++key) {
            const std::int64_t block = key / shape.block;
            if (key >= v.low && key <= v.high && key < s.kv) {
                visited.insert(block);
            }
            if (mask.kind != MaskKind::full && key >= v.high) {
                beyond_newest.insert(block);
            }
            if (mask.kind == MaskKind::sliding_window && key <= v.low) {
                beyond_oldest.insert(block);
            }
        }
    }
    if (visited.empty()) {
        return {};
    }
    TileClass t;
    t.blocks = *visited.rbegin() - *visited.begin() + 1;
    for (std::int64_t b = *visited.rbegin(); b >= *visited.begin(); --b) {
        t.masked_first += beyond_newest.count(b) != 0 ? 1 : 0;
    }
    t.masked_first = std::max<std::int64_t>(1, t.masked_first);
    for (std::int64_t b = *visited.begin(); b <= *visited.rbegin() - t.masked_first; ++b) {
        t.masked_last += beyond_oldest.count(b) != 0 ? 1 : 0;
    }
    return t;
}

/// Backward, likewise: a tile of keys visits blocks of query rows.
TileClass backward_tile(std::int64_t index, const SequencePair& s, const Mask& mask,
                        const TileShape& shape, std::int64_t packed) {
    std::set<std::int64_t> visited;
    std::set<std::int64_t> newest_edge;
    std::set<std::int64_t> oldest_edge;
    const std::int64_t rows = s.q * packed;
    for (std::int64_t row = 0; row < (rows + shape.block - 1) / shape.block * shape.block; ++row) {
        const RowView v = view(row / packed, s, mask);
        const std::int64_t block = row / shape.block;
        for (std::int64_t key = index * shape.rows; key < (index + 1) * shape.rows; ++key) {
            if (row < rows && key >= v.low && key <= v.high) {
                visited.insert(block);
            }
            if (mask.kind != MaskKind::full && row < rows && key >= v.high) {
                newest_edge.insert(block);
            }
            if (mask.kind == MaskKind::sliding_window && key <= v.low) {
                oldest_edge.insert(block);
            }
        }
    }
    if (mask.kind == MaskKind::full) {
        for (std::int64_t b = 0; b * shape.block < rows; ++b) {
            visited.insert(b);
        }
    }
    if (visited.empty()) {
        return {};
    }
    TileClass t;
    t.blocks = *visited.rbegin() - *visited.begin() + 1;
    for (std::int64_t b = *visited.begin(); b <= *visited.rbegin(); ++b) {
        t.masked_first += newest_edge.count(b) != 0 ? 1 : 0;
    }
    for (std::int64_t b = *visited.begin() + t.masked_first; b <= *visited.rbegin(); ++b) {
        t.masked_last += oldest_edge.count(b) != 0 ? 1 : 0;
    }
    if ((index + 1) * shape.rows > s.kv) {
        t.masked_first = t.blocks;
        t.masked_last = 0;
    }
    return t;
}

std::vector<TileRun> brute_force(const SequencePair& s, const Mask& mask, const TileShape& shape,
                                 std::int64_t packed) {
    const bool forward = shape.loop == TileLoop::over_kv;
    const std::int64_t length = forward ? s.q * packed : s.kv;
    std::vector<TileRun> runs;
    for (std::int64_t i = 0; i * shape.rows < length; ++i) {
        const TileClass t = forward ? forward_tile(i, s, mask, shape, packed)
                                    : backward_tile(i, s, mask, shape, packed);
        if (!runs.empty() && runs.back().tile == t) {
            ++runs.back().count;
        } else {
            runs.push_back({t, 1});
        }
    }
    if (shape.order == TileOrder::longest_first) {
        std::reverse(runs.begin(), runs.end());
    }
    return runs;
}

AttentionProblem square(std::int64_t length, MaskKind kind, std::int64_t window = 0) {
    AttentionProblem p;
    p.seqlen_q = p.seqlen_kv = length;
    p.mask = {kind, window};
    return p;
}

constexpr TileShape fa4 = {.rows = 256, .block = 128};

}  // namespace

TEST_CASE("tiles agree with the mask, pair by pair, for many small shapes") {
    std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int round = 0; round < 4000; ++round) {
        AttentionProblem p;
        const int packed = between(1, 4);
        p.heads_kv = between(1, 2);
        p.heads_q = packed * p.heads_kv;
        p.seqlen_q = between(1, 60);
        p.seqlen_kv = between(0, 60);
        const auto kind = static_cast<MaskKind>(between(0, 2));
        p.mask = {kind, kind == MaskKind::sliding_window ? between(1, 50) : 0};
        TileShape shape;
        shape.rows = between(1, 16);
        shape.block = between(1, 12);
        shape.loop = between(0, 1) == 0 ? TileLoop::over_kv : TileLoop::over_q;
        shape.order = between(0, 1) == 0 ? TileOrder::linear : TileOrder::longest_first;
        shape.pack_gqa = between(0, 1) == 0;
        const auto tiles = cut_into_tiles(p, shape);
        REQUIRE(tiles.size() == 1);
        CHECK(tiles[0].groups == (shape.pack_gqa ? p.heads_kv : p.heads_q));
        const std::string text = describe(p);
        CAPTURE(text);
        CAPTURE(shape.rows);
        CAPTURE(shape.block);
        CAPTURE(shape.pack_gqa);
        CAPTURE(static_cast<int>(shape.loop));
        REQUIRE(expand_group(tiles[0]) ==
                brute_force({p.seqlen_q, p.seqlen_kv}, p.mask, shape, shape.pack_gqa ? packed : 1));
    }
}

TEST_CASE("a causal forward head: tile m has 2(m+1) blocks, the first two masked") {
    const auto tiles = cut_into_tiles(square(4096, MaskKind::causal), fa4);
    const auto runs = expand_group(tiles.at(0));
    REQUIRE(runs.size() == 16);
    std::int64_t executed = 0;
    for (std::size_t m = 0; m < runs.size(); ++m) {
        const auto blocks = 2 * (static_cast<std::int64_t>(m) + 1);
        CHECK(runs[m] == TileRun{{blocks, 2, 0}, 1});
        executed += 2 * blocks;  // two 128-row stages
    }
    const double counted = 4096.0 * 4096.0 / 2.0 / (128.0 * 128.0);
    CHECK(static_cast<double>(executed) / counted == 1.0 + 256.0 / 4096.0);
}

TEST_CASE("a full forward head is one run with its first block masked") {
    auto p = square(8192, MaskKind::full);
    p.batch = 4;
    p.heads_q = p.heads_kv = 16;
    const auto tiles = cut_into_tiles(p, fa4);
    REQUIRE(tiles.size() == 1);
    CHECK(tiles[0] == HeadTiles{{{{{{64, 1, 0}, 32}}, 1, 0}}, 64});
    CHECK(count_tiles(tiles).value() == 2048);
}

TEST_CASE("causal backward of a CTA pair: executed over counted blocks is 1 + 256 / S") {
    TileShape shape = fa4;
    shape.loop = TileLoop::over_q;
    const auto runs = expand_group(cut_into_tiles(square(4096, MaskKind::causal), shape).at(0));
    std::int64_t executed = 0;
    for (const TileRun& run : runs) {
        executed += 2 * run.tile.blocks * run.count;
    }
    CHECK(runs.front().tile == TileClass{32, 2, 0});
    CHECK(static_cast<double>(executed) / (32.0 * 32.0 / 2.0) == 1.0 + 256.0 / 4096.0);
}

TEST_CASE("tiles that see no key are kept with no blocks") {
    auto p = square(1000, MaskKind::full);
    p.seqlen_kv = 0;
    auto tiles = cut_into_tiles(p, fa4);
    CHECK(expand_group(tiles.at(0)) == std::vector<TileRun>{{{0, 0, 0}, 4}});
    p = square(1024, MaskKind::causal);
    p.seqlen_kv = 128;  // only the last 128 queries see anything
    tiles = cut_into_tiles(p, fa4);
    CHECK(expand_group(tiles.at(0)) == std::vector<TileRun>{{{0, 0, 0}, 3}, {{1, 1, 0}, 1}});
    TileShape backward = fa4;
    backward.loop = TileLoop::over_q;
    p.seqlen_kv = 0;
    CHECK(count_tiles(cut_into_tiles(p, backward)).value() == 0);
}

TEST_CASE("equal neighbours of a list of sequences are one batch; heads of a group interleave") {
    AttentionProblem p = square(1, MaskKind::causal);
    p.heads_q = p.heads_kv = 3;
    p.varlen = {{256, 256}, {256, 256}, {512, 512}};
    auto tiles = cut_into_tiles(p, fa4);
    REQUIRE(tiles.size() == 2);
    CHECK(tiles[0].groups == 6);
    CHECK(tiles[1].groups == 3);
    TileShape grouped = fa4;
    grouped.order = TileOrder::longest_first;
    grouped.head_group = 2;
    p = square(512, MaskKind::causal);
    p.batch = 1;
    p.heads_q = p.heads_kv = 5;
    tiles = cut_into_tiles(p, grouped);
    REQUIRE(tiles.size() == 2);
    CHECK(tiles[0].groups == 2);
    CHECK(expand_group(tiles[0]) == std::vector<TileRun>{{{4, 2, 0}, 2}, {{2, 2, 0}, 2}});
    CHECK(tiles[1].groups == 1);
    CHECK(expand_group(tiles[1]) == std::vector<TileRun>{{{4, 2, 0}, 1}, {{2, 2, 0}, 1}});
}

TEST_CASE("the longest heads stay small, whatever the mask") {
    constexpr std::int64_t longest = 2147483647;
    for (const std::int64_t rows : {256, 192, 128}) {
        for (const TileLoop loop : {TileLoop::over_kv, TileLoop::over_q}) {
            TileShape shape = fa4;
            shape.rows = rows;
            shape.loop = loop;
            shape.order = TileOrder::longest_first;
            for (const Mask mask : {Mask{MaskKind::full, 0}, Mask{MaskKind::causal, 0},
                                    Mask{MaskKind::sliding_window, 4096},
                                    Mask{MaskKind::sliding_window, longest / 2}}) {
                auto p = square(longest, mask.kind, mask.window);
                p.heads_q = 8;
                const auto tiles = cut_into_tiles(p, shape);
                std::size_t runs = 0;
                for (const TileSection& section : tiles.at(0).sections) {
                    runs += section.runs.size();
                }
                CHECK(runs < 200);
                CHECK(tiles_in_group(tiles[0]) == (longest + rows - 1) / rows);
            }
        }
    }
}

TEST_CASE("a causal head of any length is one progression") {
    const auto tiles = cut_into_tiles(square(1 << 30, MaskKind::causal), fa4);
    CHECK(tiles.at(0).sections == std::vector<TileSection>{{{{{2, 2, 0}, 1}}, 1 << 22, 2}});
}

TEST_CASE("more tiles than can be counted are refused, not wrapped") {
    auto p = square(2147483647, MaskKind::full);
    p.batch = p.heads_q = p.heads_kv = 2147483647;
    const auto count = count_tiles(cut_into_tiles(p, fa4));
    REQUIRE_FALSE(count);
    CHECK(count.error().kind == FailureKind::infeasible);
}
