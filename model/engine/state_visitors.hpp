// The two visitors of a run's state: one writes it down, one moves it ahead by whole periods.
//
// A quantity is shown to a visitor by what it means:
//   compare, exact   decides the future as it is
//   instant          a time; one that has passed decides nothing
//   clock            a time whose distance from now decides something even when it has passed
//   stamp            a time kept for the record: decides nothing
//   counter          a count that matters relative to another one
//   phase            a phase of a ring's barrier: matters relative to the lap its stage is in
//   moved            a count that decides nothing, but grows
//   loop_index       an iteration far from both ends of its loop: decides something only by its
//                    position in the period of the predicates inside. That of one warp does not
//                    matter to another: two CTAs of one SM may go on at different paces
//   books            an account: decides nothing, grows
#pragma once

#include "warpline/engine/accounts.hpp"
#include "warpline/engine/steady_state.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpline {

class StateWriter {
  public:
    static constexpr bool moves = false;

    StateWriter(Snapshot& out, Tick now) : out_(out), now_(now) {}

    void compare(std::int64_t value) { out_.relative.push_back(value); }
    void exact(std::int64_t& value) { out_.relative.push_back(value); }
    void instant(Tick& time) { out_.relative.push_back(std::max<Tick>(time - now_, 0)); }
    void clock(Tick& time) { out_.relative.push_back(time - now_); }
    void stamp(Tick& time) { static_cast<void>(time); }
    void counter(std::int64_t& value, std::int64_t base) {
        out_.relative.push_back(value - base);
        out_.counters.push_back(value);
    }
    void moved(std::int64_t& value) { out_.counters.push_back(value); }
    void phase(std::int64_t& value, std::int64_t lap, std::int64_t lap_after) {
        static_cast<void>(lap_after);
        out_.relative.push_back(value - lap);
    }
    std::int64_t uses_ahead(std::size_t ring, std::int64_t base) {
        out_.ring_bases.resize(std::max(out_.ring_bases.size(), ring + 1));
        out_.ring_bases[ring] = base;
        return 0;
    }
    void loop_index(std::int64_t& index, std::int64_t period) {
        moved(index);
        out_.relative.push_back(index % period);
        out_.loop_indices.push_back(index);
    }
    /// Only causes that occurred: until, busy, how many, then pairs of cause and time. Most units
    /// of most plans do nothing.
    void books(Account& account) {
        std::vector<std::int64_t>& out = out_.books;
        out.push_back(account.until);
        out.push_back(account.busy);
        const std::size_t count = out.size();
        out.push_back(0);
        const std::size_t causes = account.until == 0 ? 0 : account.charged.size();
        for (std::size_t cause = 0; cause < causes; ++cause) {
            if (account.charged[cause] != 0) {
                out.push_back(static_cast<std::int64_t>(cause));
                out.push_back(account.charged[cause]);
                ++out[count];
            }
        }
    }

  private:
    Snapshot& out_;
    Tick now_;
};

class StateMover {
  public:
    static constexpr bool moves = true;

    StateMover(const Snapshot& from, const Snapshot& to, std::int64_t periods)
        : from_(from), to_(to), periods_(periods), shift_(periods * (to.now - from.now)) {}

    [[nodiscard]] Tick shift() const { return shift_; }
    void compare(std::int64_t value) { static_cast<void>(value); }
    void exact(std::int64_t& value) { static_cast<void>(value); }
    void instant(Tick& time) { time += shift_; }
    void clock(Tick& time) { time += shift_; }
    void stamp(Tick& time) { time += shift_; }
    void counter(std::int64_t& value, std::int64_t base) {
        static_cast<void>(base);
        moved(value);
    }
    void moved(std::int64_t& value) {
        value += periods_ * (to_.counters[next_] - from_.counters[next_]);
        ++next_;
    }
    void phase(std::int64_t& value, std::int64_t lap, std::int64_t lap_after) {
        value += lap_after - lap;
    }
    std::int64_t uses_ahead(std::size_t ring, std::int64_t base) {
        static_cast<void>(base);
        return periods_ * (to_.ring_bases[ring] - from_.ring_bases[ring]);
    }
    void loop_index(std::int64_t& index, std::int64_t period) {
        static_cast<void>(period);
        moved(index);
    }
    void books(Account& account) {
        account.until += periods_ * (to_.books[to_page_] - from_.books[from_page_]);
        account.busy += periods_ * (to_.books[to_page_ + 1] - from_.books[from_page_ + 1]);
        add_charges(account, to_.books, to_page_, periods_);
        add_charges(account, from_.books, from_page_, -periods_);
    }

  private:
    static void add_charges(Account& account, const std::vector<std::int64_t>& books,
                            std::size_t& page, std::int64_t times) {
        const auto count = static_cast<std::size_t>(books[page + 2]);
        page += 3;
        for (std::size_t i = 0; i < count; ++i, page += 2) {
            account.charged[static_cast<std::size_t>(books[page])] += times * books[page + 1];
        }
    }

    const Snapshot& from_;
    const Snapshot& to_;
    std::int64_t periods_;
    Tick shift_;
    std::size_t next_ = 0;
    std::size_t from_page_ = 0, to_page_ = 0;
};

}  // namespace warpline
