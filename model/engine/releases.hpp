// Who let whom go on: a run with its events and the arrivals that ended its waits.
#pragma once

#include "warpline/engine/engine.hpp"

#include <utility>
#include <vector>

namespace warpline {

/// The arrival that completed the phase a warp was waiting for.
struct Release {
    int waiter = 0;    ///< index into Schedule::roles
    int wait = 0;      ///< operation of its program
    Tick resumed = 0;  ///< end of the wait's event
    int usage = 0;     ///< who arrived, index into Schedule::roles
    int op = 0;   ///< of its program: an arrive or a commit, or the asynchronous operation whose
                  ///< completion arrived
    Tick at = 0;  ///< when that was issued; the operation: when it was complete
};

/// An arrival: by whom, with what, when.
struct Arrival {
    int usage = -1;
    int op = -1;
    Tick at = 0;
};

/// A phase of a ring's barrier that was completed: a stage was filled, or freed.
struct StageFlip {
    int barrier = 0;  ///< index into KernelPlan::barriers
    int copy = 0;
    /// Of the ring. Where a run skipped periods, stages keep the numbers that they had before.
    int stage = 0;
    int cta = 0;  ///< of all resident clusters
    Tick at = 0;
    Arrival by;  ///< the last arrival of the phase, as in Release
};

/// Where a run skipped periods of a loop that repeats: what is recorded after `at` happened
/// `time` later than if it had not repeated.
struct SkippedTime {
    Tick at = 0;
    Tick time = 0;
};

struct Recording {
    Schedule schedule;               ///< with events
    std::vector<Release> releases;   ///< of waits for barriers that had to wait
    std::vector<SkippedTime> skips;  ///< in order of time
    std::vector<StageFlip> flips;    ///< in order of time
};

/// simulate() with everything recorded. Errors: the same.
[[nodiscard]] Result<Recording> record(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                                       const MemoryEnvironment& memory,
                                       const EngineOptions& options = {});

/// Kept during a run that is recorded.
class ReleaseLog {
  public:
    /// `by` will be counted at barrier instance `instance` at `due`.
    void sent(int instance, Tick due, const Arrival& by) { on_way_.push_back({instance, due, by}); }
    /// The one that is counted now. Equal ones land in the order in which they were sent.
    [[nodiscard]] Arrival landed(int instance, Tick now);
    void released(const Release& release) { releases.push_back(release); }
    /// Instance `instance` of a barrier completed a phase; `flip` has all but the stage.
    void flipped(int instance, int first_stage, StageFlip flip);
    void skipped(Tick at, Tick time) { skips.push_back({at, time}); }
    /// Moves what is on its way by `shift`, to the instances that `turned` gives.
    template <typename Turned>
    void move(Tick shift, int instances, Turned&& turned) {
        std::vector<int> shown(static_cast<std::size_t>(instances));
        for (int i = 0; i < instances; ++i) {
            shown[static_cast<std::size_t>(turned(i))] = shown_as(i);
        }
        shown_ = std::move(shown);
        for (OnWay& arrival : on_way_) {
            arrival.due += shift;
            arrival.by.at += shift;
            arrival.instance = turned(arrival.instance);
        }
    }

    std::vector<Release> releases;
    std::vector<SkippedTime> skips;
    std::vector<StageFlip> flips;

  private:
    [[nodiscard]] int shown_as(int instance) const {
        return shown_.empty() ? instance : shown_[static_cast<std::size_t>(instance)];
    }

    struct OnWay {
        int instance = 0;
        Tick due = 0;
        Arrival by;
    };
    std::vector<OnWay> on_way_;
    std::vector<int> shown_;  ///< by instance: the one whose number it keeps; empty: itself
};

}  // namespace warpline
