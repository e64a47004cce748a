#include "warpline/engine/steady_state.hpp"

#include "warpline/engine/simulation.hpp"
#include "warpline/engine/simulation_state.hpp"
#include "warpline/engine/state_visitors.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace warpline {

namespace {

std::uint64_t hash_of(const std::vector<std::int64_t>& values) {
    // FNV-1a, a word at a time, in lanes that do not wait for one another.
    constexpr std::uint64_t prime = 1099511628211U;
    std::array<std::uint64_t, 4> lanes{14695981039346656037U, 1, 2, 3};
    std::size_t i = 0;
    for (; i + lanes.size() <= values.size(); i += lanes.size()) {
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            lanes[lane] = (lanes[lane] ^ static_cast<std::uint64_t>(values[i + lane])) * prime;
        }
    }
    for (; i < values.size(); ++i) {
        lanes[0] = (lanes[0] ^ static_cast<std::uint64_t>(values[i])) * prime;
    }
    return std::accumulate(
        lanes.begin(), lanes.end(), std::uint64_t{0},
        [](std::uint64_t hash, std::uint64_t lane) { return (hash ^ lane) * prime; });
}

/// Whether every account moved by one whole period, or not at all. The gap before a unit's first
/// use in a period reaches back into the one before, which may have been another.
bool books_agree(const Snapshot& from, const Snapshot& to) {
    const auto charges = [](const Snapshot& snapshot, std::size_t page) {
        return 2 * static_cast<std::size_t>(snapshot.books[page + 2]);
    };
    std::size_t x = 0;
    std::size_t y = 0;
    while (y < to.books.size()) {
        const Tick grown = to.books[y] - from.books[x];
        if (grown != 0 && grown != to.now - from.now) {
            return false;
        }
        x += 3 + charges(from, x);
        y += 3 + charges(to, y);
    }
    return true;
}

std::vector<Tick> difference(const std::vector<Tick>& before, const std::vector<Tick>& after) {
    std::vector<Tick> grown(after.size());
    std::transform(after.begin(), after.end(), before.begin(), grown.begin(), std::minus<>());
    return grown;
}

/// Whether times and counts stay within bounds when `periods` more are added.
bool fits(const Snapshot& from, const Snapshot& to, std::int64_t periods) {
    const std::int64_t most = latest_time / std::max<std::int64_t>(periods, 1);
    const auto fits_one = [&](std::int64_t before, std::int64_t after) {
        return after - before <= most && after + (after - before) * periods <= latest_time;
    };
    bool all = fits_one(from.now, to.now);
    for (std::size_t i = 0; i < to.counters.size(); ++i) {
        all = all && fits_one(from.counters[i], to.counters[i]);
    }
    return all;
}

}  // namespace

std::shared_ptr<const Snapshot> SteadyStateFinder::take(Simulation& simulation, Tick now) const {
    const auto taken = std::make_shared<Snapshot>();
    Snapshot& snapshot = *taken;
    snapshot.now = now;
    if (!seen_.empty()) {  // this one is about as long
        snapshot.relative.reserve(seen_.back()->relative.size() + 64);
        snapshot.counters.reserve(seen_.back()->counters.size() + 16);
        snapshot.books.reserve(seen_.back()->books.size() + 64);
    }
    StateWriter writer(snapshot, now);
    StateTour<StateWriter>(simulation, writer).run();
    const Agent& anchor = simulation.agents_[static_cast<std::size_t>(simulation.anchor_)];
    snapshot.tile = anchor.tile;
    for (const LoopFrame& frame : anchor.loops) {
        if (simulation.traits_of(anchor, frame).scales) {
            snapshot.anchor_index = frame.index;
            snapshot.anchor_left = frame.count - frame.index;
            break;
        }
    }
    snapshot.hash = hash_of(snapshot.relative);
    snapshot.done = simulation.tally();
    return taken;
}

void SteadyStateFinder::compare_tiles(Simulation& simulation, Tick now) {
    if (!simulation.tiles_alike_ || repeat_.found) {
        return;
    }
    const auto in_this_tile = [this](const Agent& agent) { return agent.tile == tile_; };
    if (!std::all_of(simulation.agents_.begin(), simulation.agents_.end(), in_this_tile)) {
        tile_before_.reset();
        return;
    }
    std::shared_ptr<const Snapshot> taken = take(simulation, now);
    const Snapshot& here = *taken;
    if (tile_before_ && tile_before_->tile == tile_ - 1 &&
        here.relative == tile_before_->relative && here.anchor_left == tile_before_->anchor_left &&
        here.loop_indices == tile_before_->loop_indices) {
        repeat_.found = true;
        repeat_.period = now - tile_before_->now;
        repeat_.busy = difference(tile_before_->done.busy, here.done.busy);
        repeat_.bytes_read = here.done.bytes_read - tile_before_->done.bytes_read;
        repeat_.bytes_written = here.done.bytes_written - tile_before_->done.bytes_written;
        repeat_.flops = here.done.flops - tile_before_->done.flops;
    }
    tile_before_ = std::move(taken);
}

void SteadyStateFinder::restart() {
    seen_.clear();
    skipped_ = found_in_loop_ = false;
}

