// A warp at run time: where it is in its program and what it has outstanding.
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/compiled_plan.hpp"
#include "warpline/engine/fifo.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

struct LoopFrame {
    int begin = 0;           ///< op index of the LoopBegin
    std::int64_t index = 0;  ///< iteration
    std::int64_t count = 0;
};

/// A commit that waits for its operations.
struct PendingCommit {
    std::int64_t sequence = 0;  ///< operations of the class that must be complete
    int instance = -1;          ///< barrier instance of the committing CTA
    At at = At::self;
};

/// The asynchronous operations of one class at one warp, in order.
struct ClassState {
    std::int64_t issued = 0;
    std::int64_t completed = 0;    ///< of the oldest, without a gap
    Fifo<std::int32_t> in_flight;  ///< pool indices of operations completed .. issued-1
    Fifo<std::int64_t> groups;     ///< `issued` at each commit not yet complete
    Fifo<PendingCommit> commits;
    Unit server = Unit::memory;  ///< of the last operation, to name what a drain waits for
};

enum class AgentState : std::uint8_t {
    runnable,    ///< has a request at its sub-partition
    at_barrier,  ///< `blocked_on` = barrier instance
    at_drain,    ///< `blocked_on` = class
    at_tensor,   ///< the tensor queue is full
    at_smem,     ///< its own shared-memory accesses are not through
    finished,
};

struct Agent {
    // What every warp instruction touches comes first and together.
    const CompiledIssue* issue = nullptr;  ///< the current operation; null: not an issue operation
    int batch = 0;                         ///< of it, the next
    int ready_cause = 0;
    Tick ready = 0;
    std::vector<Tick> batch_issue;  ///< of the current operation, as later batches depend on them
    Account account;
    Tick op_start = 0;
    int op_cause = 0;
    AgentState state = AgentState::runnable;
    int place = 0;  ///< of this warp at its sub-partition
    int pc = 0;

    int role = 0;
    int cluster = 0;    ///< resident index
    int cta = 0;        ///< of the cluster; also its SM
    int warp = 0;       ///< of the role, the first it stands for
    int warp_slot = 0;  ///< instance of warp-scoped barriers
    int multiplicity = 1;
    int port = 0;  ///< sub-partition index over all SMs

    std::int64_t blocked_on = -1;
    std::int64_t blocked_until = 0;  ///< phase or class sequence
    std::int64_t smem_accesses = 0;  ///< outstanding at the SMEM port

    std::vector<LoopFrame> loops;
    std::size_t tile_run = 0;
    std::int64_t tile_in_run = 0, tile = 0;
    std::vector<std::int64_t> handles;
    std::vector<std::int64_t> ring_uses;
    std::vector<std::int64_t> waits;  ///< by BarrierFile::wait_counter
    std::vector<ClassState> classes;
};

/// An asynchronous operation between issue and completion.
struct InFlight {
    std::int32_t agent = -1;  ///< -1: free
    int op = 0;
    int op_class = 0;
    std::int64_t sequence = 0;
    int signal = -1;  ///< barrier instance of the issuing CTA, or -1
    bool done = false;
    // copies
    int stage = 0;
    std::int64_t quanta_left = 0;     ///< not yet asked of a port
    std::int64_t quanta_pending = 0;  ///< asked, or on their way
    std::int64_t quanta = 0;          ///< in all
    std::int64_t bytes = 0;
    Tick port_time = 0;  ///< of all quanta
    Tick duration = 0;   ///< on the path to memory
    // for the record
    std::int64_t tile = 0, iteration = -1;
    Tick requested = 0, started = 0, ended = 0;
    int cause = 0;

    /// Port time of the quantum to be asked next. They are as equal as whole ticks allow.
    [[nodiscard]] Tick next_quantum() const {
        const std::int64_t number = quanta - quanta_left;
        return port_time * (number + 1) / quanta - port_time * number / quanta;
    }
};

}  // namespace warpline
