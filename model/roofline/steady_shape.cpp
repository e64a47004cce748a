#include "warpline/roofline/steady_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace warpline {
namespace {

bool grows_with_blocks(const LoopBegin& loop) {
    return loop.over == LoopBegin::Over::count && loop.count.blocks != 0;
}

void include(SteadyShape& shape, const Predicate& predicate) {
    const std::int64_t constant = std::abs(predicate.value.constant) +
                                  std::abs(predicate.value.masked_first) +
                                  std::abs(predicate.value.masked_last);
    switch (predicate.kind) {
        case Predicate::Kind::first:
            shape.head = std::max(shape.head, constant);
            break;
        case Predicate::Kind::last:
            shape.tail = std::max(shape.tail, constant);
            break;
        case Predicate::Kind::every:
            shape.period = std::lcm(shape.period, predicate.period);
            break;
        case Predicate::Kind::masked:
            shape.head = std::max(shape.head, std::int64_t{1});
            shape.tail = std::max(shape.tail, std::int64_t{1});
            break;
        case Predicate::Kind::at_least:
            // Settled, one way or the other, once the blocks outweigh the constant.
            if (predicate.value.blocks != 0) {
                shape.head = std::max(shape.head, constant);
            }
            break;
        case Predicate::Kind::chance:
            shape.head =
                std::max(shape.head, static_cast<std::int64_t>(predicate.chance_64ths.size()));
            shape.period = std::lcm(
                shape.period,
                64 / std::gcd(std::int64_t{64}, std::int64_t{predicate.chance_64ths.back()}));
            break;
    }
}

}  // namespace

SteadyShape steady_shape(const KernelPlan& plan) {
    SteadyShape shape;
    for (const Role& role : plan.roles) {
        std::vector<const LoopBegin*> open;
        for (const Op& op : role.program) {
            if (const auto* loop = std::get_if<LoopBegin>(&op.body)) {
                open.push_back(loop);
                if (grows_with_blocks(*loop)) {
                    shape.head = std::max(shape.head, std::abs(loop->count.constant));
                    shape.tail = std::max(shape.tail, std::abs(loop->count.constant));
                }
            } else if (std::holds_alternative<LoopEnd>(op.body)) {
                open.pop_back();
            } else if (const auto* skip = std::get_if<SkipUnless>(&op.body)) {
                const bool steady_index = !open.empty() && grows_with_blocks(*open.back());
                if (steady_index || skip->predicate.kind == Predicate::Kind::at_least) {
                    include(shape, skip->predicate);
                }
            }
        }
    }
    return shape;
}

int block_loop(const Program& program) {
    int found = -1;
    for (int op = 0; op < static_cast<int>(program.size()); ++op) {
        const auto* loop = std::get_if<LoopBegin>(&program[static_cast<std::size_t>(op)].body);
        if (loop == nullptr || !grows_with_blocks(*loop)) {
            continue;
        }
        if (found >= 0) {
            return -2;
        }
        found = op;
        op = loop->end;
    }
    return found;
}

}  // namespace warpline
