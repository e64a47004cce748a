// One sub-partition: its issue port, its pipes, and the warps that want to issue.
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/compiled_plan.hpp"
#include "warpline/engine/event_queue.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace warpline {

/// A warp's next batch.
struct IssueRequest {
    std::int32_t agent = 0;
    int order = 0;  ///< warp index, for arbitration
    const Batch* batch = nullptr;
    Tick ready = 0;  ///< earliest time by the warp's own dependences
    int cause = 0;   ///< what sets `ready`
};

/// What the books need of a batch that was issued.
struct Grant {
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
        bool ideal_issue = false;  ///< issue ports never make a warp wait
        bool ideal_pipes = false;  ///< nor do pipes
    };

    IssuePort(int index, const CompiledPlan& plan, const CauseTable& causes, Settings settings);

    void add(const IssueRequest& request, Tick now, EventQueue& queue);
    /// Issues one batch if one may issue now. Returns whether it did; then what the grant causes is
    /// to be done, and resume() called. `beside_wgmma`: one streams through the register file now.
    bool dispatch(Tick now, std::int64_t version, bool beside_wgmma, EventQueue& queue,
                  Grant& grant);
    void resume(Tick now, EventQueue& queue) {
        granting_ = false;
        schedule(now, queue);
    }

    [[nodiscard]] const Account& account(Unit unit) const {
        return accounts_[static_cast<std::size_t>(unit)];
    }
    [[nodiscard]] std::int64_t version() const { return version_; }
    [[nodiscard]] bool has_dispatch() const { return dispatch_at_ != no_dispatch; }

    template <typename Visitor>
    void visit(Visitor& visitor) {
        visitor.compare(static_cast<std::int64_t>(waiting_.size()));
        for (IssueRequest& request : waiting_) {
            visitor.compare(request.agent);
            visitor.clock(request.ready);
            visitor.compare(request.cause);
            // Which of two instants that have passed was the later one decides what is charged.
            int latest = 0;
            static_cast<void>(earliest(request, latest));
            visitor.compare(latest);
        }
        visitor.instant(issue_free_);
        for (Tick& free : pipe_free_) {
            visitor.instant(free);
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
    static constexpr Tick no_dispatch = -1;

    /// Earliest issue of a request, and what sets it.
    [[nodiscard]] Tick earliest(const IssueRequest& request, int& cause) const;
    [[nodiscard]] bool preferred(const IssueRequest& x, const IssueRequest& y) const;
    /// Returns when the last unit the batch uses is done.
    Tick issue(const IssueRequest& request, Tick now, bool beside_wgmma, int cause);
    void schedule(Tick now, EventQueue& queue);

    int index_;
    const CompiledPlan& plan_;
    const CauseTable& causes_;
    Settings settings_;
    std::vector<IssueRequest> waiting_;
    std::array<Account, unit_count> accounts_;
    std::array<Tick, unit_count> pipe_free_{};
    Tick issue_free_ = 0;
    int last_issuer_ = -1;  ///< warp index
    Tick dispatch_at_ = no_dispatch;
    bool granting_ = false;  ///< requests that come now are looked at together, in resume()
    std::int64_t version_ = 0;
};

}  // namespace warpline
