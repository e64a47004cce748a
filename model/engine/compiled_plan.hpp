// A plan prepared for one run: warp instructions cut into batches, and the times that `ideal`
// switches change.
#pragma once

#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// Use of one unit by a batch, relative to the batch's issue.
struct UnitUse {
    Unit unit = Unit::issue;
    Tick offset = 0;        ///< of the first instruction on it
    Tick demand = 0;        ///< total
    Tick beside_wgmma = 0;  ///< total while a wgmma streams through the register file

    friend bool operator==(const UnitUse&, const UnitUse&) = default;
};

/// An earlier batch of the same operation that a batch depends on.
struct BatchDependence {
    Tick gap = 0;  ///< least time between the two issues
    int back = 0;  ///< how many batches earlier; 0: none
    Unit producer = Unit::alu;
};

/// Instructions of one warp that issue as one event.
struct Batch {
    UnitUse use;                ///< of its first unit; of the issue unit: of none
    Tick slots = 0;             ///< issue port time
    Tick hold = 0;              ///< the same while a wgmma streams through the register file
    Tick wgmma_delay = 0;       ///< by which the batch then holds the wgmma up
    Tick next = 0;              ///< issue -> the warp could issue its next instruction, alone
    Unit pacing = Unit::issue;  ///< the unit that makes `next` as long as it is
    std::int64_t smem_bytes = 0;
    // What only larger batches have: use of further units, dependences beside the step's.
    int first_more_use = 0, more_uses = 0;
    int first_more_dependence = 0, more_dependences = 0;

    friend bool operator==(const Batch&, const Batch&) = default;
};

/// One batch of an operation. Steps share the batches that are alike, so that what the engine
/// reads for each instruction stays in the nearest cache.
struct BatchStep {
    BatchDependence dependence;
    int batch = 0;   ///< index into CompiledPlan::batches
    Tick quiet = 0;  ///< its issue -> at the earliest, that of one that concerns more than its port
};

struct CompiledIssue {
    int first_step = 0, batches = 0;
    Tick results_after = 0;     ///< last instruction's issue -> results of all parts there
    Tick last_offset = 0;       ///< last batch's issue -> its last instruction's issue
    Unit producer = Unit::alu;  ///< of the last results
    bool reads_smem = false;
    bool results_needed = true;  ///< by the warp's next operation
};

/// What the steady state must know of a loop: where its iterations may differ from one another.
struct LoopTraits {
    bool scales = false;  ///< its trip count grows with the tile's blocks
    bool over_tiles = false;
    std::vector<Affine> first;  ///< iterations below any of these may be special
    std::vector<Affine> last;   ///< so may this many at the end
    std::int64_t guard = 0;     ///< first iterations with chances of their own
    std::int64_t period = 1;    ///< of the predicates inside

    /// Every iteration does the same, but for the tile it works on.
    [[nodiscard]] bool uniform() const {
        return first.empty() && last.empty() && guard == 0 && period == 1;
    }
    /// Iterations at the start, and at the end, of this tile's loop that may be special. What holds
    /// in all of `count` iterations, as in a tile that is masked throughout, makes none special.
    [[nodiscard]] std::int64_t head(const TileClass& tile, std::int64_t count) const;
    [[nodiscard]] std::int64_t tail(const TileClass& tile) const;
};

struct CompiledOp {
    int issue = -1;   ///< index into CompiledPlan::issues for an IssueOp
    int single = -1;  ///< batch of the issue slots of every other operation that costs any
    int loop = -1;    ///< index into CompiledPlan::loops for a LoopBegin
};

struct CompiledRole {
    std::vector<CompiledOp> ops;
};

struct CompiledPlan {
    std::vector<CompiledRole> roles;
    std::vector<CompiledIssue> issues;
    std::vector<BatchStep> steps;
    std::vector<Batch> batches;
    std::vector<UnitUse> uses;
    std::vector<BatchDependence> dependences;
    std::vector<LoopTraits> loops;
};

[[nodiscard]] CompiledPlan compile(const KernelPlan& plan, const EngineOptions& options);

}  // namespace warpline
