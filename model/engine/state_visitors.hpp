// The two visitors of a run's state: one writes it down, one moves it ahead by whole periods.
//
// A quantity is shown to a visitor by what it means:
//   compare, exact   decides the future as it is
//   future           an instant; one that has passed decides nothing
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
    void future(Tick& time) {
        out_.relative.push_back(std::max<Tick>(time - now_, 0));
        out_.absolute.push_back(time);
    }
    void clock(Tick& time) {
        out_.relative.push_back(time - now_);
        out_.absolute.push_back(time);
    }
    void counter(std::int64_t& value, std::int64_t base) {
        out_.relative.push_back(value - base);
        out_.absolute.push_back(value);
    }
    void moved(std::int64_t& value) { out_.absolute.push_back(value); }
    void books(Account& account) {
        out_.booked_until.push_back(account.until);
        out_.absolute.push_back(account.until);
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
        : from_(from), to_(to), periods_(periods) {}

    void compare(std::int64_t) {}
    void exact(std::int64_t&) {}
    void future(Tick& time) { move_with_now(time); }
    void clock(Tick& time) { move_with_now(time); }
    void counter(std::int64_t& value, std::int64_t) { move(value); }
    void moved(std::int64_t& value) { move(value); }
    void books(Account& account) {
        move(account.until);
        move(account.busy);
        for (Tick& time : account.charged) {
            move(time);
        }
    }
    void loop_index(std::int64_t& index, std::int64_t, std::int64_t) { move(index); }

  private:
    /// Instants keep their distance from now. What an instant that has passed did between the two
    /// snapshots says nothing: it may have been left over from before.
    void move_with_now(Tick& time) {
        time += periods_ * (to_.now - from_.now);
        ++next_;
    }
    void move(std::int64_t& value) {
        value += periods_ * (to_.absolute[next_] - from_.absolute[next_]);
        ++next_;
    }

    const Snapshot& from_;
    const Snapshot& to_;
    std::int64_t periods_;
    std::size_t next_ = 0;
};

}  // namespace warpline
