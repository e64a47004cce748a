// Books of time: what a unit or a warp did, and to what each gap is charged.
#pragma once

#include "warpline/engine/schedule.hpp"
#include "warpline/units/tick.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// A schedule may not last longer.
inline constexpr Tick latest_time = Tick{1} << 62U;

/// Numbers every cause of one simulation, so that books are plain arrays.
class CauseTable {
  public:
    explicit CauseTable(int barriers) : barriers_(barriers) {}

    [[nodiscard]] int size() const { return fixed + 3 * units + barriers_; }
    [[nodiscard]] int none() const { return 0; }
    [[nodiscard]] int issue() const { return 1; }
    [[nodiscard]] int memory() const { return 2; }
    [[nodiscard]] int finished() const { return 3; }
    [[nodiscard]] int unit(Unit u) const { return fixed + static_cast<int>(u); }
    [[nodiscard]] int latency(Unit u) const { return fixed + units + static_cast<int>(u); }
    [[nodiscard]] int drain(Unit u) const { return fixed + 2 * units + static_cast<int>(u); }
    [[nodiscard]] int barrier(int index) const { return fixed + 3 * units + index; }
    [[nodiscard]] Cause cause(int id) const;

  private:
    static constexpr int fixed = 4;
    static constexpr int units = static_cast<int>(unit_count);
    int barriers_;
};

/// busy + charged gaps = time up to `until`, at every moment.
struct Account {
    Tick until = 0;
    Tick busy = 0;
    std::vector<Tick> charged;  ///< by cause id

    explicit Account(int causes = 0) : charged(static_cast<std::size_t>(causes), 0) {}

    /// Charges the time from `until` to `time`, if there is any, to `cause`.
    void charge(Tick time, int cause) {
        if (time > until) {
            charged[static_cast<std::size_t>(cause)] += time - until;
            until = time;
        }
    }
    /// Books [start, start + duration) as busy; a gap before it goes to `cause`. Starts never go
    /// back.
    void work(Tick start, Tick duration, int cause) {
        charge(start, cause);
        busy += duration;
        until += duration;
    }
};

/// The charged causes of an account, longest first.
[[nodiscard]] std::vector<CausedTime> itemize(const Account& account, const CauseTable& causes);

}  // namespace warpline
