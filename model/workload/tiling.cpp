#include "warpline/workload/tiling.hpp"

#include "warpline/workload/mask_geometry.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpline {
namespace {

[[nodiscard]] TileRun shifted(TileRun run, std::int64_t blocks) {
    run.tile.blocks += blocks;
    return run;
}

void append_run(std::vector<TileRun>& runs, const TileRun& run) {
    if (!runs.empty() && runs.back().tile == run.tile) {
        runs.back().count += run.count;
    } else {
        runs.push_back(run);
    }
}

/// Blocks by which `b` differs from `a` throughout, when that is the only difference.
[[nodiscard]] bool same_but_shifted(const std::vector<TileRun>& a, const std::vector<TileRun>& b,
                                    std::int64_t shift) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const TileRun& x, const TileRun& y) { return shifted(x, shift) == y; });
}

/// Adds a section, continuing the last one where it is the same progression.
void append_section(std::vector<TileSection>& sections, TileSection next) {
    if (next.runs.empty() || next.repeats == 0) {
        return;
    }
    if (next.runs.size() == 1 && next.step == 0) {
        next.runs.front().count *= std::exchange(next.repeats, 1);
    }
    if (!sections.empty()) {
        TileSection& last = sections.back();
        if (last.repeats == 1 && next.repeats == 1 && last.runs.back().tile == next.runs[0].tile) {
            for (const TileRun& run : next.runs) {
                append_run(last.runs, run);
            }
            return;
        }
        const std::int64_t shift = next.runs[0].tile.blocks - last.runs[0].tile.blocks;
        const std::int64_t step = last.repeats == 1 ? shift : last.step;
        if (shift == step * last.repeats && (next.repeats == 1 || next.step == step) &&
            same_but_shifted(last.runs, next.runs, shift)) {
            last.repeats += next.repeats;
            last.step = step;
            return;
        }
    }
    sections.push_back(std::move(next));
}

using Edge = std::int64_t MaskGeometry::Edges::*;
constexpr std::array<Edge, 4> all_edges = {&MaskGeometry::Edges::begin, &MaskGeometry::Edges::end,
                                           &MaskGeometry::Edges::diagonal,
                                           &MaskGeometry::Edges::oldest};

