// Remembers how an SM behaves, so that problems which differ in shape or clock only share it.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/device/steady_step.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace warpline {

/// The schedules of one machine: one lowered kernel on one memory with one set of engine options.
/// Safe to use from several threads; what it answers never depends on what it was asked before.
class MachineMemo {
  public:
    using Count = std::shared_ptr<std::atomic<std::int64_t>>;
    /// `held`: of schedules in memory, here and in other memos.
    explicit MachineMemo(Count held = std::make_shared<Count::element_type>(0))
        : held_(std::move(held)) {}
    ~MachineMemo() { *held_ -= static_cast<std::int64_t>(runs_.size()); }
    MachineMemo(const MachineMemo&) = delete;
    MachineMemo& operator=(const MachineMemo&) = delete;

    using Engine = std::function<Result<Schedule>(const TileClass& tile, std::int64_t count)>;

    /// What `engine` would answer for `count` equal tiles, without what warps and units waited for:
    /// no roles, and units that are not said to be idle. A long tile is not simulated: once the
    /// engine has found the loop's period, a tile `n` periods longer takes and does exactly `n`
    /// times what one period adds, so the answer comes from the shortest such tile.
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

    Count held_;
    mutable std::mutex mutex_;
    Runs runs_;
    std::map<std::array<std::int64_t, 3>, std::shared_ptr<const Result<SteadyStep>>> steps_;
    std::int64_t engine_runs_ = 0;
};

/// The machines that one lowered kernel makes with one set of engine options, by their memory.
/// Safe to use from several threads.
class KernelMemo {
  public:
    explicit KernelMemo(MachineMemo::Count held) : held_(std::move(held)) {}

    [[nodiscard]] std::shared_ptr<MachineMemo> in(const MemoryEnvironment& memory);

  private:
    using Key = std::tuple<Tick, Tick, double>;

    MachineMemo::Count held_;
    std::mutex mutex_;
    std::map<Key, std::shared_ptr<MachineMemo>> machines_;
};

/// Memos by kernel. Safe to use from several threads.
class ScheduleMemo {
  public:
    /// Holds at most so many kernels, and little more than so many schedules (of 1 to 3 KB each);
    /// when there are more it begins anew.
    explicit ScheduleMemo(std::size_t kernels = 1024, std::int64_t schedules = 16384)
        : most_kernels_(kernels), most_schedules_(schedules) {}

    [[nodiscard]] std::shared_ptr<KernelMemo> of(const KernelPlan& plan,
                                                 const EngineOptions& options);
    /// Schedules in memory.
    [[nodiscard]] std::int64_t held() const { return *held_; }

  private:
    std::size_t most_kernels_;
    std::int64_t most_schedules_;
    MachineMemo::Count held_ = std::make_shared<MachineMemo::Count::element_type>(0);
    std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<KernelMemo>> kernels_;
};

}  // namespace warpline
