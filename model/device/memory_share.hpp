// What L2 and HBM offer one SM while all of them work: who finds what in L2.
#pragma once

#include "warpline/device/place_tiles.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

namespace warpline {

/// Streamed tensors are those that a tile's loop walks over (K and V forward, Q and dO backward);
/// every tile of a head reads them again.
struct MemoryShare {
    MemoryEnvironment environment;
    double miss_share = 0.0;   ///< of the streamed bytes that SMs read
    double hbm_bytes = 0.0;    ///< compulsory ones and those read again
    double hbm_written = 0.0;  ///< of them
    double working_set = 0.0;  ///< bytes of the streams that are being read at a time
};

/// Bytes of the inputs that one tile alone reads, of the whole problem.
[[nodiscard]] double own_input_bytes(const KernelPlan& plan, const AttentionProblem& problem);

/// Tiles of a stream that run at a time read it together: one of them misses. What later tiles of
/// the same stream find depends on whether the streams in use fit in L2. A miss takes HBM's
/// latency, and its bytes HBM's rate, which all SMs share (see Traffic). `total` is of the whole
/// problem.
[[nodiscard]] MemoryShare share_memory(const GpuSpec& spec, const KernelPlan& plan,
                                       const AttentionProblem& problem, const TileCost& total,
                                       const Placement& placement);

}  // namespace warpline