/// First tile at which a monotone edge reaches `level`, or the number of tiles.
[[nodiscard]] std::int64_t first_reaching(const MaskGeometry& head, Edge edge, std::int64_t level) {
    std::int64_t low = 0;
    std::int64_t high = head.tiles();
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (head.edges(middle).*edge >= level) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// First tile after `from` at which any edge has moved, or `to`. Edges are monotone, so doubling
/// and halving find it without visiting the tiles between.
[[nodiscard]] std::int64_t next_change(const MaskGeometry& head, std::int64_t from,
                                       std::int64_t to) {
    const MaskGeometry::Edges here = head.edges(from);
    const auto moved = [&](std::int64_t index) { return head.edges(index) != here; };
    std::int64_t reach = 1;
    while (from + reach < to && !moved(from + reach)) {
        reach *= 2;
    }
    std::int64_t low = from + reach / 2 + (reach == 1 ? 1 : 0);
    std::int64_t high = std::min(from + reach, to);
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (moved(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

[[nodiscard]] std::vector<TileRun> runs_of(const MaskGeometry& head, std::int64_t from,
                                           std::int64_t to) {
    std::vector<TileRun> runs;
    while (from < to) {
        const std::int64_t next = next_change(head, from, to);
        append_run(runs, {head.tile(from), next - from});
        from = next;
    }
    return runs;
}

/// Tile indices between which no edge starts or stops being clamped.
[[nodiscard]] std::vector<std::int64_t> breakpoints(const MaskGeometry& head) {
    std::vector<std::int64_t> points = {0, head.tiles()};
    if (head.padded_last_tile() && head.tiles() > 0) {
        points.push_back(head.tiles() - 1);
    }
    const std::int64_t n = head.all_blocks();
    for (const Edge edge : all_edges) {
        for (const std::int64_t level : {std::int64_t{0}, std::int64_t{1}, n - 1, n, n + 1}) {
            points.push_back(first_reaching(head, edge, level));
        }
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
}

/// Whether any edge moves inside [0, all_blocks] between two tiles of one segment.
[[nodiscard]] bool moves(const MaskGeometry& head, std::int64_t from, std::int64_t to) {
    const MaskGeometry::Edges first = head.edges(from);
    const MaskGeometry::Edges last = head.edges(to - 1);
    return std::any_of(all_edges.begin(), all_edges.end(), [&](Edge edge) {
        return first.*edge != last.*edge && last.*edge > 0 && first.*edge < head.all_blocks();
    });
}

/// Between two breakpoints every edge is clamped or moves at one rate, so tiles a period apart
/// differ by the same number of blocks throughout.
void append_segment(std::vector<TileSection>& sections, const MaskGeometry& head, std::int64_t from,
                    std::int64_t to) {
    const std::int64_t length = to - from;
    if (length == 0) {
        return;
    }
    if (!moves(head, from, to)) {
        append_section(sections, {{{head.tile(from), length}}, 1, 0});
        return;
    }
    const std::int64_t period = head.period();
    if (length >= 2 * period) {
        const std::int64_t step = head.tile(from + period).blocks - head.tile(from).blocks;
        append_section(sections, {runs_of(head, from, from + period), length / period, step});
        from += length / period * period;
    }
    for (const TileRun& run : runs_of(head, from, to)) {
        append_section(sections, {{run}, 1, 0});
    }
}

[[nodiscard]] std::vector<TileSection> reversed(std::vector<TileSection> sections) {
    std::reverse(sections.begin(), sections.end());
    for (TileSection& section : sections) {
        std::reverse(section.runs.begin(), section.runs.end());
        for (TileRun& run : section.runs) {
            run.tile.blocks += (section.repeats - 1) * section.step;
        }
        section.step = -section.step;
    }
    return sections;
}

[[nodiscard]] std::vector<TileSection> interleaved(std::vector<TileSection> sections,
                                                   std::int64_t heads) {
    for (TileSection& section : sections) {
        for (TileRun& run : section.runs) {
            run.count *= heads;
        }
    }
    return sections;
}

/// Appends `heads` alike heads, in groups.
void append_heads(std::vector<HeadTiles>& all, const std::vector<TileSection>& head,
                  std::int64_t heads, std::int64_t group) {
    constexpr std::int64_t largest_group = 1 << 20;
    const std::int64_t size = std::clamp<std::int64_t>(group, 1, std::min(heads, largest_group));
    all.push_back({interleaved(head, size), heads / size});
    if (heads % size != 0) {
        all.push_back({interleaved(head, heads % size), 1});
    }
}

[[nodiscard]] std::vector<TileSection> sections_of(const MaskGeometry& head, TileOrder order) {
    std::vector<TileSection> sections;
    const std::vector<std::int64_t> points = breakpoints(head);
    for (std::size_t i = 1; i < points.size(); ++i) {
        append_segment(sections, head, points[i - 1], points[i]);
    }
    return order == TileOrder::longest_first ? reversed(std::move(sections)) : sections;
}

}  // namespace

std::vector<HeadTiles> cut_into_tiles(const AttentionProblem& problem, const TileShape& shape) {
    const std::int64_t heads = shape.pack_gqa ? problem.heads_kv : problem.heads_q;
    const std::int64_t heads_per_kv = problem.heads_q / problem.heads_kv;
    std::vector<HeadTiles> all;
    if (problem.varlen.empty()) {
        const MaskGeometry head(problem.sequence(0), problem.mask, shape, heads_per_kv);
        append_heads(all, sections_of(head, shape.order), heads * problem.batch, shape.head_group);
        return all;
    }
    for (std::size_t i = 0; i < problem.varlen.size();) {
        std::size_t next = i + 1;  // equal neighbours are one batch
        while (next < problem.varlen.size() && problem.varlen[next].q == problem.varlen[i].q &&
               problem.varlen[next].kv == problem.varlen[i].kv) {
            ++next;
        }
        const MaskGeometry head(problem.varlen[i], problem.mask, shape, heads_per_kv);
        append_heads(all, sections_of(head, shape.order),
                     heads * static_cast<std::int64_t>(next - i), shape.head_group);
        i = next;
    }
    return all;
}

std::int64_t tiles_in_group(const HeadTiles& tiles) {
    std::int64_t total = 0;
    for (const TileSection& section : tiles.sections) {
        std::int64_t once = 0;
        for (const TileRun& run : section.runs) {
            once += run.count;
        }
        total += once * section.repeats;
    }
    return total;
}

Result<std::int64_t> count_tiles(const std::vector<HeadTiles>& tiles) {
    constexpr double limit = 4611686018427387904.0;  // 2^62
    double rounded = 0.0;
    std::int64_t total = 0;
    for (const HeadTiles& head : tiles) {
        const std::int64_t group = tiles_in_group(head);
        rounded += static_cast<double>(group) * static_cast<double>(head.groups);
        if (rounded >= limit) {
            return fail(FailureKind::infeasible, "the problem has more than 2^62 tiles");
        }
        total += group * head.groups;
    }
    return total;
}

std::vector<TileRun> expand_group(const HeadTiles& tiles) {
    std::vector<TileRun> runs;
    for (const TileSection& section : tiles.sections) {
        for (std::int64_t i = 0; i < section.repeats; ++i) {
            for (const TileRun& run : section.runs) {
                append_run(runs, shifted(run, i * section.step));
            }
        }
    }
    return runs;
}

}  // namespace warpline
