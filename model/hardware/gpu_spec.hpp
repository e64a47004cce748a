// An immutable description of one GPU, as the model uses it. Loaded from hw_specs by
// load_gpu_spec().
//
// Every number is kept twice: typed, below, for the model; and as a Constant with its source,
// confidence and interval, for `explain`, reports and perturbation studies. Widths are per clock
// and per SM.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/unit.hpp"
#include "warpline/units/clock.hpp"
#include "warpline/units/tick.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// How well a number is known. A: two independent measurements or an exact fit; B: one measurement;
/// C: a document; D: inference or analogy; F: fitted by this project (the source says on what).
enum class Confidence : std::uint8_t { a, b, c, d, f };

/// One number of a specification with its evidence.
struct Constant {
    std::string key;                  ///< dotted, e.g. "mufu.ex2.rate"
    std::string text;                 ///< as written, e.g. "16 /clk"
    double value = 0.0;               ///< in the unit below
    std::string unit;                 ///< canonical unit, e.g. "/clk"
    std::optional<double> low, high;  ///< plausible interval, in the same unit
    Confidence confidence = Confidence::d;
    std::string source;
    std::string note;
    std::string meaning;   ///< what the model does with it
    SourceLocation where;  ///< file and line that set it; file is "--set" for an override
};

/// A kind of warp instruction: where it executes and for how long.
struct InstructionKind {
    std::string name;  ///< e.g. "mufu.ex2", "ffma2", "sts.128"
    Unit unit = Unit::alu;
    Tick interval = 0;  ///< ticks its unit's sub-partition slice is busy per warp instruction
    Tick latency = 0;   ///< issue to dependent issue
    std::int64_t smem_bytes = 0;  ///< bytes per warp instruction through the SMEM port (LDS, STS)
    int issue_slots = 1;
    /// While the sub-partition's tensor core executes a wgmma, whose accumulators stream through
    /// the register file: ticks that its unit and the issue port are kept. 0: as otherwise.
    Tick wgmma_interval = 0;
    Tick wgmma_hold = 0;
};

/// What a warp instruction of one unit costs while the sub-partition's tensor core executes a
/// wgmma, in ticks.
struct RegisterContention {
    Tick interval = 0;  ///< its unit is kept
    Tick hold = 0;      ///< no other instruction of the sub-partition issues
};

enum class MmaPath : std::uint8_t { mma_sync, wgmma, tcgen05 };
/// Of an operand; widths and scale factors: dtype.hpp.
enum class DType : std::uint8_t {
    bf16,
    fp16,
    fp8,    ///< e4m3
    mxfp8,  ///< e4m3 with a ue8m0 scale factor for 32 elements along K
    nvfp4,  ///< e2m1 with a ue4m3 scale factor for 16
};
[[nodiscard]] std::string_view dtype_name(DType dtype);
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

/// Coefficients of the MMA timing formulas of one path; see mma_timing.hpp for the formulas.
/// Clocks are fractional cycles here; mma_timing() rounds once.
struct MmaModel {
    MmaPath path = MmaPath::tcgen05;
    double flops_per_clk = 0.0;  ///< per SM for 16-bit operands; 8-bit operands run at twice that
    double k_bytes = 32.0;       ///< operand bytes per row and instruction (K = 16 at 16 bits)
    double min_interval = 0.0;   ///< floor of the issue interval, clk
    double half_rate_m64 = 1.0;  ///< factor on tensor time for M = 64 in one CTA
    double base_latency = 0.0;   ///< last operand in -> result visible, beyond tensor time, clk
    double pair_latency_m256 = 0.0;       ///< added for a CTA pair with M = 256, clk
    double pair_latency_m128 = 0.0;       ///< added for a CTA pair with M = 128, clk
    double pair_smem_penalty_m256 = 0.0;  ///< added to the interval when a pair is SMEM-bound, clk
    double pair_smem_penalty_m128 = 0.0;
    double issue_slots = 1.0;  ///< issue slots of the issuing warp per instruction
    /// By which each other instruction that the sub-partition issues meanwhile delays one that
    /// executes, clk for each issue slot.
    double register_delay = 0.0;
};

/// Fixed latencies of synchronisation and launch, in ticks.
struct SyncTimings {
    Tick mbarrier_arrive = 0;  ///< arrive instruction -> the phase can flip
    Tick mbarrier_wait = 0;    ///< phase flipped -> a polling waiter issues its next instruction
    Tick remote_arrive = 0;    ///< added when the barrier is in the peer CTA's shared memory
    Tick named_barrier = 0;    ///< last arrival -> waiters issue
    Tick cta_start =
        0;              ///< CTA launch to first instruction, incl. barrier init and TMEM allocation
    Tick cta_exit = 0;  ///< last role done -> the SM can take another CTA
};

struct TmemModel {
    std::int64_t columns = 0;
    double load_bytes_per_clk = 0.0;   ///< per warp (one sub-partition slice)
    double store_bytes_per_clk = 0.0;  ///< per warp
    Tick load_latency = 0;             ///< beyond the port time of the last chunk
    Tick store_latency = 0;
};

