// The two visitors of a run's state: one writes it down, one moves it ahead by whole periods.
//
// A quantity is shown to a visitor by what it means:
//   compare, exact   decides the future as it is
//   future           an instant; one that has passed decides nothing
//   since            an instant; one before a floor, which is not after now, decides nothing
//   clock            an instant whose distance from now decides something even when it has passed
//   counter          a count that matters relative to another one
//   moved, books     decides nothing, but grows
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/steady_state.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpline {

class StateWriter {
  public:
    StateWriter(Snapshot& out, Tick now) : out_(out), now_(now) {}

    void compare(std::int64_t value) { out_.relative.push_back(value); }
    void exact(std::int64_t& value) { out_.relative.push_back(value); }
    void future(Tick& time) { since(time, now_); }
    void since(Tick& time, Tick floor) {
        out_.relative.push_back(std::max(time, std::min(floor, now_)) - now_);
    }
    void clock(Tick& time) { out_.relative.push_back(time - now_); }
    void counter(std::int64_t& value, std::int64_t base) {
        out_.relative.push_back(value - base);
        out_.absolute.push_back(value);
    }
    void moved(std::int64_t& value) { out_.absolute.push_back(value); }
    void books(Account& account) {
        out_.booked_until.push_back(account.until);
        out_.absolute.push_back(account.busy);
        out_.absolute.insert(out_.absolute.end(), account.charged.begin(), account.charged.end());
    }
    void loop_index(std::int64_t& index, std::int64_t base, std::int64_t period) {
        counter(index, base);
        out_.relative.push_back(index % period);
        out_.loop_indices.push_back(index);
    }

  private:
    Snapshot& out_;
    Tick now_;
};

class StateMover {
  public:
    StateMover(const Snapshot& from, const Snapshot& to, std::int64_t periods)
        : from_(from), to_(to), periods_(periods), shift_(periods * (to.now - from.now)) {}

    void compare(std::int64_t) {}
    void exact(std::int64_t&) {}
    /// An instant that has passed stays: how long ago it was may have changed in the period seen.
    void future(Tick& time) { since(time, to_.now); }
    void since(Tick& time, Tick floor) { time += time > std::min(floor, to_.now) ? shift_ : 0; }
    void clock(Tick& time) { time += shift_; }
    void counter(std::int64_t& value, std::int64_t) { move(value); }
    void moved(std::int64_t& value) { move(value); }
    void books(Account& account) {
        account.until +=
            periods_ * (to_.booked_until[next_account_] - from_.booked_until[next_account_]);
        ++next_account_;
        move(account.busy);
        for (Tick& time : account.charged) {
            move(time);
        }
    }
    void loop_index(std::int64_t& index, std::int64_t, std::int64_t) { move(index); }

  private:
    void move(std::int64_t& value) {
        value += periods_ * (to_.absolute[next_] - from_.absolute[next_]);
        ++next_;
    }

    const Snapshot& from_;
    const Snapshot& to_;
    std::int64_t periods_;
    Tick shift_;
    std::size_t next_ = 0;
    std::size_t next_account_ = 0;
};

}  // namespace warpline
