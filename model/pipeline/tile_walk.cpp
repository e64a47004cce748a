#include "warpline/pipeline/tile_walk.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpline {
namespace {

/// Runs the control flow of one tile: no time, only what is counted.
class TileWalk {
  public:
    TileWalk(const Role& role, const BarrierInstances& instances, std::size_t rings,
             const TileClass& tile)
        : program_(role.program), instances_(instances), tile_(tile) {
        counts_.arrivals.resize(instances.count());
        counts_.waits.resize(instances.count());
        counts_.takes.resize(rings);
    }

    TileCounts run() && {
        const auto begin = std::find_if(program_.begin(), program_.end(), [](const Op& op) {
            const auto* loop = std::get_if<LoopBegin>(&op.body);
            return loop != nullptr && loop->over == LoopBegin::Over::tiles;
        });
        if (begin == program_.end()) {
            return std::move(counts_);
        }
        const int end = std::get<LoopBegin>(begin->body).end;
        // A tile in the middle of many stands for all: it is neither the first nor the last.
        loops_.push_back({1, 3});
        at_ = static_cast<int>(begin - program_.begin()) + 1;
        for (int steps = 0; at_ < end; ++steps) {
            if (steps > most_steps) {
                counts_.complete = false;
                break;
            }
            step(program_[static_cast<std::size_t>(at_)].body);
        }
        return std::move(counts_);
    }

  private:
    static constexpr int most_steps = 20'000;
    struct Loop {
        std::int64_t i, n;
    };

    void arrive(const std::optional<BarrierRef>& on, At at, std::int64_t count) {
        if (!on) {
            return;
        }
        TileCounts::Arrivals& arrivals = counts_.arrivals[instances_.of(*on)];
        switch (at) {
            case At::self:
                arrivals.self += count;
                break;
            case At::peer:
                arrivals.peer += count;
                break;
            case At::leader:
                arrivals.leader += count;
                break;
            case At::all:
                arrivals.all += count;
                break;
        }
    }

    void step(const OpBody& body) {
        ++at_;
        if (const auto* arrival = std::get_if<ArriveOp>(&body)) {
            arrive(arrival->on, arrival->at, arrival->count);
        } else if (const auto* commit = std::get_if<CommitOp>(&body)) {
            arrive(commit->on, commit->at, 1);
        } else if (const auto* async = std::get_if<AsyncOp>(&body)) {
            arrive(async->signals, async->at, 1);
        } else if (const auto* wait = std::get_if<WaitOp>(&body)) {
            ++counts_.waits[instances_.of(wait->on)];
        } else if (const auto* take = std::get_if<TakeOp>(&body)) {
            ++counts_.takes[static_cast<std::size_t>(take->ring)];
        } else if (const auto* begin = std::get_if<LoopBegin>(&body)) {
            const std::int64_t n = begin->count.at(tile_);
            if (n <= 0) {
                at_ = begin->end + 1;
            } else {
                loops_.push_back({0, n});
            }
        } else if (const auto* end = std::get_if<LoopEnd>(&body)) {
            if (++loops_.back().i < loops_.back().n) {
                at_ = end->begin + 1;
            } else {
                loops_.pop_back();
            }
        } else if (const auto* skip = std::get_if<SkipUnless>(&body)) {
            if (!holds(skip->predicate, loops_.back().i, loops_.back().n, tile_)) {
                at_ = skip->target;
            }
        } else if (const auto* jump = std::get_if<Jump>(&body)) {
            at_ = jump->target;
        }
    }

    const Program& program_;
    const BarrierInstances& instances_;
    TileClass tile_;
    TileCounts counts_;
    std::vector<Loop> loops_;
    int at_ = 0;
};

}  // namespace

TileCounts count_tile(const Role& role, const BarrierInstances& instances, std::size_t rings,
                      const TileClass& tile) {
    return TileWalk(role, instances, rings, tile).run();
}

}  // namespace warpline
