#include "warpline/pipeline/unknown_constants.hpp"

#include "warpline/hardware/assumed_constant.hpp"

#include <set>
#include <string_view>

#include <fmt/format.h>

namespace warpline {
namespace {

/// What the operations of a plan make use of.
struct Uses {
    std::set<std::string> instructions;
    bool mma = false;
    bool tmem = false;
    bool bulk_copies = false;
};

Uses uses_of(const KernelPlan& plan) {
    Uses uses;
    for (const InstructionKind& kind : plan.instructions) {
        uses.instructions.insert(kind.name);
    }
    for (const Role& role : plan.roles) {
        for (const Op& op : role.program) {
            const auto* const async = std::get_if<AsyncOp>(&op.body);
            if (async == nullptr) {
                continue;
            }
            uses.mma = uses.mma || std::holds_alternative<MmaOp>(async->work);
            uses.tmem = uses.tmem || std::holds_alternative<TmemOp>(async->work);
            const auto* const copy = std::get_if<CopyOp>(&async->work);
            uses.bulk_copies =
                uses.bulk_copies || (copy != nullptr && copy->engine == CopyEngine::tma);
        }
    }
    return uses;
}

std::string_view path_key(MmaPath path) {
    switch (path) {
        case MmaPath::tcgen05:
            return "mma.tcgen05.";
        case MmaPath::wgmma:
            return "mma.wgmma.";
        case MmaPath::mma_sync:
            break;
    }
    return "mma.mma_sync.";
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

/// Listed for people, compared with a datasheet, or chosen per prediction.
bool is_not_predicted_with(std::string_view key) {
    return starts_with(key, "peak.") || starts_with(key, "board.") || starts_with(key, "clock.") ||
           key == "memory.hbm_peak" || key == "memory.hbm_size";
}

bool is_needed(const std::string& key, const Uses& uses, std::string_view path, int cluster) {
    const auto dot = key.rfind('.');
    const bool of_instruction = dot != std::string::npos &&
                                (key.substr(dot) == ".rate" || key.substr(dot) == ".latency" ||
                                 key.substr(dot) == ".smem" || key.substr(dot) == ".issue") &&
                                !starts_with(key, "mma.");
    if (of_instruction) {
        return uses.instructions.count(key.substr(0, dot)) != 0;
    }
    if (starts_with(key, "mma.")) {
        return uses.mma && starts_with(key, path);
    }
    if (starts_with(key, "tmem.")) {
        return uses.tmem;
    }
    if (starts_with(key, "tma.dsmem") || key == "sync.remote_arrive") {
        return cluster > 1;
    }
    if (starts_with(key, "tma.")) {
        return uses.bulk_copies;
    }
    return !is_not_predicted_with(key);
}

}  // namespace

void append_if_unknown(const Constant& constant, const std::string& gpu,
                       std::vector<std::string>& list) {
    if (is_unknown(constant)) {
        list.push_back(fmt::format("'{}' of {} is {} ({}).", constant.key, gpu, constant.text,
                                   constant.source));
    }
}

std::vector<std::string> unknown_constants(const GpuSpec& spec, const KernelPlan& plan,
                                           MmaPath path) {
    const Uses uses = uses_of(plan);
    std::vector<std::string> list;
    for (const auto& [key, constant] : spec.constants) {
        if (is_unknown(constant) && is_needed(key, uses, path_key(path), plan.cluster)) {
            append_if_unknown(constant, spec.id, list);
        }
    }
    return list;
}

}  // namespace warpline
