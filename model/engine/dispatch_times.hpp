// When each sub-partition is to let a warp issue, and until when nobody else would notice.
#pragma once

#include "warpline/units/tick.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace warpline {

/// The dispatches to come, one at most of each sub-partition. They happen in order of (time,
/// sub-partition), after all events of their instant, so that they see its arrivals and
/// completions.
///
/// Most instructions of an operation concern their own sub-partition alone. Until something happens
/// that concerns others, sub-partitions need not wait for one another: each may be ahead of the
/// simulated time, and what comes of it is the same.
class DispatchTimes {
  public:
    static constexpr Tick never = std::numeric_limits<Tick>::max();

    explicit DispatchTimes(std::size_t ports) : at_(ports, never), effect_(ports, never) {}

    /// Of a sub-partition that may let a warp issue at `at`, and do nothing that others notice
    /// before `effect`.
    void set(int port, Tick at, Tick effect) {
        at_[index(port)] = at;
        effect_[index(port)] = effect;
    }
    void clear(int port) { set(port, never, never); }
    /// One more warp waits there: it may issue at `at`, and not be noticed before `effect`.
    void bring_forward(int port, Tick at, Tick effect) {
        at_[index(port)] = std::min(at_[index(port)], at);
        effect_[index(port)] = std::min(effect_[index(port)], effect);
    }

    struct Next {
        Tick time = never;
        int port = 0;
    };
    [[nodiscard]] Next next() const {
        Next next;
        for (std::size_t port = 0; port < at_.size(); ++port) {
            const bool sooner = at_[port] < next.time;
            next.time = sooner ? at_[port] : next.time;
            next.port = sooner ? static_cast<int>(port) : next.port;
        }
        return next;
    }

    /// How far a sub-partition that has no dispatch to come may go on by itself.
    struct Reach {
        Tick any = never;    ///< before it, nothing happens elsewhere
        Tick quiet = never;  ///< before it, nothing that happens elsewhere comes to its notice
    };
    [[nodiscard]] Reach reach() const {
        Reach reach;
        for (std::size_t port = 0; port < at_.size(); ++port) {
            reach.any = std::min(reach.any, at_[port]);
            reach.quiet = std::min(reach.quiet, effect_[port]);
        }
        return reach;
    }

    template <typename Visitor>
    void visit(Visitor& visitor) {
        for (std::size_t port = 0; port < at_.size(); ++port) {
            visitor.compare(at_[port] == never ? 0 : 1);
            if (at_[port] != never) {
                visitor.instant(at_[port]);
                visitor.stamp(effect_[port]);  // how far others may be ahead decides nothing
            }
        }
    }

  private:
    [[nodiscard]] static std::size_t index(int port) { return static_cast<std::size_t>(port); }

    std::vector<Tick> at_, effect_;
};

}  // namespace warpline
