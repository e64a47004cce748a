#include "warpline/roofline/steady_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace warpline {
namespace {

bool grows_with_blocks(const LoopBegin& loop) {
    return loop.over == LoopBegin::Over::count && loop.count.blocks != 0;
}

/// The most that a value of a tile with one masked block at either end can be from zero, its share
/// of the blocks aside.
std::int64_t magnitude(const Affine& value) {
    return std::abs(value.constant) + std::abs(value.masked_first) + std::abs(value.masked_last);
}

void include(SteadyShape& shape, const Predicate& predicate) {
    const PredicateReach reach = reach_of(predicate);
    for (const Affine& value : reach.first) {
        shape.head = std::max(shape.head, magnitude(value));
    }
    for (const Affine& value : reach.last) {
        shape.tail = std::max(shape.tail, magnitude(value));
    }
    shape.head = std::max(shape.head, reach.guard);
    shape.period = std::lcm(shape.period, reach.period);
    if (predicate.kind == Predicate::Kind::at_least && predicate.value.blocks != 0) {
        // Settled, one way or the other, once the blocks outweigh the constant.
        shape.head = std::max(shape.head, magnitude(predicate.value));
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
