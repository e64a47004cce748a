#include "warpline/workload/split_tiles.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace warpline {
namespace {

/// Part `index` of a tile: blocks [index * share, (index + 1) * share) of its visiting order.
[[nodiscard]] TileClass part_of(const TileClass& tile, std::int64_t splits, std::int64_t index) {
    const std::int64_t share = (tile.blocks + splits - 1) / splits;
    const std::int64_t begin = std::min(index * share, tile.blocks);
    const std::int64_t end = std::min(begin + share, tile.blocks);
    if (begin == end) {
        return {};
    }
    TileClass part;
    part.blocks = end - begin;
    part.masked_first = std::max<std::int64_t>(
        1, std::clamp(tile.masked_first - begin, std::int64_t{0}, part.blocks));
    const std::int64_t last_begin =
        std::max(begin + part.masked_first, tile.blocks - tile.masked_last);
    part.masked_last = std::max<std::int64_t>(0, end - last_begin);
    return part;
}

void append(std::vector<TileRun>& runs, const TileClass& tile, std::int64_t count) {
    if (!runs.empty() && runs.back().tile == tile) {
        runs.back().count += count;
    } else {
        runs.push_back({tile, count});
    }
}

/// Repetitions [from, from + repeats) of the section, `cycle` of them written out, the rest as
/// repetitions of these.
void append_section(std::vector<TileSection>& out, const TileSection& section, std::int64_t splits,
                    std::int64_t from, std::int64_t cycle, std::int64_t repeats) {
    if (repeats < cycle || cycle == 0) {
        return;
    }
    TileSection next;
    next.repeats = repeats / cycle;
    next.step = section.step * cycle / splits;
    for (std::int64_t i = 0; i < cycle; ++i) {
        for (const TileRun& run : section.runs) {
            TileClass tile = run.tile;
            tile.blocks += (from + i) * section.step;
            for (std::int64_t index = 0; index < splits; ++index) {
                append(next.runs, part_of(tile, splits, index), run.count);
            }
        }
    }
    if (next.repeats == 1) {
        next.step = 0;
    }
    out.push_back(std::move(next));
}

/// Fewest blocks from which on every part has as many blocks more as the tile has whole multiples
/// of `splits` more: no part is empty, and masked blocks stay in the parts that they are in.
[[nodiscard]] std::int64_t regular_from(const TileSection& section, std::int64_t splits) {
    std::int64_t masked = 0;
    for (const TileRun& run : section.runs) {
        masked = std::max({masked, run.tile.masked_first, run.tile.masked_last});
    }
    return splits * (splits + masked + 1);
}

[[nodiscard]] std::int64_t fewest_blocks(const TileSection& section, std::int64_t repeat) {
    std::int64_t fewest = section.runs.front().tile.blocks;
    for (const TileRun& run : section.runs) {
        fewest = std::min(fewest, run.tile.blocks);
    }
    return fewest + repeat * section.step;
}

void append_split(std::vector<TileSection>& out, const TileSection& section, std::int64_t splits) {
    if (section.step == 0 || section.repeats == 1) {
        append_section(out, section, splits, 0, 1, section.repeats);
        return;
    }
    const std::int64_t cycle = splits / std::gcd(splits, std::abs(section.step));
    const std::int64_t limit = regular_from(section, splits);
    // The repetitions with few blocks are at one end; they are written out one by one.
    std::int64_t irregular = 0;
    while (irregular < section.repeats &&
           fewest_blocks(section, section.step > 0 ? irregular : section.repeats - 1 - irregular) <
               limit) {
        ++irregular;
    }
    const std::int64_t regular = section.repeats - irregular;
    const std::int64_t whole = regular / cycle * cycle;
    const std::int64_t from = section.step > 0 ? irregular : 0;
    const auto one_by_one = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            append_section(out, section, splits, i, 1, 1);
        }
    };
    one_by_one(0, from);
    append_section(out, section, splits, from, cycle, whole);
    one_by_one(from + whole, section.repeats);
}

}  // namespace

std::vector<TileSection> split_tiles(const std::vector<TileSection>& sections,
                                     std::int64_t splits) {
    if (splits == 1) {
        return sections;
    }
    std::vector<TileSection> out;
    for (const TileSection& section : sections) {
        append_split(out, section, splits);
    }
    return out;
}

}  // namespace warpline
