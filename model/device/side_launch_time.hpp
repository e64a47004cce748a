// How long a kernel takes that does little but move bytes.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/side_launch.hpp"

namespace warpline {

/// Seconds from the end of the kernel before it to its own end. Kernels of one operation are queued
/// together, so each costs what a kernel inside a graph costs; then its bytes, HBM's or all of them
/// through L2, or the issue of its instructions, whichever takes longest; then one trip to memory,
/// to fill and to drain.
[[nodiscard]] double side_launch_seconds(const SideLaunch& launch, const GpuSpec& spec,
                                         const ClockHz& clock);

}  // namespace warpline
