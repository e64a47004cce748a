// Cluster, residency, tiles and procedures.
#include "warpline/pipeline/declarations.hpp"

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t largest_cluster = 16;
constexpr std::int64_t largest_tile = 1 << 16;
constexpr std::int64_t largest_head_group = 1 << 20;

void read_tiles(const YamlNode& node, ValueReader& reader, TileShape& tiles) {
    DiagnosticSink& input = reader.problems().input;
    input.check_keys(node,
                     {"rows", "block", "loop", "longest_first", "head_group", "persistent",
                      "dynamic", "pack_gqa", "splits", "v_in_k", "block_lists", "reversed"},
                     "tiles");
    if (const YamlNode* rows = input.require(node, "rows", "tiles")) {
        tiles.rows = reader.integer(*rows, "rows", 1, largest_tile).value_or(1);
    }
    if (const YamlNode* block = input.require(node, "block", "tiles")) {
        tiles.block = reader.integer(*block, "block", 1, largest_tile).value_or(1);
    }
    if (const auto loop = input.require_text(node, "loop", "tiles")) {
        if (*loop != "kv" && *loop != "q") {
            input.error(node.find("loop")->where, fmt::format("loop is '{}'", *loop),
                        "kv: a tile is a block of queries; q: a block of keys");
        }
        tiles.loop = *loop == "q" ? TileLoop::over_q : TileLoop::over_kv;
    }
    if (reader.flag(node.find("longest_first"), "longest_first", false)) {
        tiles.order = TileOrder::longest_first;
    }
    if (const YamlNode* group = node.find("head_group")) {
        tiles.head_group = reader.integer(*group, "head_group", 1, largest_head_group).value_or(1);
    }
    if (reader.flag(node.find("persistent"), "persistent", false)) {
        tiles.scheduler = reader.flag(node.find("dynamic"), "dynamic", false)
                              ? TileScheduler::dynamic_persistent
                              : TileScheduler::static_persistent;
    }
    tiles.pack_gqa = reader.flag(node.find("pack_gqa"), "pack_gqa", false);
}

}  // namespace

void read_launch(const YamlNode& root, ValueReader& reader, Declarations& out) {
    if (const YamlNode* cluster = root.find("cluster")) {
        out.cluster =
            static_cast<int>(reader.integer(*cluster, "cluster", 1, largest_cluster).value_or(1));
    }
    reader.evaluator().define("cluster", out.cluster);
    if (const YamlNode* resident = root.find("ctas_per_sm")) {
        out.ctas_per_sm =
            static_cast<int>(reader.integer(*resident, "ctas_per_sm", 1, 64).value_or(1));
    }
    reader.evaluator().define("ctas_per_sm", out.ctas_per_sm);
    if (const YamlNode* counted = root.find("counted")) {
        out.counted_share = reader.number(*counted, "counted").value_or(1.0);
        if (out.counted_share <= 0.0 || out.counted_share > 1.0) {
            reader.value_error(
                counted->where,
                fmt::format("'counted' is a share, more than 0 and at most 1, not {}",
                            out.counted_share));
        }
    }
    if (const YamlNode* tiles = reader.problems().input.require(root, "tiles", "the file")) {
        read_tiles(*tiles, reader, out.tiles);
    }
}

void read_procedures(const YamlNode* section, ValueReader& reader, Declarations& out) {
    for_each_entry(
        section, "procedures", reader,
        [&](const std::string& name, const YamlNode& node, const SourceLocation&) {
            const std::string what = fmt::format("procedure '{}'", name);
            DiagnosticSink& input = reader.problems().input;
            input.check_keys(node, {"takes", "do"}, what);
            static_cast<void>(input.require(node, "do", what));
            Procedure procedure{&node, {}};
            if (const YamlNode* takes = node.find("takes")) {
                if (!takes->is_sequence()) {
                    input.error(takes->where,
                                fmt::format("'takes' of {} must be a list of names", what));
                    return;
                }
                for (const YamlNode& item : takes->items) {
                    if (!item.is_scalar() || !is_identifier(item.scalar)) {
                        input.error(item.where, fmt::format("'takes' of {} must hold names", what));
                    }
                    procedure.takes.push_back(item.scalar);
                }
            }
            out.procedures[name] = std::move(procedure);
        });
}

Declarations read_declarations(const YamlNode& root, ValueReader& reader) {
    Declarations out;
    read_launch(root, reader, out);
    read_buffers(root.find("buffers"), reader, out);
    read_roles(root.find("roles"), root.find("program"), reader, out);
    read_barriers(root.find("barriers"), reader, out);
    read_procedures(root.find("procedures"), reader, out);
    return out;
}

}  // namespace warpline
