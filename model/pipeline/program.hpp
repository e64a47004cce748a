// The lowered program of one warp role: a flat list of operations with every duration in ticks.
//
// One operation list runs on every warp of the role; loops and predicates are resolved at run time
// from the tile being worked on, so one plan serves every trip count. Nothing here refers to a file
// or a GPU spec.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/unit.hpp"
#include "warpline/units/tick.hpp"
#include "warpline/workload/tiling.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpline {

/// constant + blocks * b + masked_first * f + masked_last * l, of the current tile.
struct Affine {
    std::int64_t constant = 0;
    std::int64_t blocks = 0;
    std::int64_t masked_first = 0;
    std::int64_t masked_last = 0;

    [[nodiscard]] constexpr std::int64_t at(const TileClass& tile) const {
        return constant + blocks * tile.blocks + masked_first * tile.masked_first +
               masked_last * tile.masked_last;
    }
};

/// A condition on the index i of the innermost enclosing loop (0-based, trip count n) or on the
/// tile alone.
struct Predicate {
    enum class Kind : std::uint8_t {
        first,     ///< i < value(tile)
        last,      ///< i >= n - value(tile)
        every,     ///< i % period == offset
        masked,    ///< i < masked_first or i >= n - masked_last: the step runs masked code
        at_least,  ///< value(tile) >= 0: a comparison of tile quantities, moved to one side
        chance,    ///< a fixed, evenly spread share of iterations; see chance_fires()
    };
    Kind kind = Kind::first;
    bool negate = false;
    Affine value;
    std::int64_t period = 1;
    std::int64_t offset = 0;
    /// For chance: sixty-fourths. Entry i holds for iteration i, the last entry for all later ones.
    /// Never empty.
    std::vector<int> chance_64ths;
};

/// Whether a chance predicate fires at iteration i: the running sum of its shares passes a multiple
/// of 64. Fires exactly p of every 64 iterations for a constant share p, evenly spread.
[[nodiscard]] bool chance_fires(const Predicate& predicate, std::int64_t i);
/// The whole predicate, `negate` included.
[[nodiscard]] bool holds(const Predicate& predicate, std::int64_t i, std::int64_t n,
                         const TileClass& tile);

/// Which barrier instance an operation means.
/// With `handle` >= 0 the slot is the ring use index u held by that handle: stage u % stages, phase
/// u / stages. Without, the barrier has one stage and the k-th wait of a warp means phase k.
struct BarrierRef {
    int barrier = 0;  ///< index into KernelPlan::barriers
    int copy = 0;     ///< which copy of a barrier declared with copies > 1
    int handle = -1;  ///< index into the warp's handles, or -1
};

/// Whose barrier (or memory) in the cluster.
enum class At : std::uint8_t { self, peer, leader, all };

/// Instructions of one kind.
struct IssuePart {
    int instruction = 0;     ///< index into KernelPlan::instructions
    std::int64_t count = 0;  ///< per warp
    /// Independent dependence chains the instructions of this part form: instruction j waits for
    /// the result of instruction j - chains. 0 = all independent.
    std::int64_t chains = 0;
};

/// Warp instructions in program order. Several parts are woven: instruction k of a part with count
/// c sits at position (k + 1/2) / c, ties in part order, which is how a compiler interleaves a
/// software-pipelined chain. When `results_needed`, the warp's next operation waits until every
/// part's results are there: the sum of the parts' latencies after the last issue (each part
/// consumes the one before it).
struct IssueOp {
    std::vector<IssuePart> parts;
    bool results_needed = true;
};

/// A chain of MMA instructions by the issuing warp; asynchronous. Instruction j starts when the
/// tensor core is free, and streams its operands in through the SMEM port while it executes: it
/// ends no earlier than its `tensor` time and no earlier than its operands' fetch, which may begin
/// once instruction j-1 has started. The first starts `first_operand` after its fetch begins.
struct MmaOp {
    std::int64_t steps = 0;       ///< MMA instructions
    Tick tensor = 0;              ///< each, on the tensor core
    std::int64_t smem_bytes = 0;  ///< each, through the SMEM port of each SM taking part
    Tick first_operand = 0;       ///< before the first
    Tick completion = 0;          ///< last instruction off the tensor core -> result visible
    bool pair = false;       ///< keeps the tensor cores and SMEM ports of both CTAs of the pair
    std::int64_t flops = 0;  ///< executed by each step on each SM
    std::int64_t issue_slots = 1;    ///< of the issuing warp, per step
    bool streams_registers = false;  ///< a wgmma: its accumulators stream through the register file
    /// mma.sync: each issue slot that the sub-partition gives to other work while a step executes
    /// delays the step so much, as both want the register file.
    Tick register_delay = 0;
};

