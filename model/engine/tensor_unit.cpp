#include "warpline/engine/tensor_unit.hpp"

#include <algorithm>

namespace warpline {

void TensorUnit::push(MmaChain chain, Tick now, EventQueue& queue, TensorHost& host) {
    queued_ += chain.steps;
    chains_.push_back(chain);
    try_fetch(now, host);
    try_execute(now, queue, host);
}

MmaChain* TensorUnit::next_to_fetch() {
    for (MmaChain& chain : chains_) {
        if (chain.unfetched > 0) {
            return &chain;
        }
    }
    return nullptr;
}

void TensorUnit::try_fetch(Tick now, TensorHost& host) {
    if (lookahead_ || fetching_ports_ > 0) {
        return;
    }
    MmaChain* chain = next_to_fetch();
    if (chain == nullptr) {
        return;
    }
    --chain->unfetched;
    lookahead_ = true;
    lookahead_begin_ = now;
    fetching_ports_ = chain->fetch > 0 ? host.request_operands(index_, *chain, now) : 0;
    lookahead_fetched_ = fetching_ports_ == 0;
}

void TensorUnit::try_execute(Tick now, EventQueue& queue, TensorHost& host) {
    while (!executing_ && lookahead_) {
        MmaChain& chain = chains_.front();
        const bool first = chain.unfinished == chain.steps;
        const Tick allowed = lookahead_begin_ + (first ? chain.first_operand : 0);
        if (now < allowed) {
            queue.push(allowed, EventKind::tensor_start, index_);
            return;
        }
        const bool for_want_of_operands =
            late_ || (first && allowed == now && chain.first_operand > 0);
        int cause = first ? chain.cause : latency_cause_;
        if (for_want_of_operands) {
            cause = smem_cause_;
        }
        late_ = false;
        account_.work(now, chain.tensor, cause);
        if (chain.pair) {
            host.pair_step(index_, chain, now, cause);
        }
        if (first) {
            host.chain_started(chain, now);
        }
        executing_ = true;
        executing_fetched_ = lookahead_fetched_;
        lookahead_ = false;
        --queued_;
        due_ = now + chain.tensor;
        queue.push(due_, EventKind::tensor_due, index_);
        try_fetch(now, host);
        host.tensor_room(index_, now);
    }
}

void TensorUnit::fetch_done(Tick now, EventQueue& queue, TensorHost& host) {
    --fetching_ports_;
    if (fetching_ports_ > 0) {
        return;
    }
    if (lookahead_) {
        lookahead_fetched_ = true;
    } else {
        executing_fetched_ = true;
        if (executing_ && now >= due_) {
            late_ = now > due_;
            finish_step(now, host);
        }
    }
    try_fetch(now, host);
    try_execute(now, queue, host);
}

void TensorUnit::hold_up(Tick now, Tick delay, int cause) {
    if (executing_ && now < due_) {
        due_ += delay;
        account_.charge(account_.until + delay, cause);
    }
}

void TensorUnit::step_due(Tick now, EventQueue& queue, TensorHost& host) {
    if (executing_ && now < due_) {  // held up since
        queue.push(due_, EventKind::tensor_due, index_);
        return;
    }
    if (executing_ && executing_fetched_ && now >= due_) {
        finish_step(now, host);
        try_fetch(now, host);
        try_execute(now, queue, host);
    }
}

void TensorUnit::start_due(Tick now, EventQueue& queue, TensorHost& host) {
    try_execute(now, queue, host);
}

void TensorUnit::finish_step(Tick now, TensorHost& host) {
    executing_ = false;
    MmaChain& chain = chains_.front();
    if (--chain.unfinished == 0) {
        const MmaChain done = chain;
        chains_.pop_front();
        host.chain_executed(done, now);
    }
}

}  // namespace warpline
