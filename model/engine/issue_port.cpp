#include "warpline/engine/issue_port.hpp"

#include <algorithm>

namespace warpline {

IssuePort::IssuePort(int index, const CompiledPlan& plan, const CauseTable& causes,
                     Settings settings)
    : index_(index),
      plan_(plan),
      causes_(causes),
      settings_(settings),
      plain_(!settings.own_issue && !settings.own_pipes) {
    accounts_.fill(Account(causes.size()));
}

int IssuePort::add_warp(std::int32_t agent, int order) {
    Warp& warp = warps_.emplace_back();
    warp.agent = agent;
    warp.order = order;
    if (settings_.own_pipes || pipe_free_.empty()) {
        pipe_free_.resize(pipe_free_.size() + unit_count, 0);
    }
    warp.pipes = static_cast<std::uint32_t>(pipe_free_.size() - unit_count);
    return static_cast<int>(warps_.size()) - 1;
}

void IssuePort::announce(const Warp& warp, Tick now, DispatchTimes& times) const {
    const Tick at = std::max(now, slot_for(warp).time);
    times.bring_forward(index_, at, at + warp.request.quiet);
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

bool IssuePort::due(Tick now, DispatchTimes& times) {
    if (next_ == nobody) {
        if (const Tick next = choose(now); next > now) {
            schedule(next, times);
            return false;
        }
    }
    times.clear(index_);
    return true;
}

void IssuePort::wait_for_more(const Warp& warp, const Batch& batch, IssueSlot& slot) const {
    for (int i = 0; i < batch.more_uses; ++i) {
        const UnitUse& use = more_use(batch, i);
        const Tick free = pipe_free_[pipe_of(warp, use.unit)] - use.offset;
        if (free > slot.time) {
            slot = {free, causes_.unit(use.unit)};
        }
    }
}

void IssuePort::issue_with_care(const Warp& warp, const Batch& batch, Tick now, int cause) {
    const bool beside_wgmma = tensor_ != nullptr && hold_tensor_up(batch, now);
    Account& port = accounts_[static_cast<std::size_t>(Unit::issue)];
    if (settings_.own_issue) {
        book_overlapping(port, now, batch.slots, cause);
    } else {
        port.work(now, batch.slots, cause);
        issue_free_ = now + (beside_wgmma ? batch.hold : batch.slots);
    }
    if (batch.use.unit == Unit::issue) {
        return;
    }
    use(warp, batch.use, now, beside_wgmma, cause);
    for (int i = 0; i < batch.more_uses; ++i) {
        use(warp, more_use(batch, i), now, beside_wgmma, cause);
    }
}

/// Work of different warps may overlap when each has its own: books what fits before the next.
void IssuePort::book_overlapping(Account& account, Tick start, Tick duration, int cause) {
    account.charge(start, cause);
    account.work(account.until, std::max<Tick>(0, start + duration - account.until), cause);
}

void IssuePort::use(const Warp& warp, const UnitUse& use, Tick now, bool beside_wgmma, int cause) {
    const auto unit = static_cast<std::size_t>(use.unit);
    const Tick start = now + use.offset;
    const Tick demand = beside_wgmma ? use.beside_wgmma : use.demand;
    if (settings_.own_pipes) {
        book_overlapping(accounts_[unit], start, demand, cause);
    } else {
        accounts_[unit].work(start, demand, cause);
    }
    pipe_free_[pipe_of(warp, use.unit)] = start + demand;
}

bool IssuePort::hold_tensor_up(const Batch& batch, Tick now) {
    const bool streams = tensor_->streams_registers();
    if (streams && batch.wgmma_delay > 0) {
        tensor_->hold_up(now, batch.wgmma_delay, causes_.unit(batch.use.unit));
    }
    if (batch.use.demand > 0 && tensor_->register_delay() > 0) {
        tensor_->hold_up(now, tensor_->register_delay() * (batch.slots / ticks_per_cycle),
                         causes_.unit(batch.use.unit));
    }
    return streams;
}

}  // namespace warpline