void SteadyStateFinder::observe(Simulation& simulation, Tick now) {
    const Agent& anchor = simulation.agents_[static_cast<std::size_t>(simulation.anchor_)];
    if (anchor.tile != tile_) {
        tile_ = anchor.tile;
        restart();
    }
    if (skipped_ || !inside_uniform_part(simulation)) {
        return;
    }
    std::shared_ptr<const Snapshot> taken = take(simulation, now);
    const Snapshot& snapshot = *taken;
    for (const std::shared_ptr<const Snapshot>& before : seen_) {
        const Snapshot& earlier = *before;
        if (earlier.hash != snapshot.hash || earlier.relative != snapshot.relative ||
            !books_agree(earlier, snapshot)) {
            continue;
        }
        if (!found_.found && in_step(simulation, earlier, snapshot)) {
            found_.found = true;
            found_.period = now - earlier.now;
            found_.from = earlier.now;
            found_.blocks = snapshot.anchor_index - earlier.anchor_index;
            found_.busy = difference(earlier.done.busy, snapshot.done.busy);
        }
        if (simulation.keeper_ != nullptr) {
            simulation.keeper_->offer(simulation, true);
            simulation.same_start_.pin_blocks(simulation.tile_of(anchor).blocks);
        }
        const std::int64_t periods = periods_to_skip(simulation, earlier, snapshot);
        overflow_ = !fits(earlier, snapshot, periods);
        if (periods > 0 && !overflow_) {
            StateMover mover(earlier, snapshot, periods);
            StateTour<StateMover>(simulation, mover).run();
            if (simulation.log_ != nullptr) {
                simulation.log_->skipped(now, mover.shift());
            }
        }
        if (!overflow_) {
            compare_tiles(simulation,
                          now + std::max<std::int64_t>(periods, 0) * (now - earlier.now));
        }
        skipped_ = found_in_loop_ = true;
        seen_.clear();
        return;
    }
    if (seen_.size() == most_snapshots) {
        skipped_ = true;  // no recurrence in reach: run the rest as it is
        seen_.clear();
        return;
    }
    seen_.push_back(std::move(taken));
}

bool SteadyStateFinder::in_step(const Simulation& simulation, const Snapshot& from,
                                const Snapshot& to) {
    const std::int64_t steps = to.anchor_index - from.anchor_index;
    const auto as_many = [steps](std::int64_t before, std::int64_t after) {
        return after - before == steps;
    };
    const auto at_work = [&simulation](const Agent& agent) {
        return !simulation.has_scaling_loop(agent) ||
               std::any_of(agent.loops.begin(), agent.loops.end(), [&](const LoopFrame& frame) {
                   return simulation.traits_of(agent, frame).scales;
               });
    };
    return std::equal(from.loop_indices.begin(), from.loop_indices.end(), to.loop_indices.begin(),
                      to.loop_indices.end(), as_many) &&
           std::all_of(simulation.agents_.begin(), simulation.agents_.end(), at_work);
}

bool SteadyStateFinder::inside_uniform_part(Simulation& simulation) {
    for (const Agent& agent : simulation.agents_) {
        const TileClass tile = simulation.tile_of(agent);
        for (const LoopFrame& frame : agent.loops) {
            const LoopTraits& traits = simulation.traits_of(agent, frame);
            if (!traits.scales) {
                continue;
            }
            if (simulation.notes_choices(agent)) {
                note_uniform(simulation, agent, frame);
            }
            // In its last iteration a loop has nothing left to skip.
            const std::int64_t tail = std::max<std::int64_t>(1, traits.tail(tile));
            if (frame.index < traits.head(tile, frame.count) || frame.index >= frame.count - tail) {
                return false;
            }
        }
    }
    return true;
}

/// What of the tile decides whether the iteration is one of the uniform part.
void SteadyStateFinder::note_uniform(Simulation& simulation, const Agent& agent,
                                     const LoopFrame& frame) {
    const TileClass tile = simulation.tile_of(agent);
    const LoopTraits& traits = simulation.traits_of(agent, frame);
    SameStart& same = simulation.same_start_;
    const Op& begin = simulation.role_of(agent).program[static_cast<std::size_t>(frame.begin)];
    const auto& loop = std::get<LoopBegin>(begin.body);
    for (const Affine& value : traits.first) {
        same.answered(value, frame.index + 1, tile, frame.index < value.at(tile));
        same.at_end(&loop, 0, value, tile, value.at(tile) >= frame.count);
    }
    const auto note_end = [&](const Affine& value) {
        same.at_end(&loop, frame.index, value, tile, frame.index >= frame.count - value.at(tile));
    };
    note_end({1, 0, 0, 0});
    std::for_each(traits.last.begin(), traits.last.end(), note_end);
}

std::int64_t SteadyStateFinder::periods_to_skip(const Simulation& simulation, const Snapshot& from,
                                                const Snapshot& to) const {
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t least = simulation.options_.record_events ? 1 : 0;
    std::size_t i = 0;
    for (const Agent& agent : simulation.agents_) {
        const TileClass tile = simulation.tile_of(agent);
        for (const LoopFrame& frame : agent.loops) {
            const LoopTraits& traits = simulation.traits_of(agent, frame);
            if (!traits.scales) {
                continue;
            }
            const std::int64_t step = to.loop_indices[i] - from.loop_indices[i];
            ++i;
            if (step > 0) {
                // As far as the last iteration of the uniform part, which may be that of the loop:
                // whether the loop goes on is asked at the end of an iteration. Who looks at
                // recorded events wants to see the one before, too.
                const std::int64_t tail = std::max(least, traits.tail(tile));
                const std::int64_t uniform = frame.count - tail - 1 - frame.index;
                most = std::min(most, std::max<std::int64_t>(0, uniform) / step);
            }
        }
    }
    return most == std::numeric_limits<std::int64_t>::max() ? 0 : most;
}

}  // namespace warpline
