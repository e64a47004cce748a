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

    struct Next {
        Tick time = never;
        int port = 0;
    };
    [[nodiscard]] const Next& next() const { return next_; }

    /// Of a sub-partition that may let a warp issue at `at`, and do nothing that others notice
    /// before `effect`.
    void set(int port, Tick at, Tick effect) {
        at_[index(port)] = at;
        effect_[index(port)] = effect;
        if (port == next_.port) {
            find_next();
        } else {
            look_at(port);
        }
    }
    void clear(int port) { set(port, never, never); }
    /// One more warp waits there: it may issue at `at`, and not be noticed before `effect`.
    void bring_forward(int port, Tick at, Tick effect) {
        at_[index(port)] = std::min(at_[index(port)], at);
        effect_[index(port)] = std::min(effect_[index(port)], effect);
        look_at(port);
    }

    /// How far the sub-partition that was cleared last may go on by itself.
    struct Reach {
        Tick any = never;    ///< before it, nothing happens elsewhere
        Tick quiet = never;  ///< before it, nothing that happens elsewhere comes to its notice
    };
    [[nodiscard]] Reach reach() const { return {next_.time, effect_of_any_}; }

    template <typename Visitor>
    void visit(Visitor& visitor) {
        for (std::size_t port = 0; port < at_.size(); ++port) {
            visitor.compare(at_[port] == never ? 0 : 1);
            if (at_[port] != never) {
                visitor.instant(at_[port]);
                visitor.stamp(effect_[port]);  // how far others may be ahead decides nothing
            }
        }
        find_next();
    }

  private:
    [[nodiscard]] static std::size_t index(int port) { return static_cast<std::size_t>(port); }

    void look_at(int port) {
        const Tick at = at_[index(port)];
        if (at < next_.time || (at == next_.time && port < next_.port)) {
            next_ = {at, port};
        }
        effect_of_any_ = std::min(effect_of_any_, effect_[index(port)]);
    }
    void find_next() {
        next_ = {};
        effect_of_any_ = never;
        for (std::size_t port = 0; port < at_.size(); ++port) {
            const bool sooner = at_[port] < next_.time;
            next_.time = sooner ? at_[port] : next_.time;
            next_.port = sooner ? static_cast<int>(port) : next_.port;
            effect_of_any_ = std::min(effect_of_any_, effect_[port]);
        }
    }

    std::vector<Tick> at_, effect_;
    Next next_;
    Tick effect_of_any_ = never;  ///< at the earliest; exact after a sub-partition was cleared
};

}  // namespace warpline
