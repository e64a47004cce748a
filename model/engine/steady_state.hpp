// Finding the repeating part of a long loop, and skipping whole periods of it exactly.
//
// The state of a run is a list of integers. Relative to now and to its own counters, it decides
// everything that follows; when it equals an earlier one, the run repeats itself, and every
// absolute quantity grows by the same amount each period. Two visitors walk the state in one order:
// one writes both forms, one moves it ahead.
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/engine.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpline {

class Simulation;
struct Agent;
struct LoopFrame;

/// How much was done so far.
struct Tally {
    std::vector<Tick> busy;  ///< of each unit, in the order of Schedule::units
    std::int64_t bytes_read = 0, bytes_written = 0, flops = 0;
};

/// The state at one instant.
struct Snapshot {
    Tick now = 0;
    std::vector<std::int64_t> relative;      ///< decides the future
    std::uint64_t hash = 0;                  ///< of `relative`
    std::vector<std::int64_t> counters;      ///< what grows
    std::vector<std::int64_t> books;         ///< accounts, see StateWriter::books()
    std::vector<std::int64_t> ring_bases;    ///< use index each ring of each cluster is at
    std::int64_t anchor_index = 0;           ///< iteration of the anchor's loop
    std::vector<std::int64_t> loop_indices;  ///< of every loop that scales, warp by warp
    std::int64_t tile = 0;                   ///< the anchor's
    std::int64_t anchor_left = 0;            ///< iterations of its loop, the current one included
    Tally done;
};

class SteadyStateFinder {
  public:
    /// Called after the anchor finished an iteration. Skips ahead when the state recurs.
    void observe(Simulation& simulation, Tick now);
    /// Forgets what was seen: another tile, another loop.
    void restart();
    [[nodiscard]] const SteadyState& found() const { return found_; }
    /// Periods of the current loop were skipped.
    [[nodiscard]] bool skipped_periods() const { return skipped_ && found_in_loop_; }
    [[nodiscard]] const TileRepeat& repeat() const { return repeat_; }
    /// The rest of the loop takes more ticks, or moves more bytes, than can be counted.
    [[nodiscard]] bool overflow() const { return overflow_; }

  private:
    [[nodiscard]] std::shared_ptr<const Snapshot> take(Simulation& simulation, Tick now) const;
    /// Compares the state in this tile, its repeating part skipped, with that in the tile before.
    void compare_tiles(Simulation& simulation, Tick now);
    /// Whether all warps with a scaling loop are in it, and went on by as many iterations.
    [[nodiscard]] static bool in_step(const Simulation& simulation, const Snapshot& from,
                                      const Snapshot& to);
    [[nodiscard]] static bool inside_uniform_part(Simulation& simulation);
    static void note_uniform(Simulation& simulation, const Agent& agent, const LoopFrame& frame);
    [[nodiscard]] std::int64_t periods_to_skip(const Simulation& simulation, const Snapshot& from,
                                               const Snapshot& to) const;
    static constexpr std::size_t most_snapshots = 256;

    // Never changed, and shared with copies of the run.
    std::vector<std::shared_ptr<const Snapshot>> seen_;
    std::shared_ptr<const Snapshot> tile_before_;
    SteadyState found_;
    TileRepeat repeat_;
    std::int64_t tile_ = -1;
    bool skipped_ = false;        ///< or given up
    bool found_in_loop_ = false;  ///< a recurrence, in this loop
    bool overflow_ = false;
};

}  // namespace warpline
