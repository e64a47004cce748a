// A schedule as lanes of slices that never overlap: what traces and charts draw.
#pragma once

#include "warpline/engine/releases.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

/// A row: a warp, or one of the slots of a unit that serves several operations at a time.
struct ChartLane {
    std::string name;  ///< "softmax[0]", "tensor", "memory 2"
    int sm = 0;        ///< of the cluster
    int resident = 0;  ///< co-resident cluster; units are shared by all and have 0
    bool unit = false;
};

struct ChartSlice {
    enum class Kind : std::uint8_t {
        issue,   ///< a warp executes instructions
        async,   ///< a unit serves an asynchronous operation
        wait,    ///< a warp waits for a barrier, or for its own asynchronous operations
        arrive,  ///< the cycle in which a warp arrives somewhere and so ends a wait
    };
    Kind kind = Kind::issue;
    int lane = 0;
    int label = 0;  ///< index into SliceChart::labels
    int usage = 0;  ///< index into Schedule::roles
    int op = 0;     ///< of its program
    std::int64_t tile = 0;
    std::int64_t iteration = -1;  ///< -1 outside loops
    Tick start = 0, end = 0;      ///< start < end
    Tick requested = 0;           ///< when it was issued
    Tick completed = 0;           ///< when its result was visible
    Cause cause;                  ///< why it did not start earlier
};

/// The slice `from` ends the wait `to`.
struct ChartFlow {
    std::size_t from = 0, to = 0;
};

struct SliceChart {
    std::vector<std::string> labels;
    std::vector<ChartLane> lanes;    ///< warps before units, SM by SM
    std::vector<ChartSlice> slices;  ///< by lane, then start
    std::vector<ChartFlow> flows;    ///< in order of `to`
    Tick end = 0;                    ///< of the last slice
    /// Where periods of a loop were left out, and how much later what follows happens in truth.
    /// Times here have that taken away.
    std::vector<SkippedTime> folds;
};

/// Slices of no length are left out, and so are arrivals that ended no wait. An MMA of a pair has a
/// slice on both tensor cores.
[[nodiscard]] SliceChart slice_chart(const KernelPlan& plan, const Recording& recording);

/// Time left out before an event of `recording` at `time`, by its own clock.
[[nodiscard]] Tick skipped_before(const Recording& recording, Tick time);

/// Over all folds.
[[nodiscard]] Tick folded_time(const SliceChart& chart);

/// What of `chart` lies on SM `sm` (-1: all) and in [from, to): slices that reach into it,
/// whole, and flows of which both ends are left.
[[nodiscard]] SliceChart part_of(const SliceChart& chart, int sm, Tick from, Tick to);

}  // namespace warpline
