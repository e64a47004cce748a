// Remembers how an SM behaves, so that problems which differ in shape or clock only share it.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/device/steady_step.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace warpline {

/// The schedules of one machine: one lowered kernel on one memory with one set of engine options.
/// Safe to use from several threads; what it answers never depends on what it was asked before.
class MachineMemo {
  public:
    using Engine = std::function<Result<Schedule>(const TileClass& tile, std::int64_t count)>;

    /// What `engine` would answer for `count` equal tiles. A long tile is not simulated: once the
    /// engine has found the loop's period, a tile `n` periods longer takes and does exactly `n`
    /// times what one period adds, so the answer comes from the shortest such tile. Of an answer
    /// found that way, what each warp and unit waited for is that of the short tile.
    [[nodiscard]] Result<Schedule> run(const TileClass& tile, std::int64_t count,
                                       const Engine& engine);

    /// What `measure` answers for tiles like this one, see measure_steady_step().
    [[nodiscard]] Result<SteadyStep> steady_step(
        const TileClass& like, const std::function<Result<SteadyStep>()>& measure);

    [[nodiscard]] std::int64_t engine_runs() const;

  private:
    using RunKey = std::array<std::int64_t, 4>;  // blocks, masked_first, masked_last, count
    using Runs = std::map<RunKey, std::shared_ptr<const Result<Schedule>>>;

    [[nodiscard]] std::shared_ptr<const Result<Schedule>> simulated(const TileClass& tile,
                                                                    std::int64_t count,
                                                                    const Engine& engine);

    mutable std::mutex mutex_;
    Runs runs_;
    std::map<std::array<std::int64_t, 3>, std::shared_ptr<const Result<SteadyStep>>> steps_;
    std::int64_t engine_runs_ = 0;
};

/// Memos by machine. Safe to use from several threads.
class ScheduleMemo {
  public:
    /// Holds at most `machines` machines; when there are more it begins anew.
    explicit ScheduleMemo(std::size_t machines = 1024) : machines_(machines) {}

    [[nodiscard]] std::shared_ptr<MachineMemo> of(const KernelPlan& plan,
                                                  const MemoryEnvironment& memory,
                                                  const EngineOptions& options);

  private:
    std::size_t machines_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<MachineMemo>> memos_;
};

}  // namespace warpline
