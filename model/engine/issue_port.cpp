#include "warpline/engine/issue_port.hpp"

#include <algorithm>
#include <limits>

namespace warpline {

IssuePort::IssuePort(int index, const CompiledPlan& plan, const CauseTable& causes,
                     Settings settings)
    : index_(index), plan_(plan), causes_(causes), settings_(settings) {
    accounts_.fill(Account(causes.size()));
}

int IssuePort::add_warp(std::int32_t agent, int order) {
    Warp& warp = warps_.emplace_back();
    warp.agent = agent;
    warp.order = order;
    if (settings_.own_pipes || pipe_free_.empty()) {
        pipe_free_.emplace_back();
    }
    warp.pipes = pipe_free_.size() - 1;
    return static_cast<int>(warps_.size()) - 1;
}

void IssuePort::add(int place, const IssueRequest& request, Tick now, EventQueue& queue) {
    Warp& warp = warps_[static_cast<std::size_t>(place)];
    warp.request = request;
    warp.waits = true;
    next_ = nobody;
    if (granting_) {
        return;
    }
    find_earliest(warp);
    const Tick at = std::max(now, warp.earliest);
    if (dispatch_at_ == no_dispatch || at < dispatch_at_) {
        schedule(at, queue);
    }
}

// An issue port that nobody shares is never marked as taken: a request is ready after the slots of
// the warp's own instruction before it.
void IssuePort::find_earliest(Warp& warp) const {
    Tick at = warp.request.ready;
    int cause = warp.request.cause;
    const Batch& batch = *warp.request.batch;
    const std::array<Tick, unit_count>& pipes = pipe_free_[warp.pipes];
    const auto wait_for = [&](const UnitUse& use) {
        const Tick free = pipes[static_cast<std::size_t>(use.unit)] - use.offset;
        if (free > at) {
            at = free;
            cause = causes_.unit(use.unit);
        }
    };
    wait_for(batch.use);
    for (int i = 0; i < batch.more_uses; ++i) {
        wait_for(plan_.uses[static_cast<std::size_t>(batch.first_more_use + i)]);
    }
    if (issue_free_ > at) {
        at = issue_free_;
        cause = causes_.unit(Unit::issue);
    }
    warp.earliest = at;
    warp.earliest_cause = cause;
}

bool IssuePort::preferred(const Warp& x, const Warp& y) const {
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
            if (x.request.ready != y.request.ready) {
                return x.request.ready < y.request.ready;
            }
            break;
    }
    return x.order < y.order;
}

bool IssuePort::dispatch(Tick now, EventQueue& queue, Grant& grant) {
    dispatch_at_ = no_dispatch;
    if (next_ == nobody) {
        const Tick next = choose(now);
        if (next_ == nobody) {
            return false;
        }
        if (next > now) {
            schedule(next, queue);
            return false;
        }
    }
    Warp* const best = &warps_[static_cast<std::size_t>(next_)];
    next_ = nobody;
    grant.agent = best->agent;
    grant.request = best->request;
    grant.time = now;
    // A request that lost to another warp at this port has waited for the port.
    grant.cause = now > best->request.ready && best->earliest_cause == best->request.cause
                      ? causes_.unit(Unit::issue)
                      : best->earliest_cause;
    best->waits = false;
    granting_ = true;
    grant.units_done = issue(*best, now, grant.cause);
    return true;
}

Tick IssuePort::issue(const Warp& warp, Tick now, int cause) {
    const Batch& batch = *warp.request.batch;
    last_issuer_ = warp.order;
    const bool beside_wgmma = tensor_ != nullptr && tensor_->streams_registers();
    if (beside_wgmma && batch.wgmma_delay > 0) {
        tensor_->hold_up(now, batch.wgmma_delay, causes_.unit(batch.use.unit));
    }
    if (batch.use.demand > 0 && tensor_ != nullptr && tensor_->register_delay() > 0) {
        tensor_->hold_up(now, tensor_->register_delay() * (batch.slots / ticks_per_cycle),
                         causes_.unit(batch.use.unit));
    }
    Account& port = accounts_[static_cast<std::size_t>(Unit::issue)];
    if (settings_.own_issue) {
        book_overlapping(port, now, batch.slots, cause);
    } else {
        port.work(now, batch.slots, cause);
        issue_free_ = now + (beside_wgmma ? batch.hold : batch.slots);
    }
    if (batch.use.unit == Unit::issue) {
        return now;
    }
    Tick done = use(batch.use, warp.pipes, now, beside_wgmma, cause);
    for (int i = 0; i < batch.more_uses; ++i) {
        done = std::max(done, use(plan_.uses[static_cast<std::size_t>(batch.first_more_use + i)],
                                  warp.pipes, now, beside_wgmma, cause));
    }
    return done;
}

/// Work of different warps may overlap when each has its own: books what fits before the next.
void IssuePort::book_overlapping(Account& account, Tick start, Tick duration, int cause) {
    account.charge(start, cause);
    account.work(account.until, std::max<Tick>(0, start + duration - account.until), cause);
}

Tick IssuePort::use(const UnitUse& use, std::size_t pipes, Tick now, bool beside_wgmma, int cause) {
    const auto unit = static_cast<std::size_t>(use.unit);
    const Tick start = now + use.offset;
    const Tick demand = beside_wgmma ? use.beside_wgmma : use.demand;
    if (settings_.own_pipes) {
        book_overlapping(accounts_[unit], start, demand, cause);
    } else {
        accounts_[unit].work(start, demand, cause);
    }
    pipe_free_[pipes][unit] = start + demand;
    return start + demand;
}

Tick IssuePort::choose(Tick now) {
    Tick next = no_dispatch;
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        Warp& warp = warps_[i];
        if (!warp.waits) {
            continue;
        }
        find_earliest(warp);
        const Tick at = std::max(now, warp.earliest);
        if (next_ == nobody || at < next ||
            (at == next && preferred(warp, warps_[static_cast<std::size_t>(next_)]))) {
            next_ = static_cast<int>(i);
            next = at;
        }
    }
    return next;
}

}  // namespace warpline
