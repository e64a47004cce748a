// A tensor core: an in-order queue of MMA chains that run asynchronously to the warps that issued
// them.
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/event_queue.hpp"
#include "warpline/engine/fifo.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// Consecutive MMA instructions of one operation.
struct MmaChain {
    std::int32_t in_flight = 0;  ///< the operation this belongs to
    Tick tensor = 0;             ///< each step
    Tick fetch = 0;              ///< port time of each step's operands, on each SM taking part
    Tick first_operand = 0;
    Tick completion = 0;
    bool pair = false;
    bool streams_registers = false;
    Tick register_delay = 0;      ///< of the step that executes, by each issue slot of other work
    std::int64_t unfetched = 0;   ///< steps whose fetch has not begun
    std::int64_t unfinished = 0;  ///< steps that have not executed
    std::int64_t steps = 0;
    int cause = 0;  ///< why the chain did not come earlier
};

/// What the unit asks of its surroundings.
class TensorHost {
  public:
    /// Asks the SMEM port(s) for a step's operands; the unit's fetch_done() follows for each port.
    virtual int request_operands(int tensor, const MmaChain& chain, Tick now) = 0;
    /// A chain's first step starts executing, or its last one leaves the tensor core.
    virtual void chain_started(const MmaChain& chain, Tick now) = 0;
    virtual void chain_executed(const MmaChain& chain, Tick now) = 0;
    /// A step of the chain executes from `now` on; for the books of the pair's other SM.
    virtual void pair_step(int tensor, const MmaChain& chain, Tick now, int cause) = 0;
    /// The queue has room again.
    virtual void tensor_room(int tensor, Tick now) = 0;

  protected:
    ~TensorHost() = default;
};

class TensorUnit {
  public:
    TensorUnit(int index, int causes, int smem_cause, int latency_cause)
        : account_(causes), index_(index), smem_cause_(smem_cause), latency_cause_(latency_cause) {}

    [[nodiscard]] std::int64_t queued_steps() const { return queued_; }
    /// Whether accumulators stream through the register file now.
    [[nodiscard]] bool streams_registers() const {
        return executing_ && chains_.front().streams_registers;
    }
    [[nodiscard]] Tick register_delay() const {
        return executing_ ? chains_.front().register_delay : 0;
    }
    /// Warp instructions take the register file from the step that executes: it ends so much later.
    /// A step that waits for its operands alone has nothing to be held up in.
    void hold_up(Tick now, Tick delay, int cause);
    void push(MmaChain chain, Tick now, EventQueue& queue, TensorHost& host);
    void fetch_done(Tick now, EventQueue& queue, TensorHost& host);
    void step_due(Tick now, EventQueue& queue, TensorHost& host);
    void start_due(Tick now, EventQueue& queue, TensorHost& host);
    /// Work done here for a chain that another SM's unit leads.
    void book_pair_step(Tick now, Tick tensor, int cause) { account_.work(now, tensor, cause); }
    [[nodiscard]] const Account& account() const { return account_; }

    template <typename Visitor>
    void visit(Visitor& visitor) {
        visitor.compare(static_cast<std::int64_t>(chains_.size()));
        for (MmaChain& chain : chains_) {
            visitor.in_flight(chain.in_flight);
            visitor.exact(chain.unfetched);
            visitor.exact(chain.unfinished);
            visitor.compare(chain.cause);
        }
        visitor.exact(queued_);
        visitor.exact(fetching_ports_);
        visitor.compare((lookahead_ ? 1 : 0) + (lookahead_fetched_ ? 2 : 0) + (executing_ ? 4 : 0) +
                        (executing_fetched_ ? 8 : 0) + (late_ ? 16 : 0));
        if (lookahead_) {
            visitor.clock(lookahead_begin_);
        } else {
            visitor.stamp(lookahead_begin_);
        }
        visitor.instant(due_);
        visitor.books(account_);
    }

  private:
    void try_fetch(Tick now, TensorHost& host);
    void try_execute(Tick now, EventQueue& queue, TensorHost& host);
    void finish_step(Tick now, TensorHost& host);
    MmaChain* next_to_fetch();

    Fifo<MmaChain> chains_;  ///< front: executing or next to execute
    Account account_;
    int index_;
    int smem_cause_, latency_cause_;
    std::int64_t queued_ = 0;  ///< steps that have not started
    // One step may be fetched ahead of the one that executes.
    std::int64_t fetching_ports_ = 0;
    bool lookahead_ = false, lookahead_fetched_ = false;
    Tick lookahead_begin_ = 0;
    bool executing_ = false, executing_fetched_ = false;
    Tick due_ = 0;
    bool late_ = false;  ///< the step before ended late, for want of operands
};

}  // namespace warpline
