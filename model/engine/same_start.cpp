#include "warpline/engine/same_start.hpp"

#include <algorithm>

namespace warpline {
namespace {

/// Rounded down; `divisor` > 0.
std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
    return value / divisor - (value % divisor < 0 ? 1 : 0);
}

}  // namespace

void SameAnswers::narrow(std::int64_t rest, std::int64_t slope, bool yes) {
    if (slope == 0) {
        return;
    }
    // A no to x >= 0 is a yes to -x - 1 >= 0.
    const std::int64_t constant = yes ? rest : -rest - 1;
    const std::int64_t rise = yes ? slope : -slope;
    if (rise > 0) {
        low_ = std::max(low_, -floor_divide(constant, rise));
    } else {
        high_ = std::min(high_, floor_divide(constant, -rise));
    }
}

void SameStart::answered(const Affine& value, std::int64_t least, const TileClass& tile, bool yes) {
    const TileClass empty{0, tile.masked_first, tile.masked_last};
    blocks_.narrow(value.at(empty) - least, value.blocks, yes);
}

void SameStart::goes_on(const LoopBegin& loop, std::int64_t index, const TileClass& tile,
                        bool yes) {
    if (loop.over == LoopBegin::Over::tiles) {
        tiles_.narrow(-index - 1, 1, yes);
    } else {
        answered(loop.count, index + 1, tile, yes);
    }
}

void SameStart::at_end(const LoopBegin* loop, std::int64_t index, const Affine& value,
                       const TileClass& tile, bool yes) {
    if (loop == nullptr) {
        answered(value, 1 - index, tile, yes);
        return;
    }
    if (loop->over == LoopBegin::Over::tiles) {
        tiles_.narrow(index + value.at(tile), -1, yes);
        if (value.blocks != 0) {
            blocks_.pin(tile.blocks);
        }
        return;
    }
    const Affine left{value.constant - loop->count.constant, value.blocks - loop->count.blocks,
                      value.masked_first - loop->count.masked_first,
                      value.masked_last - loop->count.masked_last};
    answered(left, -index, tile, yes);
}

void SameStart::asked(const Predicate& predicate, const LoopBegin* loop, std::int64_t index,
                      std::int64_t trips, const TileClass& tile) {
    const bool yes = holds(predicate, index, trips, tile) != predicate.negate;
    switch (predicate.kind) {
        case Predicate::Kind::first:
            answered(predicate.value, index + 1, tile, yes);
            break;
        case Predicate::Kind::last:
            at_end(loop, index, predicate.value, tile, yes);
            break;
        case Predicate::Kind::masked:
            at_end(loop, index, {tile.masked_last, 0, 0, 0}, tile,
                   index >= trips - tile.masked_last);
            break;
        case Predicate::Kind::at_least:
            answered(predicate.value, 0, tile, yes);
            break;
        case Predicate::Kind::every:
        case Predicate::Kind::chance:
            break;
    }
}

}  // namespace warpline
