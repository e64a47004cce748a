#include "warpline/device/kernel_tiles.hpp"

#include "warpline/pipeline/tile_work.hpp"
#include "warpline/workload/split_tiles.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

[[nodiscard]] std::int64_t tiles_of_head(const BlockLists& lists, const AttentionProblem& problem) {
    return (problem.seqlen_q + lists.rows - 1) / lists.rows;
}

[[nodiscard]] double all_heads(const AttentionProblem& problem) {
    return static_cast<double>(problem.heads_q) * static_cast<double>(problem.batch);
}

/// What contradicts the problem; empty when nothing does.
[[nodiscard]] std::string contradiction(const BlockLists& lists, const AttentionProblem& problem) {
    if (problem.direction != Direction::forward) {
        return "block lists are of a forward problem only";
    }
    if (problem.mask.kind != MaskKind::full) {
        return "block lists stand in place of a mask";
    }
    if (!problem.varlen.empty()) {
        return "block lists want sequences of one length";
    }
    const std::int64_t blocks = (problem.seqlen_kv + lists.block - 1) / lists.block;
    for (std::size_t i = 0; i < lists.tiles.size(); ++i) {
        const ListedTile& tile = lists.tiles[i];
        if (tile.full + tile.masked > blocks) {
            return fmt::format(
                "entry {} of the block lists has {} blocks, but there are {} of {} "
                "keys",
                i + 1, tile.full + tile.masked, blocks, lists.block);
        }
    }
    const std::int64_t listed = listed_tiles(lists);
    const std::int64_t of_head = tiles_of_head(lists, problem);
    const double of_all = static_cast<double>(of_head) * all_heads(problem);
    if (listed != of_head && static_cast<double>(listed) != of_all) {
        return fmt::format(
            "the block lists are of {} tiles, but a head has {} of {} rows, and all "
            "heads {:.0f}",
            listed, of_head, lists.rows, of_all);
    }
    return {};
}

/// What runs masked code first runs it last, and the other way round.
void visit_backwards(HeadTiles& head) {
    for (TileSection& section : head.sections) {
        for (TileRun& run : section.runs) {
            std::swap(run.tile.masked_first, run.tile.masked_last);
        }
    }
}

/// The runs of the lists, in launch order.
[[nodiscard]] TileSection section_of(const BlockLists& lists, TileOrder order) {
    TileSection section;
    for (const ListedTile& tile : lists.tiles) {
        section.runs.push_back({{tile.full + tile.masked, tile.masked, 0}, tile.count});
    }
    if (order == TileOrder::longest_first) {
        std::reverse(section.runs.begin(), section.runs.end());
    }
    return section;
}

}  // namespace

std::vector<HeadTiles> kernel_tiles(const AttentionProblem& problem, const KernelPlan& plan) {
    std::vector<HeadTiles> tiles = cut_into_tiles(problem, plan.tiles);
    const TileWork work = tile_work(plan);
    for (HeadTiles& head : tiles) {
        if (work.reversed) {
            visit_backwards(head);
        }
        head.sections = split_tiles(head.sections, work.splits);
    }
    return tiles;
}

std::vector<HeadTiles> kernel_tiles(const AttentionProblem& problem, const KernelPlan& plan,
                                    const BlockLists& lists) {
    HeadTiles head;
    head.sections = split_tiles({section_of(lists, plan.tiles.order)}, tile_work(plan).splits);
    head.groups =
        listed_tiles(lists) == tiles_of_head(lists, problem) ? problem.heads_q * problem.batch : 1;
    return {head};
}

Result<void> check_block_lists(const BlockLists& lists, const AttentionProblem& problem,
                               const KernelPlan& plan) {
    if (const std::string why = contradiction(lists, problem); !why.empty()) {
        return fail(FailureKind::usage, why);
    }
    if (!tile_work(plan).block_lists) {
        return fail(FailureKind::infeasible,
                    fmt::format("{} visits every block that its mask leaves: it takes no block "
                                "lists",
                                plan.kernel),
                    "a kernel that says block_lists under tiles does, such as block_sparse_fwd");
    }
    if (lists.rows != plan.tiles.rows || lists.block != plan.tiles.block) {
        return fail(FailureKind::infeasible,
                    fmt::format("the block lists are of tiles of {} x {}, the kernel's are {} x {}",
                                lists.rows, lists.block, plan.tiles.rows, plan.tiles.block));
    }
    return {};
}

double all_listed_pairs(const BlockLists& lists, const AttentionProblem& problem) {
    const double pairs = listed_pairs(lists, problem.seqlen_q, problem.seqlen_kv);
    return listed_tiles(lists) == tiles_of_head(lists, problem) ? all_heads(problem) * pairs
                                                                : pairs;
}

}  // namespace warpline
