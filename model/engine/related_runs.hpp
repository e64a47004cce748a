// Many runs of one plan on equal tiles, of which each begins where it departs from an earlier one.
#pragma once

#include "warpline/engine/engine.hpp"

#include <cstdint>
#include <memory>

namespace warpline {

/// Runs that differ only in their numbers of blocks and tiles go the same way until the first of
/// their loops ends, so a later one goes on from a copy of an earlier one. Every schedule is, bit
/// for bit, what Engine::run() gives. For one thread.
class RelatedRuns {
  public:
    /// The plan must outlive this.
    RelatedRuns(const KernelPlan& plan, EngineOptions options);
    ~RelatedRuns();
    RelatedRuns(const RelatedRuns&) = delete;
    RelatedRuns& operator=(const RelatedRuns&) = delete;
    RelatedRuns(RelatedRuns&&) noexcept;
    RelatedRuns& operator=(RelatedRuns&&) noexcept;

    /// `count` tiles, one after the other, on every resident cluster. Errors: as Engine::run().
    [[nodiscard]] Result<Schedule> run(const TileClass& tile, std::int64_t count,
                                       const MemoryEnvironment& memory);

    /// Events that all runs handled themselves: less than the sum over their schedules.
    [[nodiscard]] std::int64_t events_handled() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpline
