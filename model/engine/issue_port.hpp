// One sub-partition: its issue port, its pipes, and the warps that want to issue.
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/compiled_plan.hpp"
#include "warpline/engine/dispatch_times.hpp"
#include "warpline/engine/tensor_unit.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace warpline {

/// A warp's next batch.
struct IssueRequest {
    const Batch* batch = nullptr;
    Tick ready = 0;  ///< earliest time by the warp's own dependences
    int cause = 0;   ///< what sets `ready`
    Tick quiet = 0;  ///< of its BatchStep; 0: its issue concerns others
};

/// When a batch may issue, and what keeps it from issuing earlier: the request's cause, or a unit.
struct IssueSlot {
    Tick time = 0;
    int cause = 0;
};

class IssuePort {
  public:
    struct Settings {
        Arbitration arbitration = Arbitration::greedy_then_oldest;
        bool own_issue = false;  ///< every warp has an issue port of its own
        bool own_pipes = false;  ///< and pipes
    };

    /// A warp at its place here. It waits while its request names a batch.
    struct Warp {
        IssueRequest request;
        std::int32_t agent = 0;
        int order = 0;
        std::uint32_t pipes = 0;  ///< its first one in pipe_free_

        [[nodiscard]] bool waits() const { return request.batch != nullptr; }
    };

    IssuePort(int index, const CompiledPlan& plan, const CauseTable& causes, Settings settings);

    /// Instructions cost more while this tensor core's accumulators stream through the register
    /// file, or hold it up. It must outlive the port.
    void beside(TensorUnit& tensor) {
        tensor_ = &tensor;
        plain_ = false;
    }
    /// Gives a warp its place here, for add(). `order`: its warp index, for arbitration.
    [[nodiscard]] int add_warp(std::int32_t agent, int order);
    /// Precondition: the warp does not wait already.
    void add(int place, const IssueRequest& request, Tick now, DispatchTimes& times) {
        Warp& warp = warps_[static_cast<std::size_t>(place)];
        warp.request = request;
        next_ = nobody;
        if (!granting_) {
            announce(warp, now, times);
        }
    }
    /// At its dispatch: whether a warp may issue now, which take() then gives; otherwise sees to
    /// the dispatch when one may.
    [[nodiscard]] bool due(Tick now, DispatchTimes& times);
    /// The warp that is next. It is to issue what it asked for, and may go on with further batches,
    /// or ask for them, in its request, before resume() is called.
    [[nodiscard]] Warp& take();
    /// What the warp that was taken waited for last, and before when no other that waits can issue.
    [[nodiscard]] int next_cause() const { return next_cause_; }
    [[nodiscard]] Tick rivals() const { return rivals_; }
    /// When the warp's batch may issue as the port and the pipes stand.
    [[nodiscard]] IssueSlot slot_for(const Warp& warp) const;
    /// Issues the warp's batch in its turn. Returns what it had waited for.
    int issue(const Warp& warp, const IssueSlot& slot);
    /// The instant of the next dispatch, which the caller makes happen, by take(), or hands to
    /// schedule(); never when nobody waits.
    [[nodiscard]] Tick resume(Tick now) {
        granting_ = false;
        return choose(now);
    }
    /// Whether what issues at the next dispatch concerns only this port.
    [[nodiscard]] bool quiet_next() const {
        return warps_[static_cast<std::size_t>(next_)].request.quiet > 0;
    }
    /// `at`: of resume().
    void schedule(Tick at, DispatchTimes& times) const { times.set(index_, at, effect_); }

    [[nodiscard]] const Account& account(Unit unit) const {
        return accounts_[static_cast<std::size_t>(unit)];
    }

    template <typename Visitor>
    void visit(Visitor& visitor) {
        for (Warp& warp : warps_) {
            visitor.compare(warp.waits() ? 1 : 0);
            if (warp.waits()) {
                visitor.clock(warp.request.ready);
                visitor.compare(warp.request.cause);
                // Which of two instants that have passed was the later one decides what is charged.
                visitor.compare(slot_for(warp).cause);
            }
        }
        visitor.instant(issue_free_);
        for (Tick& free : pipe_free_) {
            visitor.instant(free);
        }
        visitor.compare(last_issuer_);
        for (Account& account : accounts_) {
            visitor.books(account);
        }
    }

