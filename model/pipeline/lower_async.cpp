// MMA chains, tensor-memory accesses and copies.
#include "warpline/hardware/mma_timing.hpp"
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t lanes = 32;
constexpr std::int64_t tmem_lane_bytes = 4;      // of one column
constexpr std::int64_t columns_per_access = 32;  // of the widest common LDTM and STTM
constexpr std::int64_t lsu_bytes_per_lane = 16;  // of the widest load and store
constexpr std::int64_t largest_copy = std::int64_t{1} << 30;
constexpr std::int64_t largest_mma = 1 << 16;
constexpr std::int64_t most_columns = 1 << 16;
constexpr int warps_of_group = 4;

std::string_view path_name(MmaPath path) {
    switch (path) {
        case MmaPath::tcgen05:
            return "tcgen05";
        case MmaPath::wgmma:
            return "wgmma";
        case MmaPath::mma_sync:
            return "mma_sync";
    }
    return "";
}

OperandSource source_of(BufferSpace space) {
    switch (space) {
        case BufferSpace::smem:
            return OperandSource::smem;
        case BufferSpace::tmem:
            return OperandSource::tmem;
        case BufferSpace::registers:
            return OperandSource::registers;
    }
    return OperandSource::smem;
}

/// Rows and columns of one instruction where the path fixes them; 0: the statement's own.
struct InstructionShape {
    std::int64_t m = 0;
    std::int64_t n = 0;
};
InstructionShape fixed_shape(MmaPath path) {
    switch (path) {
        case MmaPath::tcgen05:
            return {0, 0};
        case MmaPath::wgmma:
            return {64, 0};
        case MmaPath::mma_sync:
            return {16, 8};
    }
    return {0, 0};
}

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

void RoleLowering::async(const YamlNode& node, const YamlNode& head) {
    const auto kind = reader_.text(head, "async");
    if (!kind) {
        return;
    }
    std::vector<std::string> keys = {"async", "label", "when", "class", "signals", "at"};
    const auto allow = [&](std::initializer_list<const char*> more) {
        keys.insert(keys.end(), more.begin(), more.end());
        input_.check_keys(node, keys, fmt::format("'async: {}'", *kind));
    };
    if (*kind == "mma") {
        allow({"m", "n", "k", "a", "b", "d", "pair", "dtype"});
        mma(node);
    } else if (*kind == "tmem_load" || *kind == "tmem_store") {
        const bool store = *kind == "tmem_store";
        allow({store ? "to" : "from", "columns", "instructions"});
        tmem(node, store);
    } else if (*kind == "copy" || *kind == "reduce_add") {
        allow({"from", "to", "bytes", "engine", "first_touch", "instructions"});
        copy(node, *kind == "reduce_add");
    } else {
        unknown(head, 0, "asynchronous operation", *kind,
                {"mma", "tmem_load", "tmem_store", "copy", "reduce_add"});
    }
}

void RoleLowering::emit_async(const YamlNode& node, std::variant<MmaOp, TmemOp, CopyOp> work,
                              std::string default_label) {
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
        emit(op, node, std::move(default_label));
    }
}

std::optional<BufferSpace> RoleLowering::operand(const YamlNode& node, const char* key) {
    const YamlNode* named = input_.require(node, key, "'async: mma'");
    const auto text = named == nullptr ? std::nullopt : reader_.text(*named, key);
    if (!text) {
        return std::nullopt;
    }
    if (*text == "registers" && find_buffer(context_.declarations, *text) == nullptr) {
        return BufferSpace::registers;
    }
    const Buffer* found = buffer(*named, *text, 0);
    return found == nullptr ? std::nullopt : std::optional(found->space);
}

bool RoleLowering::operands_legal(const YamlNode& node, BufferSpace a, BufferSpace b,
                                  BufferSpace d) {
    const auto require = [&](const char* key, BufferSpace space,
                             std::initializer_list<BufferSpace> legal) {
        if (std::find(legal.begin(), legal.end(), space) != legal.end()) {
            return true;
        }
        std::vector<std::string_view> names;
        for (const BufferSpace allowed : legal) {
            names.push_back(buffer_space_name(allowed));
        }
        input_.error(node.find(key)->where,
                     fmt::format("operand {} of a {} MMA must be in {}, not in {}", key,
                                 path_name(context_.path), fmt::join(names, " or "),
                                 buffer_space_name(space)));
        return false;
    };
    using S = BufferSpace;
    switch (context_.path) {
        case MmaPath::tcgen05: {
            const bool inputs = require("a", a, {S::smem, S::tmem}) & require("b", b, {S::smem});
            return require("d", d, {S::tmem}) && inputs;
        }
        case MmaPath::wgmma: {
            const bool inputs =
                require("a", a, {S::smem, S::registers}) & require("b", b, {S::smem});
            return require("d", d, {S::registers}) && inputs;
        }
        case MmaPath::mma_sync: {
            const bool inputs = require("a", a, {S::registers}) & require("b", b, {S::registers});
            return require("d", d, {S::registers}) && inputs;
        }
    }
    return false;
}

