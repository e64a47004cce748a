// Chains of MMA instructions.
#include "warpline/hardware/dtype.hpp"
#include "warpline/hardware/mma_timing.hpp"
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t largest_mma = 1 << 16;
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

/// What the statement says an element of the operands takes; 0 where it leaves that to the dtype.
std::optional<double> element_bytes_of(const YamlNode& node, ValueReader& reader) {
    const YamlNode* const written = node.find("element_bytes");
    if (written == nullptr) {
        return 0.0;
    }
    const auto bytes = reader.number(*written, "element_bytes");
    if (bytes && *bytes != 0.5 && *bytes != 1.0 && *bytes != 2.0 && !reader.lenient()) {
        reader.value_error(written->where,
                           fmt::format("element_bytes is 0.5, 1 or 2, not {}", *bytes));
        return std::nullopt;
    }
    return bytes;
}

}  // namespace

MmaPath mma_path_of(const YamlNode& root) {
    const YamlNode* list = root.find("requires");
    if (list != nullptr && list->is_sequence()) {
        for (const YamlNode& item : list->items) {
            if (item.scalar == "tcgen05") {
                return MmaPath::tcgen05;
            }
            if (item.scalar == "wgmma") {
                return MmaPath::wgmma;
            }
        }
    }
    return MmaPath::mma_sync;
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
    const auto dtype = text ? dtype_from_name(*text) : std::nullopt;
    if (text && !dtype) {
        std::vector<std::string> known;
        for (const DType one : all_dtypes) {
            known.emplace_back(dtype_name(one));
        }
        unknown(*written, 0, "dtype", *text, known);
    }
    return dtype;
}

std::optional<MmaOp> RoleLowering::mma_op(const YamlNode& node, BufferSpace a) {
    const bool pair = reader_.flag(node.find("pair"), "pair", false);
    const auto m = required(node, "m", 1, largest_mma);
    const auto n = required(node, "n", 1, largest_mma);
    const auto k = required(node, "k", 1, largest_mma);
    const auto dtype = dtype_of(node);
    const auto width = element_bytes_of(node, reader_);
    if (!m || !n || !k || !dtype || !width || reader_.lenient()) {
        return std::nullopt;
    }
    if (pair && (context_.declarations.cluster != 2 || context_.path != MmaPath::tcgen05)) {
        input_.error(node.find("pair")->where, "a pair needs tcgen05 and a cluster of 2 CTAs");
        return std::nullopt;
    }
    if (context_.path == MmaPath::wgmma && declared_.role.first_warp % warps_of_group != 0) {
        input_.error(
            declared_.where,
            fmt::format("a warp group begins at a warp index that is a multiple of {}, not at {}",
                        warps_of_group, declared_.role.first_warp),
            "set first_warp, or write the warp group first");
        return std::nullopt;
    }
    if (pair && !declared_.role.leader_only) {
        input_.error(node.find("pair")->where,
                     "one CTA issues the MMAs of a pair, and this role runs in both",
                     "say on: leader in the role");
        return std::nullopt;
    }
    if (context_.path == MmaPath::tcgen05 && declared_.role.warps != 1) {
        input_.error(
            node.where,
            fmt::format("one thread issues a tcgen05 MMA, and each of the {} warps of role "
                        "'{}' would issue this one",
                        declared_.role.warps, declared_.role.base_name),
            "give the MMAs to a role of one warp");
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
                                   pair ? 2 : 1, source_of(a), *dtype, *width, *k});
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
    check_mma_bounds(node,
                     {*m, *n, *k, *width > 0.0 ? *width : element_bytes(*dtype), pair ? 2 : 1});
    MmaOp op;
    op.steps = (*m / one_m) * (*n / one_n) * (*k / timing->k);
    op.tensor = timing->tensor;
    op.smem_bytes = timing->smem_bytes;
    op.first_operand = timing->first_operand;
    op.completion = timing->completion;
    op.pair = pair;
    op.streams_registers = context_.path == MmaPath::wgmma;
    // Each warp of a warp group executes a quarter of the instruction.
    op.flops = context_.path == MmaPath::wgmma ? timing->flops / warps_of_group : timing->flops;
    if (const auto model = context_.spec.mma.find(context_.path);
        model != context_.spec.mma.end()) {
        op.issue_slots = std::max<std::int64_t>(1, std::llround(model->second.issue_slots));
        op.register_delay = round_to_ticks(model->second.register_delay);
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
        emit_async(node, op.value_or(MmaOp{}), "mma", node.find("d")->scalar);
    }
}

}  // namespace warpline
