#include "warpline/device/place_in_turn.hpp"

#include "warpline/workload/mask_geometry.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace warpline {
namespace {

constexpr std::int64_t most_tiles = std::int64_t{1} << 18;

/// The slots of a GPU, each free from some time on; of slots that are free at the same time the
/// lowest goes first.
class Slots {
  public:
    explicit Slots(std::int64_t count) : ends_(static_cast<std::size_t>(count), 0.0) {
        for (std::size_t slot = 0; slot < ends_.size(); ++slot) {
            free_.push({0.0, slot});
        }
    }
    [[nodiscard]] double first_free() const { return free_.top().first; }
    void keep_first_until(double end) {
        const std::size_t slot = free_.top().second;
        free_.pop();
        free_.push({end, slot});
        ends_[slot] = end;
    }
    [[nodiscard]] const std::vector<double>& ends() const { return ends_; }

  private:
    using Free = std::pair<double, std::size_t>;
    std::priority_queue<Free, std::vector<Free>, std::greater<>> free_;
    std::vector<double> ends_;
};

/// Heads of one length, in the groups that they are launched in.
class HeadGroups {
  public:
    HeadGroups(const MaskGeometry& head, const TileShape& shape, const TileTimes& times,
               const TurnPace& pace, const LaunchCost& launch)
        : head_(head), shape_(shape), times_(times), pace_(pace), launch_(launch) {}

    /// Places `heads` heads, or as many tiles of theirs as `budget` allows.
    void place(std::int64_t heads, Slots& waiting, Slots& free, std::int64_t& budget) const {
        const std::int64_t largest = std::clamp<std::int64_t>(shape_.head_group, 1, heads);
        while (heads > 0 && budget > 0) {
            const std::int64_t group = std::min(heads, largest);
            place_group(group, waiting, free, budget);
            heads -= group;
        }
    }

  private:
    void place_group(std::int64_t heads, Slots& waiting, Slots& free, std::int64_t& budget) const {
        const std::int64_t kept = std::min(heads, budget);
        std::vector<BlockTimes> passed(static_cast<std::size_t>(kept),
                                       BlockTimes(head_.all_blocks()));
        for (std::int64_t i = 0; i < head_.tiles(); ++i) {
            const std::int64_t index =
                shape_.order == TileOrder::longest_first ? head_.tiles() - 1 - i : i;
            for (BlockTimes& of_head : passed) {
                if (budget-- <= 0) {
                    return;
                }
                place_tile(index, of_head, waiting, free);
            }
        }
    }

    void place_tile(std::int64_t index, BlockTimes& passed, Slots& waiting, Slots& free) const {
        const TileClass tile = head_.tile(index);
        const double alone = times_.value(tile, &TileCost::alone);
        const double whole = launch_.start + alone + launch_.exit;
        free.keep_first_until(free.first_free() + whole);
        const double launched = waiting.first_free();
        if (tile.blocks == 0) {
            waiting.keep_first_until(launched + whole);
            return;
        }
        const std::int64_t first =
            std::clamp<std::int64_t>(head_.edges(index).begin, 0, head_.all_blocks());
        const double before =
            alone - pace_.after - static_cast<double>(tile.blocks - 1) * pace_.step;
        const TileTurns turns =
            take_turns(first, tile.blocks, launched + launch_.start + before, pace_, passed);
        passed.overwrite(turns.passed);
        waiting.keep_first_until(turns.end + launch_.exit);
    }

    const MaskGeometry& head_;
    const TileShape& shape_;
    const TileTimes& times_;
    const TurnPace& pace_;
    const LaunchCost& launch_;
};

/// Calls f(sequence, equal sequences in a row) in launch order.
template <typename F>
void for_each_length(const AttentionProblem& problem, F&& f) {
    if (problem.varlen.empty()) {
        f(problem.sequence(0), problem.batch);
        return;
    }
    for (std::size_t i = 0; i < problem.varlen.size();) {
        std::size_t next = i + 1;
        while (next < problem.varlen.size() && problem.varlen[next].q == problem.varlen[i].q &&
               problem.varlen[next].kv == problem.varlen[i].kv) {
            ++next;
        }
        f(problem.varlen[i], static_cast<std::int64_t>(next - i));
        i = next;
    }
}

}  // namespace

Placement place_in_turn(Placement placed, const AttentionProblem& problem, const TileShape& shape,
                        const TileTimes& times, const TurnPace& pace, const ClusterSlots& slots,
                        const LaunchCost& launch) {
    if (placed.tiles == 0) {
        return placed;
    }
    const std::int64_t heads = shape.pack_gqa ? problem.heads_kv : problem.heads_q;
    const std::int64_t heads_per_kv = problem.heads_q / problem.heads_kv;
    Slots waiting(slots.slots());
    Slots free(slots.slots());
    std::int64_t budget = most_tiles;
    for_each_length(problem, [&](const SequencePair& sequence, std::int64_t count) {
        const MaskGeometry head(sequence, problem.mask, shape, heads_per_kv);
        HeadGroups(head, shape, times, pace, launch).place(heads * count, waiting, free, budget);
    });
    Placement with = placed;
    Placement without = placed;
    summarize_ends(with, waiting.ends(), slots);
    summarize_ends(without, free.ends(), slots);
    if (placed.tiles > most_tiles) {
        const double longer = with.makespan / without.makespan;
        with.makespan = placed.makespan * longer;
        with.mean_active = placed.mean_active * with.mean_active / without.mean_active;
        with.tail = placed.tail * longer;
        with.makespan_error = placed.makespan_error * longer;
        without.makespan = placed.makespan;
    }
    // Where nobody waits, the two differ by rounding.
    with.turn_wait = std::max(0.0, with.makespan - without.makespan);
    return with;
}

}  // namespace warpline
