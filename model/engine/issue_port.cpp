#include "warpline/engine/issue_port.hpp"

#include <algorithm>

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
        pipe_free_.resize(pipe_free_.size() + unit_count, 0);
    }
    warp.pipes = static_cast<std::uint32_t>(pipe_free_.size() - unit_count);
    return static_cast<int>(warps_.size()) - 1;
}

void IssuePort::announce(const Warp& warp, Tick now, EventQueue& queue) {
    const Tick at = std::max(now, slot_for(warp, warp.request).time);
    if (dispatch_at_ == no_dispatch || at < dispatch_at_) {
        schedule(at, queue);
    }
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

bool IssuePort::due(Tick now, EventQueue& queue) {
    dispatch_at_ = no_dispatch;
    if (next_ != nobody) {
        return true;
    }
    const Tick next = choose(now);
    if (next > now) {
        schedule(next, queue);
    }
    return next == now;
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
