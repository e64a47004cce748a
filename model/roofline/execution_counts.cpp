#include "warpline/roofline/execution_counts.hpp"

#include <algorithm>
#include <numeric>

namespace warpline {
namespace {

/// `every N` with a longer period is counted by its firings instead of by periods.
constexpr std::int64_t longest_common_period = 4096;

/// Iterations i, i + 1, ... that behave like iteration i, `weight` of them.
struct Alike {
    std::int64_t iteration = 0;
    double weight = 1.0;
};

/// Which predicates look at the index of one loop, and what they need of a split of its range.
class IterationSplit {
  public:
    IterationSplit(std::int64_t from, std::int64_t to, std::int64_t trips, const TileClass& tile)
        : from_(from), to_(to), trips_(trips), tile_(tile), cuts_{from, to} {}

    void add(const Predicate& predicate) {
        switch (predicate.kind) {
            case Predicate::Kind::first:
                cut(predicate.value.at(tile_));
                break;
            case Predicate::Kind::last:
                cut(trips_ - predicate.value.at(tile_));
                break;
            case Predicate::Kind::masked:
                cut(tile_.masked_first);
                cut(trips_ - tile_.masked_last);
                break;
            case Predicate::Kind::every:
                add_every(predicate);
                break;
            case Predicate::Kind::chance: {
                const auto shares = static_cast<std::int64_t>(predicate.chance_64ths.size());
                for (std::int64_t i = 0; i < std::min(shares, to_); ++i) {
                    cut(i);
                }
                // A constant share repeats after this many iterations, from any phase.
                repeat(64 /
                       std::gcd(std::int64_t{64}, std::int64_t{predicate.chance_64ths.back()}));
                break;
            }
            case Predicate::Kind::at_least:
                break;
        }
    }

    [[nodiscard]] std::vector<Alike> alike() {
        std::sort(cuts_.begin(), cuts_.end());
        cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
        std::vector<Alike> result;
        for (std::size_t c = 0; c + 1 < cuts_.size(); ++c) {
            const std::int64_t length = cuts_[c + 1] - cuts_[c];
            for (std::int64_t phase = 0; phase < std::min(length, period_); ++phase) {
                const std::int64_t times = (length - phase + period_ - 1) / period_;
                result.push_back({cuts_[c] + phase, static_cast<double>(times)});
            }
        }
        return result;
    }

  private:
    void cut(std::int64_t at) {
        if (at > from_ && at < to_) {
            cuts_.push_back(at);
        }
    }
    void repeat(std::int64_t period) { period_ = std::lcm(period_, period); }
    void add_every(const Predicate& predicate) {
        if (predicate.period <= longest_common_period) {
            repeat(predicate.period);
            return;
        }
        for (std::int64_t i = predicate.offset; i < to_; i += predicate.period) {
            cut(i);
            cut(i + 1);
        }
    }

    std::int64_t from_, to_, trips_;
    const TileClass& tile_;
    std::vector<std::int64_t> cuts_;
    std::int64_t period_ = 1;
};

/// Where a walk stands: the innermost loop's index and trip count, and the tile.
struct Position {
    std::int64_t index = 0;
    std::int64_t trips = 1;
    TileClass tile;
};

class Counter {
  public:
    Counter(const Program& program, std::span<const TileRun> tiles)
        : program_(program), tiles_(tiles), counts_(program.size(), 0.0) {}

    std::vector<double> run() && {
        walk(0, static_cast<int>(program_.size()),
             {0, 1, tiles_.empty() ? TileClass{} : tiles_.front().tile}, 1.0);
        return std::move(counts_);
    }

  private:
    [[nodiscard]] const OpBody& body(int op) const {
        return program_[static_cast<std::size_t>(op)].body;
    }

    void walk(int first, int end, const Position& at, double weight) {
        for (int op = first; op < end;) {
            counts_[static_cast<std::size_t>(op)] += weight;
            if (const auto* skip = std::get_if<SkipUnless>(&body(op))) {
                op = holds(skip->predicate, at.index, at.trips, at.tile) ? op + 1 : skip->target;
            } else if (const auto* jump = std::get_if<Jump>(&body(op))) {
                op = jump->target;
            } else if (const auto* loop = std::get_if<LoopBegin>(&body(op))) {
                walk_loop(op, *loop, at, weight);
                op = loop->end + 1;
            } else {
                ++op;
            }
        }
    }

    void walk_loop(int begin, const LoopBegin& loop, const Position& at, double weight) {
        if (loop.over == LoopBegin::Over::count) {
            const std::int64_t trips = std::max<std::int64_t>(0, loop.count.at(at.tile));
            walk_iterations(begin, loop.end, 0, trips, trips, at.tile, weight);
            return;
        }
        std::int64_t trips = 0;
        for (const TileRun& run : tiles_) {
            trips += run.count;
        }
        std::int64_t from = 0;
        for (const TileRun& run : tiles_) {
            walk_iterations(begin, loop.end, from, from + run.count, trips, run.tile, weight);
            from += run.count;
        }
    }

    void walk_iterations(int begin, int end, std::int64_t from, std::int64_t to, std::int64_t trips,
                         const TileClass& tile, double weight) {
        if (from >= to) {
            return;
        }
        IterationSplit split(from, to, trips, tile);
        for (int op = begin + 1; op < end; ++op) {
            if (const auto* inner = std::get_if<LoopBegin>(&body(op))) {
                op = inner->end;  // its predicates look at its own index
            } else if (const auto* skip = std::get_if<SkipUnless>(&body(op))) {
                split.add(skip->predicate);
            }
        }
        for (const Alike& alike : split.alike()) {
            walk(begin + 1, end, {alike.iteration, trips, tile}, weight * alike.weight);
        }
    }

    const Program& program_;
    std::span<const TileRun> tiles_;
    std::vector<double> counts_;
};

}  // namespace

std::vector<double> execution_counts(const Program& program, std::span<const TileRun> tiles) {
    return Counter(program, tiles).run();
}

}  // namespace warpline
