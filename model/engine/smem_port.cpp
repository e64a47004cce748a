#include "warpline/engine/smem_port.hpp"

#include <algorithm>

namespace warpline {

void SmemPort::request(Tick now, Tick time, PortRequester requester, int cause, EventQueue& queue) {
    waiting_.push_back({time, requester, cause});
    if (!running_) {
        start_run(now, queue);
        return;
    }
    if (waiting_.size() == 2) {
        // The one being served had the port to itself; from now on it gives way at the next
        // quantum.
        const Tick served = std::max<Tick>(now - run_start_, 1);
        const Tick boundary = run_start_ + (served + quantum_ - 1) / quantum_ * quantum_;
        if (boundary < run_end_) {
            run_end_ = boundary;
            queue.push(run_end_, EventKind::port_run_end, sm_, ++version_);
        }
    }
}

SmemPort::Outcome SmemPort::run_ended(Tick now, std::int64_t version, EventQueue& queue) {
    if (version != version_ || !running_) {
        return {};
    }
    running_ = false;
    Request front = waiting_.front();
    const Tick served = run_end_ - run_start_;
    account_.work(run_start_, served, front.cause);
    front.remaining -= served;
    waiting_.erase(waiting_.begin());
    Outcome outcome;
    if (front.remaining > 0) {
        waiting_.push_back(front);
    } else {
        outcome = {true, front.requester};
    }
    if (!waiting_.empty()) {
        start_run(now, queue);
    }
    return outcome;
}

void SmemPort::start_run(Tick now, EventQueue& queue) {
    const Tick remaining = waiting_.front().remaining;
    running_ = true;
    run_start_ = now;
    run_end_ = now + (waiting_.size() > 1 ? std::min(remaining, quantum_) : remaining);
    queue.push(run_end_, EventKind::port_run_end, sm_, ++version_);
}

}  // namespace warpline
