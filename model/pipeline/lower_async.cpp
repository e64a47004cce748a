// Asynchronous operations, and those of tensor memory.
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t lanes = 32;
constexpr std::int64_t tmem_lane_bytes = 4;      // of one column
constexpr std::int64_t columns_per_access = 32;  // of the widest common LDTM and STTM
constexpr std::int64_t most_columns = 1 << 16;

/// Which keys an asynchronous operation may have.
struct AsyncKind {
    std::string name;
    std::vector<std::string> keys;  ///< beside those of all
    std::string what;               ///< as errors quote it
};

std::vector<AsyncKind> with_keys_of_all(std::vector<AsyncKind> kinds) {
    for (AsyncKind& kind : kinds) {
        const auto of_all = {"async", "label", "when", "class", "signals", "at"};
        kind.keys.insert(kind.keys.begin(), of_all.begin(), of_all.end());
        kind.what = fmt::format("'async: {}'", kind.name);
    }
    return kinds;
}

const AsyncKind* async_kind(std::string_view name) {
    static const std::vector<std::string> of_copy = {"from",   "to",          "bytes",
                                                     "engine", "first_touch", "instructions"};
    static const std::vector<AsyncKind> kinds = with_keys_of_all(
        {{"mma", {"m", "n", "k", "a", "b", "d", "pair", "dtype", "element_bytes"}, {}},
         {"tmem_load", {"from", "columns", "instructions"}, {}},
         {"tmem_store", {"to", "columns", "instructions"}, {}},
         {"copy", of_copy, {}},
         {"reduce_add", of_copy, {}}});
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const AsyncKind& kind) { return kind.name == name; });
    return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

void RoleLowering::async(const YamlNode& node, const YamlNode& head) {
    const auto kind = reader_.text(head, "async");
    if (!kind) {
        return;
    }
    // Known from here on, also when the rest of the statement is wrong: one error is enough.
    if (const YamlNode* named = node.find("class"); named != nullptr && named->is_scalar()) {
        static_cast<void>(op_class(named->scalar, *named, true));
    }
    const AsyncKind* const known = async_kind(*kind);
    if (known == nullptr) {
        unknown(head, 0, "asynchronous operation", *kind,
                {"mma", "tmem_load", "tmem_store", "copy", "reduce_add"});
        return;
    }
    if (check_keys_) {
        input_.check_keys(node, known->keys, known->what);
    }
    if (*kind == "mma") {
        mma(node);
    } else if (*kind == "tmem_load" || *kind == "tmem_store") {
        tmem(node, *kind == "tmem_store");
    } else {
        copy(node, *kind == "reduce_add");
    }
}

void RoleLowering::emit_async(const YamlNode& node, std::variant<MmaOp, TmemOp, CopyOp> work,
                              std::string_view verb, std::string_view object) {
    AsyncOp op;
    op.work = work;
    op.at = at_of(node);
    const auto op_class = class_of(node, true);
    if (const YamlNode* signals = node.find("signals")) {
        op.signals = barrier(*signals);
        if (!op.signals) {
            return;
        }
        const Barrier& target =
            context_.declarations.barriers[static_cast<std::size_t>(op.signals->barrier)].barrier;
        const bool is_copy = std::holds_alternative<CopyOp>(work);
        if (target.kind == BarrierKind::named) {
            input_.error(
                signals->where,
                fmt::format("a completion cannot arrive on the named barrier '{}'", target.name));
        } else if (target.kind == BarrierKind::bytes && !is_copy) {
            input_.error(
                signals->where,
                fmt::format("only copies flip the barrier '{}', whose kind is bytes", target.name));
        }
    } else if (const YamlNode* at = node.find("at")) {
        input_.error(at->where, "'at' needs 'signals': the barrier to arrive on");
    }
    if (op_class) {
        op.op_class = *op_class;
        std::string label;
        if (wants_default_label(node)) {
            label = fmt::format("{} {}", verb, object);
        }
        emit(op, node, std::move(label));
        if (!reader_.lenient()) {
            note_touches(node, static_cast<int>(program_.size()) - 1);
        }
    }
}

void RoleLowering::tmem(const YamlNode& node, bool store) {
    const char* key = store ? "to" : "from";
    const YamlNode* end = input_.require(node, key, "this statement");
    const auto text = end == nullptr ? std::nullopt : reader_.text(*end, key);
    const auto columns = required(node, "columns", 1, most_columns);
    const Buffer* found = text ? buffer(*end, *text, 0) : nullptr;
    if (found == nullptr || !columns) {
        return;
    }
    if (found->space != BufferSpace::tmem) {
        input_.error(end->where, fmt::format("buffer '{}' is not in tensor memory", found->name));
        return;
    }
    const TmemModel& model = context_.spec.tmem;
    const double rate = store ? model.store_bytes_per_clk : model.load_bytes_per_clk;
    if (rate <= 0.0) {
        infeasible(node.where, fmt::format("{} has no tensor memory", context_.spec.id));
        return;
    }
    check_tmem_bounds(node, key, *columns);
    TmemOp op;
    op.store = store;
    op.instructions =
        optional_integer(node, "instructions",
                         (*columns + columns_per_access - 1) / columns_per_access, 1, most_columns);
    op.port = round_to_ticks(static_cast<double>(*columns * lanes * tmem_lane_bytes) / rate);
    op.latency = store ? model.store_latency : model.load_latency;
    emit_async(node, op, store ? "store" : "load", *text);
}

}  // namespace warpline
