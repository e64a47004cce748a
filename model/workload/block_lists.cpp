#include "warpline/workload/block_lists.hpp"

#include "warpline/diagnostics/strict_yaml.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view schema = "warpline-blocks/1";
constexpr std::int64_t largest_count = 2147483647;  // as lengths

/// A whole number from `least` to 2^31 - 1, or nothing and an error.
[[nodiscard]] std::optional<std::int64_t> whole(const YamlNode& node, std::string_view what,
                                                std::int64_t least, DiagnosticSink& errors) {
    std::int64_t value = 0;
    const std::string& text = node.scalar;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (!node.is_scalar() || text.empty() || stop != end || problem != std::errc{} ||
        value < least || value > largest_count) {
        errors.error(node.where,
                     fmt::format("'{}' is {}", what,
                                 node.is_scalar() ? fmt::format("\"{}\"", text)
                                                  : std::string("not a number")),
                     fmt::format("a whole number from {} to {}", least, largest_count));
        return std::nullopt;
    }
    return value;
}

[[nodiscard]] std::int64_t whole_at(const YamlNode& map, std::string_view key, std::int64_t least,
                                    std::int64_t otherwise, DiagnosticSink& errors) {
    const YamlNode* const node = map.find(key);
    return node == nullptr ? otherwise : whole(*node, key, least, errors).value_or(otherwise);
}

[[nodiscard]] ListedTile read_tile(const YamlNode& node, DiagnosticSink& errors) {
    errors.check_keys(node, {"full", "masked", "count"}, "a tile");
    static_cast<void>(errors.require(node, "full", "a tile"));
    return {whole_at(node, "full", 0, 0, errors), whole_at(node, "masked", 0, 0, errors),
            whole_at(node, "count", 1, 1, errors)};
}

/// The next number of a fixed sequence (Marsaglia's xorshift), in [0, 1).
[[nodiscard]] double next_random(std::uint64_t& state) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return static_cast<double>(state >> 11U) * 0x1p-53;
}

}  // namespace

std::int64_t listed_tiles(const BlockLists& lists) {
    std::int64_t tiles = 0;
    for (const ListedTile& tile : lists.tiles) {
        tiles += tile.count;
    }
    return tiles;
}

double listed_pairs(const BlockLists& lists, std::int64_t seqlen_q, std::int64_t seqlen_kv) {
    const std::int64_t tiles_of_head = (seqlen_q + lists.rows - 1) / lists.rows;
    const std::int64_t last_rows = seqlen_q - (tiles_of_head - 1) * lists.rows;
    double pairs = 0.0;
    std::int64_t before = 0;
    for (const ListedTile& tile : lists.tiles) {
        const std::int64_t keys = std::min((tile.full + tile.masked) * lists.block, seqlen_kv);
        const std::int64_t ragged =
            (before + tile.count) / tiles_of_head - before / tiles_of_head;  // last tiles of a head
        const std::int64_t rows = (tile.count - ragged) * lists.rows + ragged * last_rows;
        pairs += static_cast<double>(keys) * static_cast<double>(rows);
        before += tile.count;
    }
    return pairs;
}

Result<BlockLists> parse_block_lists(std::string_view text, const std::string& file) {
    const auto root = parse_yaml(text, file);
    if (!root) {
        return tl::unexpected(root.error());
    }
    DiagnosticSink errors;
    errors.check_keys(*root, {"schema", "rows", "block", "tiles"}, "a file of block lists");
    const auto version = errors.require_text(*root, "schema", "the file");
    if (version && *version != schema) {
        errors.error(root->find("schema")->where, fmt::format("unknown schema '{}'", *version),
                     fmt::format("this version reads {}", schema));
    }
    BlockLists lists;
    static_cast<void>(errors.require(*root, "rows", "the file"));
    static_cast<void>(errors.require(*root, "block", "the file"));
    lists.rows = whole_at(*root, "rows", 1, lists.rows, errors);
    lists.block = whole_at(*root, "block", 1, lists.block, errors);
    const YamlNode* const tiles = errors.require(*root, "tiles", "the file");
    if (tiles != nullptr && !tiles->is_sequence()) {
        errors.error(tiles->where, "'tiles' must be a list of tiles",
                     "one entry a tile: full, and if need be masked and count");
    } else if (tiles != nullptr) {
        for (const YamlNode& tile : tiles->items) {
            lists.tiles.push_back(read_tile(tile, errors));
        }
    }
    if (!errors.empty()) {
        return errors.failure(FailureKind::input);
    }
    return lists;
}

BlockLists scattered_lists(double density, std::int64_t rows, std::int64_t block,
                           std::int64_t seqlen_q, std::int64_t seqlen_kv) {
    BlockLists lists{rows, block, {}};
    const std::int64_t blocks = (seqlen_kv + block - 1) / block;
    std::uint64_t state = 0x9e3779b97f4a7c15U;
    for (std::int64_t tile = 0; tile * rows < seqlen_q; ++tile) {
        ListedTile listed;
        for (std::int64_t i = 0; i < blocks; ++i) {
            listed.full += next_random(state) < density ? 1 : 0;
        }
        lists.tiles.push_back(listed);
    }
    return lists;
}

}  // namespace warpline
