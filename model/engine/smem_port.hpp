// The shared-memory data port of one SM: requests are served in turn, in quanta.
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/event_queue.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// Who is told when a request is through.
struct PortRequester {
    enum class Kind : std::uint8_t { mma_fetch, warp_access, copy_read, copy_write };
    Kind kind = Kind::warp_access;
    std::int32_t index = 0;  ///< tensor unit, agent or operation in flight
};

class SmemPort {
  public:
    SmemPort(int sm, Tick quantum, int causes) : account_(causes), sm_(sm), quantum_(quantum) {}

    /// Asks for `time` ticks of the port; `cause` is why the request did not come earlier.
    void request(Tick now, Tick time, PortRequester requester, int cause, EventQueue& queue);

    /// The current run has ended. Returns whether a request is through, and whose.
    struct Outcome {
        bool through = false;
        PortRequester requester;
    };
    Outcome run_ended(Tick now, std::int64_t version, EventQueue& queue);

    [[nodiscard]] const Account& account() const { return account_; }
    [[nodiscard]] std::int64_t version() const { return version_; }

    template <typename Visitor>
    void visit(Visitor& visitor) {
        visitor.compare(static_cast<std::int64_t>(waiting_.size()));
        visitor.compare(running_ ? 1 : 0);
        for (Request& request : waiting_) {
            visitor.exact(request.remaining);
            visitor.compare(static_cast<std::int64_t>(request.requester.kind));
            visitor.requester(request.requester.kind, request.requester.index);
            visitor.compare(request.cause);
        }
        if (running_) {
            visitor.clock(run_start_);
            visitor.instant(run_end_);
        }
        visitor.books(account_);
    }

  private:
    struct Request {
        Tick remaining = 0;
        PortRequester requester;
        int cause = 0;
    };
    void start_run(Tick now, EventQueue& queue);

    std::vector<Request> waiting_;  ///< the front one is being served while running_
    Account account_;
    int sm_;
    Tick quantum_;
    bool running_ = false;
    Tick run_start_ = 0, run_end_ = 0;
    std::int64_t version_ = 0;
};

}  // namespace warpline
