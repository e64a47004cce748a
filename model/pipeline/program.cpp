#include "warpline/pipeline/program.hpp"

#include <algorithm>
#include <numeric>

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

std::vector<WovenInstruction> weave(const IssueOp& op) {
    // The parts are in order themselves, so they are merged.
    std::vector<WovenInstruction> fronts;
    std::int64_t left = 0;
    for (std::size_t part = 0; part < op.parts.size(); ++part) {
        if (op.parts[part].count > 0) {
            fronts.push_back({static_cast<int>(part), 0});
            left += op.parts[part].count;
        }
    }
    const auto count = [&](const WovenInstruction& x) {
        return op.parts[static_cast<std::size_t>(x.part)].count;
    };
    std::vector<WovenInstruction> order;
    order.reserve(static_cast<std::size_t>(left));
    for (; fronts.size() > 1; --left) {
        // position (n + 1/2) / count, compared without division; ties keep the order of the parts
        WovenInstruction* first = fronts.data();
        for (WovenInstruction& x : fronts) {
            if ((2 * x.number + 1) * count(*first) < (2 * first->number + 1) * count(x)) {
                first = &x;
            }
        }
        order.push_back(*first);
        if (++first->number == count(*first)) {
            fronts.erase(fronts.begin() + (first - fronts.data()));
        }
    }
    for (; left > 0; --left, ++fronts.front().number) {
        order.push_back(fronts.front());
    }
    return order;
}

std::optional<BarrierRef> arrives_on(const OpBody& body) {
    if (const auto* arrive = std::get_if<ArriveOp>(&body)) {
        return arrive->on;
    }
    if (const auto* commit = std::get_if<CommitOp>(&body)) {
        return commit->on;
    }
    if (const auto* async = std::get_if<AsyncOp>(&body)) {
        return async->signals;
    }
    return std::nullopt;
}

PredicateReach reach_of(const Predicate& predicate) {
    PredicateReach reach;
    switch (predicate.kind) {
        case Predicate::Kind::first:
            reach.first.push_back(predicate.value);
            break;
        case Predicate::Kind::last:
            reach.last.push_back(predicate.value);
            break;
        case Predicate::Kind::every:
            reach.period = std::max<std::int64_t>(1, predicate.period);
            break;
        case Predicate::Kind::masked:
            reach.first.push_back({0, 0, 1, 0});
            reach.last.push_back({0, 0, 0, 1});
            break;
        case Predicate::Kind::at_least:
            break;
        case Predicate::Kind::chance:
            reach.guard = static_cast<std::int64_t>(predicate.chance_64ths.size());
            reach.period =
                64 / std::gcd(std::int64_t{64}, std::int64_t{predicate.chance_64ths.back()});
            break;
    }
    return reach;
}

bool holds(const Predicate& predicate, std::int64_t i, std::int64_t n, const TileClass& tile) {
    return holds_as_written(predicate, i, n, tile) != predicate.negate;
}

}  // namespace warpline
