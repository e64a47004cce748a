// Copies and reductions into global memory.
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t lanes = 32;
constexpr std::int64_t lsu_bytes_per_lane = 16;  // of the widest load and store
constexpr std::int64_t largest_copy = std::int64_t{1} << 30;

std::string_view space_text(Space space) {
    switch (space) {
        case Space::registers:
            return "registers";
        case Space::smem:
            return "shared memory";
        case Space::peer_smem:
            return "the peer's shared memory";
        case Space::cluster_smem:
            return "the shared memory of all CTAs";
        case Space::global:
            return "global memory";
    }
    return "";
}

}  // namespace

std::optional<RoleLowering::CopyEnd> RoleLowering::copy_end(const YamlNode& node, const char* key) {
    const YamlNode* end = input_.require(node, key, "a copy");
    const auto written = end == nullptr ? std::nullopt : reader_.text(*end, key);
    if (!written) {
        return std::nullopt;
    }
    std::string_view text = resolved(*written);
    if (text == "global") {
        return CopyEnd{Space::global, nullptr};
    }
    if (text == "registers" && find_buffer(context_.declarations, text) == nullptr) {
        return CopyEnd{Space::registers, nullptr};
    }
    // "peer", "peer ds" and the like: the buffer of that name in another CTA.
    Space elsewhere = Space::smem;
    const std::size_t space = std::min(text.find(' '), text.size());
    if (text.substr(0, space) == "peer" || text.substr(0, space) == "all") {
        elsewhere = text[0] == 'p' ? Space::peer_smem : Space::cluster_smem;
        if (elsewhere == Space::peer_smem && context_.declarations.cluster != 2) {
            reader_.value_error(end->where, "a peer exists in a cluster of 2 only");
        }
        if (context_.declarations.cluster == 1) {
            elsewhere = Space::smem;  // "all" of one CTA
        }
        text = text.substr(std::min(space + 1, text.size()));
        if (text.empty()) {
            return CopyEnd{elsewhere, nullptr};
        }
    }
    const Buffer* found = buffer(*end, text, written->size() - text.size());
    if (found == nullptr) {
        return std::nullopt;
    }
    if (found->space == BufferSpace::tmem) {
        input_.error(end->where, fmt::format("buffer '{}' is in tensor memory", found->name),
                     "use tmem_load and tmem_store");
        return std::nullopt;
    }
    return CopyEnd{found->space == BufferSpace::smem ? elsewhere : Space::registers, found};
}

bool RoleLowering::copy_legal(const YamlNode& node, const CopyOp& op) {
    const auto error = [&](std::string message, std::string hint = {}) {
        input_.error(node.where, std::move(message), std::move(hint));
        return false;
    };
    if (op.from == Space::peer_smem || op.from == Space::cluster_smem) {
        return error("a copy comes from this CTA or from global memory");
    }
    if (op.reduce && op.to != Space::global) {
        return error("reduce_add goes to global memory");
    }
    const bool touches_registers = op.from == Space::registers || op.to == Space::registers;
    if (touches_registers && op.engine == CopyEngine::tma) {
        return error("the TMA engine does not reach registers", "engine: lsu");
    }
    if (op.to == Space::cluster_smem &&
        (op.from != Space::global || op.engine == CopyEngine::lsu)) {
        return error("a copy to all CTAs is a TMA multicast from global memory");
    }
    const bool loads =
        op.from == Space::global && op.to != Space::global && op.to != Space::peer_smem;
    const bool stores = op.from != Space::global && op.to == Space::global;
    const bool relays = op.from != Space::global && op.to == Space::peer_smem;
    if (!loads && !stores && !relays) {
        return error(fmt::format("no copy from {} to {}", space_text(op.from), space_text(op.to)),
                     "issue loads and stores of shared memory as instructions");
    }
    if (op.engine == CopyEngine::tma && !context_.spec.has("tma")) {
        infeasible(node.where, fmt::format("{} has no TMA engine", context_.spec.id),
                   "engine: lsu");
    }
    return true;
}

std::optional<std::int64_t> RoleLowering::copy_bytes(const YamlNode& node, const CopyEnd& from,
                                                     const CopyEnd& to) {
    if (node.find("bytes") != nullptr) {
        return required(node, "bytes", 1, largest_copy);
    }
    const Buffer* known = to.buffer != nullptr ? to.buffer : from.buffer;
    if (known == nullptr || known->stage_sizes.empty() ||
        std::adjacent_find(known->stage_sizes.begin(), known->stage_sizes.end(),
                           std::not_equal_to<>()) != known->stage_sizes.end()) {
        input_.error(node.where, "this copy needs 'bytes'",
                     "only a buffer whose stages are equal gives them");
        return std::nullopt;
    }
    return known->stage_sizes.front();
}

void RoleLowering::copy(const YamlNode& node, bool reduce) {
    const auto from = copy_end(node, "from");
    const auto to = copy_end(node, "to");
    if (!from || !to) {
        return;
    }
    CopyOp op;
    op.from = from->space;
    op.to = to->space;
    op.reduce = reduce;
    op.l2_hit = !reader_.flag(node.find("first_touch"), "first_touch", false);
    if (const YamlNode* engine = node.find("engine")) {
        const auto text = reader_.text(*engine, "engine");
        if (text && *text != "tma" && *text != "lsu") {
            unknown(*engine, 0, "engine", *text, {"tma", "lsu"});
        }
        op.engine = text == "lsu" ? CopyEngine::lsu : CopyEngine::tma;
    }
    const auto bytes = copy_bytes(node, *from, *to);
    if (!bytes || !copy_legal(node, op)) {
        return;
    }
    op.bytes = *bytes;
    check_copy_bounds(node, *bytes);
    const std::int64_t by_lanes =
        (*bytes + lanes * lsu_bytes_per_lane - 1) / (lanes * lsu_bytes_per_lane);
    op.instructions = optional_integer(node, "instructions",
                                       op.engine == CopyEngine::lsu ? by_lanes : 1, 1, 1 << 20);
    const char* verb = reduce ? "reduce" : (op.to == Space::global ? "store" : "copy");
    const YamlNode* named =
        from->buffer != nullptr && op.to == Space::global ? node.find("from") : node.find("to");
    emit_async(node, op, verb, named->scalar);
}

}  // namespace warpline
