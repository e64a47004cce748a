// Warp instructions.
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t most_instructions = 1'000'000;

}  // namespace

std::optional<std::int64_t> RoleLowering::required(const YamlNode& node, const char* key,
                                                   std::int64_t low, std::int64_t high) {
    const YamlNode* value = input_.require(node, key, "this statement");
    return value == nullptr ? std::nullopt : reader_.integer(*value, key, low, high);
}

std::int64_t RoleLowering::optional_integer(const YamlNode& node, const char* key,
                                            std::int64_t otherwise, std::int64_t low,
                                            std::int64_t high) {
    const YamlNode* value = node.find(key);
    return value == nullptr ? otherwise
                            : reader_.integer(*value, key, low, high).value_or(otherwise);
}

void RoleLowering::infeasible(const SourceLocation& where, std::string message, std::string hint) {
    if (!reader_.lenient()) {
        reader_.problems().infeasible.error(where, std::move(message), std::move(hint));
    }
}

bool RoleLowering::results_needed(const YamlNode& node) {
    const YamlNode* results = node.find("results");
    if (results == nullptr) {
        return true;
    }
    const auto text = reader_.text(*results, "results");
    if (text && *text != "later" && *text != "next") {
        input_.error(results->where, fmt::format("'results' is '{}'", *text),
                     "later: the next statement does not use them; next (default): it does");
    }
    return text != "later";
}

std::optional<IssuePart> RoleLowering::issue_part(const YamlNode& node) {
    const YamlNode* head = node.find("issue");
    const auto text = head == nullptr ? std::nullopt : reader_.text(*head, "issue");
    IssuePart part;
    part.count = optional_integer(node, "count", 1, 0, most_instructions);
    part.chains = optional_integer(node, "chains", 0, 0, most_instructions);
    if (!text) {
        return std::nullopt;
    }
    // Another GPU may have what this one lacks, so statements that do not run here are not judged.
    if (reader_.lenient() || part.count == 0) {
        return part;
    }
    const std::string_view name = resolved(*text);
    if (const auto known = context_.instruction_index.find(name);
        known != context_.instruction_index.end()) {
        part.instruction = known->second;
        return part;
    }
    const auto kind = context_.spec.instructions.find(std::string(name));
    if (kind == context_.spec.instructions.end()) {
        std::vector<std::string> names;
        for (const auto& [candidate, unused] : context_.spec.instructions) {
            names.push_back(candidate);
        }
        unknown(*head, 0, fmt::format("instruction of {}", context_.spec.id), name, names);
        return std::nullopt;
    }
    part.instruction = static_cast<int>(context_.instructions.size());
    context_.instructions.push_back(kind->second);
    context_.instruction_index.emplace(kind->first, part.instruction);
    return part;
}

void RoleLowering::issue(const YamlNode& node, const YamlNode& head) {
    const bool needed = results_needed(node);
    const auto part = issue_part(node);
    if (part && part->count > 0) {
        emit(IssueOp{{*part}, needed}, node, std::string(resolved(head.scalar)));
    }
}

void RoleLowering::interleave(const YamlNode& node, const YamlNode& head) {
    if (!head.is_sequence() || head.items.empty()) {
        input_.error(head.where, "'interleave' must be a list of issue, count and chains");
        return;
    }
    static const std::vector<std::string> part_keys = {"issue", "count", "chains"};
    IssueOp op;
    op.results_needed = results_needed(node);
    const bool labelled = !wants_default_label(node);
    std::string label;
    for (const YamlNode& item : head.items) {
        if (check_keys_) {
            input_.check_keys(item, part_keys, "a part of 'interleave'");
        }
        if (input_.require(item, "issue", "a part of 'interleave'") == nullptr) {
            continue;
        }
        const auto part = issue_part(item);
        if (part && part->count > 0) {
            op.parts.push_back(*part);
            if (!labelled) {
                label += label.empty() ? "" : " + ";
                label += resolved(item.find("issue")->scalar);
            }
        }
    }
    if (!op.parts.empty()) {
        emit(std::move(op), node, std::move(label));
    }
}

}  // namespace warpline
