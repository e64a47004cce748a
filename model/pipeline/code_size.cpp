#include "warpline/pipeline/code_size.hpp"

#include <algorithm>
#include <vector>

namespace warpline {
namespace {

constexpr std::int64_t instruction_bytes = 16;
/// A wait is a loop around a test, a bulk copy its operands and the copy.
constexpr std::int64_t wait_instructions = 3;
constexpr std::int64_t bulk_copy_instructions = 4;
constexpr std::int64_t most_masked_versions = 2;

[[nodiscard]] std::int64_t instructions_of(const AsyncOp& op) {
    if (const auto* mma = std::get_if<MmaOp>(&op.work)) {
        return mma->steps;
    }
    if (const auto* tmem = std::get_if<TmemOp>(&op.work)) {
        return tmem->instructions;
    }
    const auto& copy = std::get<CopyOp>(op.work);
    return copy.engine == CopyEngine::lsu ? copy.instructions
                                          : copy.instructions * bulk_copy_instructions;
}

[[nodiscard]] std::int64_t instructions_of(const OpBody& body) {
    if (const auto* issue = std::get_if<IssueOp>(&body)) {
        std::int64_t count = 0;
        for (const IssuePart& part : issue->parts) {
            count += part.count;
        }
        return count;
    }
    if (const auto* async = std::get_if<AsyncOp>(&body)) {
        return instructions_of(*async);
    }
    if (std::holds_alternative<WaitOp>(body)) {
        return wait_instructions;
    }
    const bool free = std::holds_alternative<TakeOp>(body) || std::holds_alternative<Jump>(body) ||
                      std::holds_alternative<LoopBegin>(body) ||
                      std::holds_alternative<LoopEnd>(body);
    return free ? 0 : 1;
}

/// Where in the program an operation is.
struct Place {
    std::int64_t turns = 1;  ///< of the constant loops around it
    bool over_blocks = false;
};

[[nodiscard]] Place inside(const Place& outside, const LoopBegin& loop) {
    if (loop.over == LoopBegin::Over::tiles) {
        return outside;
    }
    const Affine& count = loop.count;
    if (count.blocks != 0 || count.masked_first != 0 || count.masked_last != 0) {
        return {outside.turns, true};
    }
    return {outside.turns * std::max<std::int64_t>(0, count.constant), outside.over_blocks};
}

void add(const Program& program, CodeSize& size) {
    int masked_until = 0;  // operations before this index are for masked blocks alone
    std::vector<Place> places{{}};
    for (int i = 0; i < static_cast<int>(program.size()); ++i) {
        const OpBody& body = program[static_cast<std::size_t>(i)].body;
        if (const auto* loop = std::get_if<LoopBegin>(&body)) {
            places.push_back(inside(places.back(), *loop));
        }
        const bool masked = i < masked_until;
        if (const auto* skip = std::get_if<SkipUnless>(&body)) {
            const Predicate& predicate = skip->predicate;
            if (predicate.kind == Predicate::Kind::masked && !predicate.negate) {
                masked_until = std::max(masked_until, skip->target);
            }
        }
        const Place& place = places.back();
        const std::int64_t bytes = instructions_of(body) * place.turns * instruction_bytes;
        if (!place.over_blocks) {
            size.once += bytes;
        } else {
            (masked ? size.masked_part : size.version) += bytes;
        }
        if (std::holds_alternative<LoopEnd>(body)) {
            places.pop_back();
        }
    }
}

}  // namespace

std::int64_t CodeSize::passed_in(const TileClass& tile) const {
    const std::int64_t masked = std::min(tile.masked_first + tile.masked_last, tile.blocks);
    const std::int64_t masked_versions = std::min(masked, most_masked_versions);
    const std::int64_t first_and_masked = std::max<std::int64_t>(masked_versions, 1);
    return once + std::min(tile.blocks, first_and_masked + 1) * version +
           masked_versions * masked_part;
}

CodeSize code_size(const KernelPlan& plan) {
    CodeSize size;
    for (const Role& role : plan.roles) {
        if (role.copy <= 0) {
            add(role.program, size);
        }
    }
    return size;
}

}  // namespace warpline