std::optional<DType> RoleLowering::dtype_of(const YamlNode& node) {
    const YamlNode* written = node.find("dtype");
    if (written == nullptr) {
        return context_.problem.dtype;
    }
    const auto text = reader_.text(*written, "dtype");
    if (text == "bf16") {
        return DType::bf16;
    }
    if (text == "fp16") {
        return DType::fp16;
    }
    if (text == "fp8") {
        return DType::fp8;
    }
    if (text) {
        unknown(*written, 0, "dtype", *text, {"bf16", "fp16", "fp8"});
    }
    return std::nullopt;
}

std::optional<MmaOp> RoleLowering::mma_op(const YamlNode& node, BufferSpace a) {
    const bool pair = reader_.flag(node.find("pair"), "pair", false);
    const auto m = required(node, "m", 1, largest_mma);
    const auto n = required(node, "n", 1, largest_mma);
    const auto k = required(node, "k", 1, largest_mma);
    const auto dtype = dtype_of(node);
    if (!m || !n || !k || !dtype || reader_.lenient()) {
        return std::nullopt;
    }
    if (pair && (context_.declarations.cluster != 2 || context_.path != MmaPath::tcgen05)) {
        input_.error(node.find("pair")->where, "a pair needs tcgen05 and a cluster of 2 CTAs");
        return std::nullopt;
    }
    const InstructionShape fixed = fixed_shape(context_.path);
    const std::int64_t one_m = fixed.m == 0 ? *m : fixed.m;
    const std::int64_t one_n = fixed.n == 0 ? *n : fixed.n;
    if (*m % one_m != 0 || *n % one_n != 0) {
        reader_.value_error(node.where,
                            fmt::format("a {} instruction covers {} x {}: m = {} and n "
                                        "= {} must be multiples",
                                        path_name(context_.path), one_m, one_n, *m, *n));
        return std::nullopt;
    }
    if (context_.path == MmaPath::wgmma && declared_.role.warps % warps_of_group != 0) {
        input_.error(node.where, fmt::format("wgmma needs whole warp groups of 4; role '{}' has {}",
                                             declared_.role.base_name, declared_.role.warps));
        return std::nullopt;
    }
    const auto timing =
        mma_timing(context_.spec, {context_.path, static_cast<int>(one_m), static_cast<int>(one_n),
                                   pair ? 2 : 1, source_of(a), *dtype});
    if (!timing) {
        for (const Diagnostic& diagnostic : timing.error().diagnostics) {
            infeasible(node.where, diagnostic.message, diagnostic.hint);
        }
        return std::nullopt;
    }
    if (*k % timing->k != 0) {
        reader_.value_error(node.find("k")->where,
                            fmt::format("k must be a multiple of {}, is {}", timing->k, *k),
                            "pad the head dim as the kernel does");
        return std::nullopt;
    }
    MmaOp op;
    op.steps = (*m / one_m) * (*n / one_n) * (*k / timing->k);
    op.tensor = timing->tensor;
    op.smem_bytes = timing->smem_bytes;
    op.first_operand = timing->first_operand;
    op.completion = timing->completion;
    op.pair = pair;
    // Each warp of a warp group executes a quarter of the instruction.
    op.flops = context_.path == MmaPath::wgmma ? timing->flops / warps_of_group : timing->flops;
    if (const auto model = context_.spec.mma.find(context_.path);
        model != context_.spec.mma.end()) {
        op.issue_slots = std::max<std::int64_t>(1, std::llround(model->second.issue_slots));
    }
    return op;
}

void RoleLowering::mma(const YamlNode& node) {
    const auto a = operand(node, "a");
    const auto b = operand(node, "b");
    const auto d = operand(node, "d");
    const bool legal = a && b && d && operands_legal(node, *a, *b, *d);
    const auto op = mma_op(node, a.value_or(BufferSpace::smem));
    if (legal && (op || reader_.lenient())) {
        emit_async(node, op.value_or(MmaOp{}), fmt::format("mma {}", node.find("d")->scalar));
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
    TmemOp op;
    op.store = store;
    op.instructions =
        optional_integer(node, "instructions",
                         (*columns + columns_per_access - 1) / columns_per_access, 1, most_columns);
    op.port = round_to_ticks(static_cast<double>(*columns * lanes * tmem_lane_bytes) / rate);
    op.latency = store ? model.store_latency : model.load_latency;
    emit_async(node, op, fmt::format("{} {}", store ? "store" : "load", *text));
}

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
    const std::int64_t by_lanes =
        (*bytes + lanes * lsu_bytes_per_lane - 1) / (lanes * lsu_bytes_per_lane);
    op.instructions = optional_integer(node, "instructions",
                                       op.engine == CopyEngine::lsu ? by_lanes : 1, 1, 1 << 20);
    const char* verb = reduce ? "reduce" : (op.to == Space::global ? "store" : "copy");
    const YamlNode* named =
        from->buffer != nullptr && op.to == Space::global ? node.find("from") : node.find("to");
    emit_async(node, op, fmt::format("{} {}", verb, named->scalar));
}

}  // namespace warpline
