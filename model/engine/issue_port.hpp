// One sub-partition: its issue port, its pipes, and the warps that want to issue.
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/compiled_plan.hpp"
#include "warpline/engine/event_queue.hpp"
#include "warpline/engine/tensor_unit.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace warpline {

/// A warp's next batch.
struct IssueRequest {
    const Batch* batch = nullptr;
    Tick ready = 0;  ///< earliest time by the warp's own dependences
    int cause = 0;   ///< what sets `ready`
};

/// What the books need of a batch that was issued.
struct Grant {
    std::int32_t agent = 0;
    IssueRequest request;
    Tick time = 0;
    int cause =
        0;  ///< why it did not issue earlier: the request's cause, or the unit it waited for
    Tick units_done = 0;  ///< the last of its units is free again
};

class IssuePort {
  public:
    struct Settings {
        Arbitration arbitration = Arbitration::greedy_then_oldest;
        bool own_issue = false;  ///< every warp has an issue port of its own
        bool own_pipes = false;  ///< and pipes
    };

    IssuePort(int index, const CompiledPlan& plan, const CauseTable& causes, Settings settings);

    static constexpr Tick no_dispatch = -1;

    /// Instructions cost more while this tensor core's accumulators stream through the register
    /// file, or hold it up. It must outlive the port.
    void beside(TensorUnit& tensor) { tensor_ = &tensor; }
    /// Gives a warp its place here, for add(). `order`: its warp index, for arbitration.
    [[nodiscard]] int add_warp(std::int32_t agent, int order);
    /// Precondition: the warp does not wait already.
    void add(int place, const IssueRequest& request, Tick now, EventQueue& queue);
    /// Whether a dispatch event of this version still means anything.
    [[nodiscard]] bool current(std::int64_t version) const { return version == version_; }
    /// Issues one batch if one may issue now. Returns whether it did; then what the grant causes is
    /// to be done, and resume() called.
    bool dispatch(Tick now, EventQueue& queue, Grant& grant);
    /// The instant of the next dispatch, which the caller makes happen or hands to schedule();
    /// no_dispatch when nobody waits.
    [[nodiscard]] Tick resume(Tick now) {
        granting_ = false;
        return choose(now);
    }
    void schedule(Tick at, EventQueue& queue) {
        dispatch_at_ = at;
        queue.push(at, EventKind::dispatch, index_, ++version_);
    }

    [[nodiscard]] const Account& account(Unit unit) const {
        return accounts_[static_cast<std::size_t>(unit)];
    }
    [[nodiscard]] std::int64_t version() const { return version_; }

    template <typename Visitor>
    void visit(Visitor& visitor) {
        for (Warp& warp : warps_) {
            visitor.compare(warp.waits ? 1 : 0);
            if (warp.waits) {
                visitor.clock(warp.request.ready);
                visitor.compare(warp.request.cause);
                // Which of two instants that have passed was the later one decides what is charged.
                visitor.compare(warp.earliest_cause);
                visitor.stamp(warp.earliest);
            }
        }
        visitor.instant(issue_free_);
        for (std::array<Tick, unit_count>& pipes : pipe_free_) {
            for (Tick& free : pipes) {
                visitor.instant(free);
            }
        }
        visitor.compare(last_issuer_);
        if (dispatch_at_ != no_dispatch) {
            visitor.instant(dispatch_at_);
        }
        for (Account& account : accounts_) {
            visitor.books(account);
        }
    }

  private:
    struct Warp {
        std::int32_t agent = 0;
        int order = 0;
        bool waits = false;
        int earliest_cause = 0;  ///< what sets `earliest`
        Tick earliest = 0;       ///< issue, as the port and its pipes stand
        std::size_t pipes = 0;   ///< into pipe_free_
        IssueRequest request;
    };

    void find_earliest(Warp& warp) const;
    [[nodiscard]] bool preferred(const Warp& x, const Warp& y) const;
    /// Returns when the last unit the batch uses is done.
    Tick issue(const Warp& warp, Tick now, int cause);
    static void book_overlapping(Account& account, Tick start, Tick duration, int cause);
    /// Occupies a pipe for a batch issued now; returns when the pipe is done.
    Tick use(const UnitUse& use, std::size_t pipes, Tick now, bool beside_wgmma, int cause);
    /// When one of those that wait may issue, and which comes first then. Sets `earliest` of all.
    /// Precondition: next_ is nobody.
    [[nodiscard]] Tick choose(Tick now);

    int index_;
    const CompiledPlan& plan_;
    CauseTable causes_;
    Settings settings_;
    TensorUnit* tensor_ = nullptr;
    std::vector<Warp> warps_;
    std::array<Account, unit_count> accounts_;
    /// Of the pipes that all share, or of those of each warp.
    std::vector<std::array<Tick, unit_count>> pipe_free_;
    Tick issue_free_ = 0;
    int last_issuer_ = -1;  ///< warp index
    static constexpr int nobody = -1;
    int next_ = nobody;  ///< who issues at the next dispatch; nobody: to be found out
    Tick dispatch_at_ = no_dispatch;
    bool granting_ = false;  ///< requests that come now are looked at together, in resume()
    std::int64_t version_ = 0;
};

}  // namespace warpline