struct TmaModel {
    Tick issue_interval = 0;  ///< between two tensor copies of one thread
    Tick l2_latency = 0;      ///< issue -> first bytes, L2 hit
    Tick hbm_latency = 0;     ///< issue -> first bytes, L2 miss
    Tick store_latency = 0;   ///< last byte read from SMEM -> bulk group complete
    /// Bytes a clock at which a copy occupies the engine, by kind; 0: no limit but the interval.
    double load_bytes_per_clk = 0.0;    ///< global -> SMEM
    double store_bytes_per_clk = 0.0;   ///< SMEM -> global
    double reduce_bytes_per_clk = 0.0;  ///< SMEM -> global, added to what is there
    double dsmem_bytes_per_clk = 0.0;   ///< SMEM -> peer SMEM
    Tick dsmem_latency = 0;             ///< SMEM -> peer SMEM, first bytes
    bool fill_shares_port = true;       ///< TMA writes into SMEM use the SMEM port
};

struct MemorySystem {
    std::int64_t l2_bytes = 0;
    double l2_bytes_per_clk_per_sm = 0.0;    ///< to one SM when all read
    double sm_bytes_per_clk = 0.0;           ///< to one SM when it reads alone
    double hbm_bytes_per_second = 0.0;       ///< sustained, measured
    double hbm_peak_bytes_per_second = 0.0;  ///< datasheet
    /// What a load waits longer than on an idle GPU where HBM does nothing but read at its
    /// sustained rate, and nothing but write. 0: not known, and taken to be none.
    Tick hbm_queue_reads = 0, hbm_queue_writes = 0;
    /// Machine code that an SM keeps, and the next cache behind it: what that gives in all, and to
    /// how many SMs. 0: not known, and taken to be no limit.
    std::int64_t instruction_cache_bytes = 0;
    double instruction_bytes_per_clk = 0.0;
    double instruction_sharers = 0.0;
};

struct Clocks {
    ClockHz boost;      ///< highest SM clock
    ClockHz sustained;  ///< under a long attention kernel; the default of a prediction
    ClockHz sustained_low, sustained_high;
};

struct LaunchTimings {
    double kernel_seconds = 0.0;  ///< event-to-event floor of a kernel launch
    double graph_kernel_seconds = 0.0;
};

struct Limits {
    std::int64_t smem_per_cta = 0;  ///< bytes
    std::int64_t smem_per_sm = 0;   ///< bytes
    std::int64_t registers_per_sm = 65536;
    int max_registers_per_thread = 255;
    int max_threads_per_sm = 2048;
    int max_threads_per_cta = 1024;
    int max_ctas_per_sm = 32;
};

/// Which of several ready warps a sub-partition issues from, and which gets a pipe that becomes
/// free.
enum class Arbitration : std::uint8_t {
    greedy_then_oldest,  ///< the one that issued last, else the one with the lowest warp index
    round_robin,         ///< the next after the one that issued last, in order of warp index
    oldest_request,      ///< the one that has waited longest, ties by warp index
};

/// Every capability a specification may list, sorted.
[[nodiscard]] const std::vector<std::string>& known_capabilities();
/// "A", "B", "C", "D" or "F".
[[nodiscard]] std::string_view confidence_letter(Confidence confidence);
[[nodiscard]] std::optional<Confidence> confidence_from_letter(std::string_view letter);

struct GpuSpec {
    std::string id;  ///< file name without extension, e.g. "b200"
    std::string title;
    std::string arch;  ///< "sm_100"
    std::string hash;  ///< of the resolved constants, 16 hex digits
    std::int64_t sm_count = 0;
    std::vector<int> gpc_sms;  ///< SMs per GPC where known; a cluster lives in one GPC
    int sub_partitions = 4;
    UnitScope tensor_scope = UnitScope::sm;
    double smem_bytes_per_clk = 128.0;
    Tick smem_quantum = 0;  ///< longest uninterrupted use of the SMEM port by one requester
    int tensor_queue_depth = 0;
    Arbitration arbitration = Arbitration::greedy_then_oldest;
    std::vector<std::string>
        capabilities;  ///< "tcgen05", "wgmma", "tma", "tmem", "tmem_load_max", ...
    std::map<std::string, InstructionKind> instructions;
    std::map<MmaPath, MmaModel> mma;
    std::map<Unit, RegisterContention> register_contention;  ///< beside a wgmma, where measured
    SyncTimings sync;
    TmemModel tmem;
    TmaModel tma;
    MemorySystem memory;
    Clocks clocks;
    LaunchTimings launch;
    Limits limits;
    std::map<std::string, Constant> constants;  ///< every number above, by key
    std::vector<Diagnostic> warnings;  ///< e.g. derived peak more than 2 % off the datasheet

    [[nodiscard]] bool has(const std::string& capability) const;
    /// Dense 16-bit FLOP/s at `clock`.
    [[nodiscard]] double peak_flops(const ClockHz& clock) const;
};

}  // namespace warpline
