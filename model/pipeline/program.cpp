#include "warpline/pipeline/program.hpp"

#include <algorithm>

namespace warpline {
namespace {

/// Sum of the shares of iterations 0 .. i; 0 for i < 0.
std::int64_t shares_to(const std::vector<int>& shares, std::int64_t i) {
    if (i < 0) {
        return 0;
    }
    const auto listed = std::min<std::int64_t>(i + 1, static_cast<std::int64_t>(shares.size()));
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < listed; ++k) {
        sum += shares[static_cast<std::size_t>(k)];
    }
    return sum + (i + 1 - listed) * shares.back();
}

bool holds_as_written(const Predicate& predicate, std::int64_t i, std::int64_t n,
                      const TileClass& tile) {
    switch (predicate.kind) {
        case Predicate::Kind::first:
            return i < predicate.value.at(tile);
        case Predicate::Kind::last:
            return i >= n - predicate.value.at(tile);
        case Predicate::Kind::every:
            return i % predicate.period == predicate.offset;
        case Predicate::Kind::masked:
            return i < tile.masked_first || i >= n - tile.masked_last;
        case Predicate::Kind::at_least:
            return predicate.value.at(tile) >= 0;
        case Predicate::Kind::chance:
            return chance_fires(predicate, i);
    }
    return false;
}

}  // namespace

bool chance_fires(const Predicate& predicate, std::int64_t i) {
    constexpr std::int64_t whole = 64;
    return shares_to(predicate.chance_64ths, i) / whole >
           shares_to(predicate.chance_64ths, i - 1) / whole;
}

bool holds(const Predicate& predicate, std::int64_t i, std::int64_t n, const TileClass& tile) {
    return holds_as_written(predicate, i, n, tile) != predicate.negate;
}

}  // namespace warpline
