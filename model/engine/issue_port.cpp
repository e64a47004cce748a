#include "warpline/engine/issue_port.hpp"

#include <algorithm>
#include <limits>

namespace warpline {

IssuePort::IssuePort(int index, const CompiledPlan& plan, const CauseTable& causes,
                     Settings settings)
    : index_(index), plan_(plan), causes_(causes), settings_(settings) {
    accounts_.fill(Account(causes.size()));
}

void IssuePort::add(const IssueRequest& request, Tick now, EventQueue& queue) {
    waiting_.push_back(request);
    if (granting_) {
        return;
    }
    int cause = 0;
    const Tick at = std::max(now, earliest(request, cause));
    if (dispatch_at_ == no_dispatch || at < dispatch_at_) {
        dispatch_at_ = at;
        queue.push(at, EventKind::dispatch, index_, ++version_);
    }
}

Tick IssuePort::earliest(const IssueRequest& request, int& cause) const {
    Tick at = request.ready;
    cause = request.cause;
    if (!settings_.ideal_pipes) {
        const Batch& batch = *request.batch;
        for (int i = 0; i < batch.uses; ++i) {
            const UnitUse& use =
                plan_.uses[static_cast<std::size_t>(batch.first_use) + static_cast<std::size_t>(i)];
            const Tick free = pipe_free_[static_cast<std::size_t>(use.unit)] - use.offset;
            if (free > at) {
                at = free;
                cause = causes_.unit(use.unit);
            }
        }
    }
    if (!settings_.ideal_issue && issue_free_ > at) {
        at = issue_free_;
        cause = causes_.unit(Unit::issue);
    }
    return at;
}

bool IssuePort::preferred(const IssueRequest& x, const IssueRequest& y) const {
    switch (settings_.arbitration) {
        case Arbitration::greedy_then_oldest:
            if ((x.order == last_issuer_) != (y.order == last_issuer_)) {
                return x.order == last_issuer_;
            }
            break;
        case Arbitration::round_robin: {
            const bool x_after = x.order > last_issuer_;
            const bool y_after = y.order > last_issuer_;
            if (x_after != y_after) {
                return x_after;
            }
            break;
        }
        case Arbitration::oldest_request:
            if (x.ready != y.ready) {
                return x.ready < y.ready;
            }
            break;
    }
    return x.order < y.order;
}

bool IssuePort::dispatch(Tick now, std::int64_t version, bool beside_wgmma, EventQueue& queue,
                         Grant& grant) {
    if (version != version_) {
        return false;
    }
    dispatch_at_ = no_dispatch;
    std::size_t best = waiting_.size();
    int best_cause = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        int cause = 0;
        if (earliest(waiting_[i], cause) <= now &&
            (best == waiting_.size() || preferred(waiting_[i], waiting_[best]))) {
            best = i;
            best_cause = cause;
        }
    }
    const bool issued = best < waiting_.size();
    if (issued) {
        grant.request = waiting_[best];
        grant.time = now;
        // A request that lost to another warp at this port has waited for the port.
        grant.cause = now > grant.request.ready && best_cause == grant.request.cause
                          ? causes_.unit(Unit::issue)
                          : best_cause;
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(best));
        grant.units_done = issue(grant.request, now, beside_wgmma, grant.cause);
        granting_ = true;
    } else {
        schedule(now, queue);
    }
    return issued;
}

Tick IssuePort::issue(const IssueRequest& request, Tick now, bool beside_wgmma, int cause) {
    const Batch& batch = *request.batch;
    last_issuer_ = request.order;
    Account& port = accounts_[static_cast<std::size_t>(Unit::issue)];
    if (settings_.ideal_issue) {
        port.charge(now, cause);
        // Slots of different warps may overlap when the port is ideal: book what fits before the
        // next issue.
        port.work(port.until, std::max<Tick>(0, now + batch.slots - port.until), cause);
    } else {
        port.work(now, batch.slots, cause);
        issue_free_ = now + (beside_wgmma ? batch.hold : batch.slots);
    }
    Tick done = now;
    for (int i = 0; i < batch.uses; ++i) {
        const UnitUse& use =
            plan_.uses[static_cast<std::size_t>(batch.first_use) + static_cast<std::size_t>(i)];
        const auto unit = static_cast<std::size_t>(use.unit);
        const Tick start = now + use.offset;
        const Tick demand = beside_wgmma ? use.beside_wgmma : use.demand;
        done = std::max(done, start + demand);
        if (settings_.ideal_pipes) {
            accounts_[unit].charge(start, cause);
            accounts_[unit].work(accounts_[unit].until,
                                 std::max<Tick>(0, start + demand - accounts_[unit].until), cause);
            continue;
        }
        accounts_[unit].work(start, demand, cause);
        pipe_free_[unit] = start + demand;
    }
    return done;
}

void IssuePort::schedule(Tick now, EventQueue& queue) {
    Tick next = std::numeric_limits<Tick>::max();
    for (const IssueRequest& request : waiting_) {
        int cause = 0;
        next = std::min(next, earliest(request, cause));
    }
    if (!waiting_.empty()) {
        dispatch_at_ = std::max(now, next);
        queue.push(dispatch_at_, EventKind::dispatch, index_, ++version_);
    }
}

}  // namespace warpline