  private:
    /// Sees to the dispatch at which `warp` may issue, unless one comes before.
    void announce(const Warp& warp, Tick now, DispatchTimes& times) const;
    [[nodiscard]] bool preferred(const Warp& x, const Warp& y) const;
    /// Waits for the pipes that only a larger batch uses.
    void wait_for_more(const Warp& warp, const Batch& batch, IssueSlot& slot) const;
    /// Issues a batch of several units, beside a tensor core, or where warps have units of their
    /// own.
    void issue_with_care(const Warp& warp, const Batch& batch, Tick now, int cause);
    /// Holds the tensor core up by a batch that issues now beside it. Returns whether its
    /// accumulators stream through the register file.
    bool hold_tensor_up(const Batch& batch, Tick now);
    static void book_overlapping(Account& account, Tick start, Tick duration, int cause);
    /// Occupies a pipe for a batch issued now.
    void use(const Warp& warp, const UnitUse& use, Tick now, bool beside_wgmma, int cause);
    /// When one of those that wait may issue, and which comes first then.
    /// Precondition: next_ is nobody.
    [[nodiscard]] Tick choose(Tick now);
    [[nodiscard]] static std::size_t pipe_of(const Warp& warp, Unit unit) {
        return warp.pipes + static_cast<std::size_t>(unit);
    }
    [[nodiscard]] const UnitUse& more_use(const Batch& batch, int number) const {
        return plan_.uses[static_cast<std::size_t>(batch.first_more_use + number)];
    }

    int index_;
    const CompiledPlan& plan_;
    CauseTable causes_;
    Settings settings_;
    TensorUnit* tensor_ = nullptr;
    bool plain_ = true;  ///< warps share the port and its pipes, and no tensor core is beside it
    std::vector<Warp> warps_;
    std::array<Account, unit_count> accounts_;
    /// By unit; of the pipes that all share, or of those of one warp after the other.
    std::vector<Tick> pipe_free_;
    Tick issue_free_ = 0;
    int last_issuer_ = -1;  ///< warp index
    static constexpr int nobody = -1;
    int next_ = nobody;      ///< who issues at the next dispatch; nobody: to be found out
    int next_cause_ = 0;     ///< why not earlier
    Tick rivals_ = 0;        ///< no other that waits now can issue before
    Tick effect_ = 0;        ///< nobody else can notice anything before
    bool granting_ = false;  ///< requests that come now are looked at together, in resume()
};

// The engine spends most of its time in what follows: once or more for every warp instruction.

// An issue port that nobody shares is never marked as taken: a request is ready after the slots of
// the warp's own instruction before it.
inline IssueSlot IssuePort::slot_for(const Warp& warp) const {
    IssueSlot slot{warp.request.ready, warp.request.cause};
    const auto wait_for = [&slot](Tick free, int cause) {
        slot.cause = free > slot.time ? cause : slot.cause;
        slot.time = std::max(slot.time, free);
    };
    const Batch& batch = *warp.request.batch;
    wait_for(pipe_free_[pipe_of(warp, batch.use.unit)] - batch.use.offset,
             causes_.unit(batch.use.unit));
    if (batch.more_uses > 0) {
        wait_for_more(warp, batch, slot);
    }
    wait_for(issue_free_, causes_.unit(Unit::issue));
    return slot;
}

inline Tick IssuePort::choose(Tick now) {
    constexpr Tick never = DispatchTimes::never;
    const Warp* best = nullptr;
    Tick next = never;
    rivals_ = effect_ = never;
    for (const Warp& warp : warps_) {
        if (!warp.waits()) {
            continue;
        }
        const IssueSlot slot = slot_for(warp);
        const Tick at = std::max(now, slot.time);
        effect_ = std::min(effect_, at + warp.request.quiet);
        if (at < next || (at == next && preferred(warp, *best))) {
            rivals_ = next;
            best = &warp;
            next = at;
            next_cause_ = slot.cause;
        } else {
            rivals_ = std::min(rivals_, at);
        }
    }
    next_ = best == nullptr ? nobody : static_cast<int>(best - warps_.data());
    return next;
}

inline IssuePort::Warp& IssuePort::take() {
    Warp& warp = warps_[static_cast<std::size_t>(next_)];
    next_ = nobody;
    granting_ = true;
    return warp;
}

inline int IssuePort::issue(const Warp& warp, const IssueSlot& slot) {
    const IssueRequest& request = warp.request;
    const Batch& batch = *request.batch;
    const Tick now = slot.time;
    // A request that lost to another warp at this port has waited for the port.
    const bool lost = now > request.ready && slot.cause == request.cause;
    const int cause = lost ? causes_.unit(Unit::issue) : slot.cause;
    last_issuer_ = warp.order;
    if (!plain_ || batch.more_uses > 0) {
        issue_with_care(warp, batch, now, cause);
        return cause;
    }
    accounts_[static_cast<std::size_t>(Unit::issue)].work(now, batch.slots, cause);
    issue_free_ = now + batch.slots;
    if (batch.use.unit != Unit::issue) {
        const Tick start = now + batch.use.offset;
        accounts_[static_cast<std::size_t>(batch.use.unit)].work(start, batch.use.demand, cause);
        pipe_free_[pipe_of(warp, batch.use.unit)] = start + batch.use.demand;
    }
    return cause;
}

}  // namespace warpline
