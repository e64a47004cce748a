// A chart as a trace for Perfetto (ui.perfetto.dev) and chrome://tracing.
#pragma once

#include "warpline/reports/measured_lanes.hpp"
#include "warpline/reports/slice_chart.hpp"
#include "warpline/reports/storage_chart.hpp"
#include "warpline/units/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace warpline {

/// What a microsecond on the viewer's axis stands for. Viewers round to nanoseconds: a cycle is
/// longer than that on the axis of cycles only.
enum class TimeBase : std::uint8_t { cycles, microseconds };

struct TraceOptions {
    TimeBase base = TimeBase::cycles;
    ClockHz clock;        ///< of the SMs, positive
    std::string title;    ///< of what was simulated, for the trace's metadata
    std::string version;  ///< of the program
    /// Where these are given: memory in use as counters of the first SM, and a measured timeline of
    /// the same kernel as a process of its own. Both only as far as they lie in [from, to).
    const StorageChart* memory = nullptr;
    const MeasuredLanes* measured = nullptr;
    Tick from = std::numeric_limits<Tick>::min();
    Tick to = std::numeric_limits<Tick>::max();
};

/// Bytes that trace_json() will need, to within a factor of two; more for long names.
[[nodiscard]] std::size_t trace_size_estimate(const SliceChart& chart,
                                              const TraceOptions& options = {});

/// The JSON object format of the Trace Event specification. One process for the warps and one for
/// the units of each SM, one thread a lane, complete events ("X") that do not overlap within a
/// thread, flow events ("s", "f") from each arrival to the wait it ends, and counters ("C"):
/// tensor cores busy, and the share of the SMEM port that the running operations ask for, each
/// operation's bytes spread evenly over its time. A measured timeline begins where its first stamp
/// is; it and the simulated one have the kernel's launch in common to within that. Arguments carry
/// exact times in cycles.
[[nodiscard]] std::string trace_json(const KernelPlan& plan, const Schedule& schedule,
                                     const SliceChart& chart, const TraceOptions& options);

}  // namespace warpline
