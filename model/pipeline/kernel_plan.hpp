// A kernel, lowered: what every analysis below the pipeline language works on.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/program.hpp"
#include "warpline/workload/attention.hpp"
#include "warpline/workload/tiling.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpline {

enum class BarrierKind : std::uint8_t {
    mbarrier,  ///< shared-memory barrier: counted arrivals
    named,     ///< hardware named barrier (bar.sync / bar.arrive)
    bytes,     ///< mbarrier flipped by landing copies; each copy that signals it is one arrival
};
enum class BarrierScope : std::uint8_t {
    warp,  ///< one instance for each warp index of the roles that use it
    cta,
};

struct Barrier {
    std::string name;
    BarrierKind kind = BarrierKind::mbarrier;
    BarrierScope scope = BarrierScope::cta;
    int copies = 1;
    int stages = 1;             ///< > 1 (or ring >= 0): addressed by ring handles
    int ring = -1;              ///< index into KernelPlan::rings, or -1
    std::int64_t arrivals = 1;  ///< that complete one phase of one instance
    /// Phases already complete at the start: 1 lets the first `stages` waits pass ("empty"
    /// barriers).
    std::int64_t initially_complete = 0;
};

struct Ring {
    std::string name;
    int stages = 1;
};

/// One warp role; copies of an `each` role are separate roles.
struct Role {
    std::string name;       ///< "softmax[1]"
    std::string base_name;  ///< "softmax"
    int copy = -1;          ///< value of the `each` index, -1 without
    int first_warp =
        0;  ///< warp i of the role is warp first_warp + i of the CTA, on sub-partition % 4
    int warps = 1;
    int registers = 0;  ///< per thread
    bool leader_only = false;
    std::vector<std::string> classes;
    int handles = 0;
    Program program;
};

/// Latencies and widths the engine needs beside the operations' own times; all from the spec.
struct MachineTimings {
    int sub_partitions = 4;
    UnitScope tensor_scope = UnitScope::sm;
    double smem_bytes_per_clk = 128.0;
    Tick smem_quantum = ticks_from_cycles(16);
    int tensor_queue_depth =
        16;  ///< MMA instructions accepted ahead of execution; a full queue stalls the issuer
    Arbitration arbitration = Arbitration::greedy_then_oldest;
    Tick lsu_global_interval = ticks_from_cycles(
        4);  ///< one LDG, STG or cp.async of a warp at the LSU of its sub-partition
    SyncTimings sync;
    TmaModel tma;
    // False on a machine without the mechanism of that name: see mechanism.hpp.
    bool smem_contention = true;
    bool issue_contention = true;
    bool pipe_contention = true;
};

/// Whether what a copy brings from global memory into shared memory goes through the SMEM port: LSU
/// copies always do.
[[nodiscard]] constexpr bool fill_uses_port(const MachineTimings& machine, const CopyOp& copy) {
    return copy.engine == CopyEngine::lsu || machine.tma.fill_shares_port;
}

/// How long a bulk copy keeps the copy engine: its issue interval, or its bytes at the width of its
/// kind where that is longer. The engine serves one copy after another, loads and stores alike.
[[nodiscard]] Tick engine_time(const MachineTimings& machine, const CopyOp& copy);

/// What a resource allows and what the kernel takes of it, per CTA or SM.
struct Budget {
    std::string name;  ///< "SMEM", "TMEM columns", "registers", "threads"
    std::int64_t used = 0;
    std::int64_t limit = 0;
    std::string unit;
    std::string detail;  ///< how it adds up
};

struct KernelPlan {
    std::string kernel;  ///< id of the pipeline file
    std::string title;
    std::string file;
    std::string hash;     ///< of the pipeline text and resolved parameters, 16 hex digits
    int cluster = 1;      ///< CTAs of a cluster, each on its own SM
    int ctas_per_sm = 1;  ///< clusters resident on the same SMs at a time
    /// Of the FLOPs that the convention counts, what this kernel is credited with: less than 1
    /// where several kernels do the work of one direction.
    double counted_share = 1.0;
    std::vector<InstructionKind> instructions;
    std::vector<Barrier> barriers;
    std::vector<Ring> rings;
    std::vector<Role> roles;  ///< of one CTA
    MachineTimings machine;
    TileShape tiles;
    std::vector<Budget> budgets;
    std::map<std::string, double> parameters;  ///< resolved values
    std::vector<std::string> assumptions;
    std::vector<Diagnostic> warnings;  ///< unused buffers and barriers
};

/// The other CTA of a pair; the CTA itself in a cluster of another size, which has no peers.
[[nodiscard]] constexpr int peer_of(int cta, int cluster) {
    return cluster == 2 ? 1 - cta : cta;
}
/// Whether `at`, said by CTA `from`, means CTA `cta` of the cluster.
[[nodiscard]] constexpr bool meant(At at, int from, int cta, int cluster) {
    return at == At::all || (at == At::self && cta == from) || (at == At::leader && cta == 0) ||
           (at == At::peer && cta == peer_of(from, cluster));
}

/// What L2 and HBM offer one SM, by value.
struct MemoryEnvironment {
    Tick latency = 0;             ///< added to a copy's first bytes (L2 hit)
    Tick miss_latency = 0;        ///< the same for a copy whose l2_hit is false
    double bytes_per_clk = 64.0;  ///< of this SM, both directions together
};

/// The environment of an otherwise idle GPU: the spec's latencies, and what L2 gives one SM that
/// reads alone. All SMs together have less; see `estimate_traffic`.
[[nodiscard]] MemoryEnvironment idle_memory(const GpuSpec& spec);

}  // namespace warpline