/// Tensor memory to registers or back, one warp; asynchronous, in order in each sub-partition's
/// port.
struct TmemOp {
    bool store = false;             ///< whose port: tmem_store or tmem_load
    std::int64_t instructions = 1;  ///< LDTM/STTM instructions, one issue slot each
    Tick port = 0;                  ///< port time of the whole access
    Tick latency = 0;               ///< port done -> complete

    [[nodiscard]] Unit unit() const { return store ? Unit::tmem_store : Unit::tmem_load; }
};

enum class Space : std::uint8_t { registers, smem, peer_smem, cluster_smem, global };
enum class CopyEngine : std::uint8_t { tma, lsu };

/// A copy, or a reduction into global memory; asynchronous.
/// global -> smem: TMA issue (or LSU instructions), latency and bandwidth of the memory path, then
/// the SMEM port for the fill (unless fills do not share it). smem -> global and smem -> peer_smem
/// read the port here; the latter writes the peer's. cluster_smem is a multicast: one read of
/// memory fills every CTA.
struct CopyOp {
    Space from = Space::global;
    Space to = Space::smem;
    CopyEngine engine = CopyEngine::tma;
    std::int64_t bytes = 0;  ///< per warp that executes it
    std::int64_t instructions =
        1;                ///< issue slots (bulk copies: per issuing lane; LSU: warp instructions)
    bool reduce = false;  ///< global: read-modify-write in L2; costs what a store of its bytes does
    bool l2_hit = true;   ///< false: the first touch comes from HBM
};

/// An asynchronous operation of a class. Completions of one class at one warp are in order.
struct AsyncOp {
    std::variant<MmaOp, TmemOp, CopyOp> work;
    int op_class = 0;                   ///< index into Role::classes
    std::optional<BarrierRef> signals;  ///< one arrival there on completion
    At at = At::self;                   ///< whose barrier
};

/// Closes the group of the class's operations so far. With `on`: when they are complete, arrives
/// once there.
struct CommitOp {
    int op_class = 0;
    std::optional<BarrierRef> on;
    At at = At::self;
};

/// Waits until at most `leave` closed groups of the class are incomplete (and, for 0, nothing at
/// all is).
struct DrainOp {
    int op_class = 0;
    std::int64_t leave = 0;
};

struct ArriveOp {
    BarrierRef on;
    std::int64_t count =
        1;  ///< arrivals each warp contributes: 32 for all threads, 1 for one elected lane
    At at = At::self;
};

struct WaitOp {
    BarrierRef on;
};

/// Takes the next use of a ring into a handle.
struct TakeOp {
    int ring = 0;    ///< index into KernelPlan::rings
    int handle = 0;  ///< index into the warp's handles
};

/// The instructions of an IssueOp as they are woven: each one's part, and its number there.
struct WovenInstruction {
    int part = 0;
    std::int64_t number = 0;
};
[[nodiscard]] std::vector<WovenInstruction> weave(const IssueOp& op);

/// Takes this CTA's next turn in an order of all CTAs, or passes the oldest turn that it holds on.
/// The engine never makes it wait for the CTAs before it: that is between clusters, and
/// device-level.
struct TurnOp {
    Tick cost = 0;  ///< the warp is kept: a polling read of a turn that has come, a fence
    bool passes = false;
    Tick visible = 0;  ///< of a turn passed on: from then until the next CTA's read can see it
};

/// Start of a loop of count(tile) iterations, clamped to 0; `end` is the index of its LoopEnd.
struct LoopBegin {
    enum class Over : std::uint8_t { tiles, count };
    Over over = Over::count;
    Affine count;
    int end = 0;
};
struct LoopEnd {
    int begin = 0;
};
/// Continues at `target` unless the predicate holds.
struct SkipUnless {
    Predicate predicate;
    int target = 0;
};
/// Continues at `target`; closes the first branch of a when/else.
struct Jump {
    int target = 0;
};

using OpBody = std::variant<IssueOp, AsyncOp, CommitOp, DrainOp, ArriveOp, WaitOp, TakeOp, TurnOp,
                            LoopBegin, LoopEnd, SkipUnless, Jump>;

struct Op {
    OpBody body;
    std::string
        label;  ///< what reports call it, e.g. "PV a" or "row max"; never empty for issue and async
    int line = 0;  ///< in the pipeline file
};

using Program = std::vector<Op>;

/// The barrier an operation arrives on, at once or on completion; nothing when on none.
[[nodiscard]] std::optional<BarrierRef> arrives_on(const OpBody& body);

/// Where iterations of a loop may differ from one another, by a predicate on its index.
struct PredicateReach {
    std::vector<Affine> first;  ///< iterations below any of these may be special
    std::vector<Affine> last;   ///< so may this many at the end
    std::int64_t guard = 0;     ///< first iterations with chances of their own
    std::int64_t period = 1;    ///< after which the predicate repeats, in between
};
[[nodiscard]] PredicateReach reach_of(const Predicate& predicate);

}  // namespace warpline
