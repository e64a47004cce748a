#include "warpline/device/schedule_memo.hpp"

#include "warpline/device/machine_content.hpp"

#include <utility>

namespace warpline {
namespace {

constexpr std::int64_t short_tile = 128;    // blocks: past the fill of any shipped pipeline
constexpr std::int64_t longest_period = 8;  // blocks: beyond it, lengths hardly share anything
// Of one machine; beyond, memory is begun anew.
constexpr std::size_t most_runs = 1024, most_steps = 64;
constexpr std::size_t most_machines = 64;  // of one kernel

/// What is known of `key` from then on, and never more than `most` entries.
template <typename Map>
[[nodiscard]] typename Map::mapped_type keep(Map& known, std::size_t most,
                                             const typename Map::key_type& key,
                                             typename Map::mapped_type fresh) {
    if (known.size() >= most) {
        known.clear();
    }
    return known.emplace(key, std::move(fresh)).first->second;
}

/// Without who waited for what, which is most of it.
[[nodiscard]] Result<Schedule> without_waits(Result<Schedule> schedule) {
    if (schedule) {
        schedule->roles = {};
        for (UnitUsage& unit : schedule->units) {
            unit.idle = {};
        }
        schedule->units.shrink_to_fit();
    }
    return schedule;
}

/// The schedule of a tile `n` periods longer than that of `at`, when `next` is one period longer.
[[nodiscard]] Schedule continued(const Schedule& at, const Schedule& next, std::int64_t n) {
    const auto line = [n](std::int64_t a, std::int64_t b) { return a + n * (b - a); };
    Schedule out = at;
    out.makespan = line(at.makespan, next.makespan);
    for (std::size_t i = 0; i < out.tile_ends.size(); ++i) {
        out.tile_ends[i] = line(at.tile_ends[i], next.tile_ends[i]);
    }
    for (std::size_t i = 0; i < out.units.size(); ++i) {
        out.units[i].busy = line(at.units[i].busy, next.units[i].busy);
    }
    TileRepeat& repeat = out.repeat;
    repeat.period = line(at.repeat.period, next.repeat.period);
    for (std::size_t i = 0; i < repeat.busy.size(); ++i) {
        repeat.busy[i] = line(at.repeat.busy[i], next.repeat.busy[i]);
    }
    repeat.bytes_read = line(at.repeat.bytes_read, next.repeat.bytes_read);
    repeat.bytes_written = line(at.repeat.bytes_written, next.repeat.bytes_written);
    repeat.flops = line(at.repeat.flops, next.repeat.flops);
    out.bytes_read = line(at.bytes_read, next.bytes_read);
    out.bytes_written = line(at.bytes_written, next.bytes_written);
    out.flops = line(at.flops, next.flops);
    return out;
}

/// Whether the two differ by whole periods of one steady state.
[[nodiscard]] bool one_period_apart(const Schedule& at, const Schedule& next, std::int64_t count) {
    return at.steady.found && next.steady.found && at.steady.period == next.steady.period &&
           at.steady.blocks == next.steady.blocks && at.repeat.found == next.repeat.found &&
           at.repeat.busy.size() == next.repeat.busy.size() &&
           at.tile_ends.size() == next.tile_ends.size() && at.units.size() == next.units.size() &&
           next.makespan - at.makespan == count * at.steady.period;
}

}  // namespace

std::shared_ptr<const Result<Schedule>> MachineMemo::simulated(const TileClass& tile,
                                                               std::int64_t count,
                                                               const Engine& engine) {
    const RunKey key{tile.blocks, tile.masked_first, tile.masked_last, count};
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (const auto known = runs_.find(key); known != runs_.end()) {
            return known->second;
        }
        ++engine_runs_;
    }
    // Not under the lock: two threads may both simulate it, and find the same.
    auto fresh = std::make_shared<const Result<Schedule>>(without_waits(engine(tile, count)));
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto before = static_cast<std::int64_t>(runs_.size());
    const auto kept = keep(runs_, most_runs, key, std::move(fresh));
    *held_ += static_cast<std::int64_t>(runs_.size()) - before;
    return kept;
}

Result<Schedule> MachineMemo::run(const TileClass& tile, std::int64_t count, const Engine& engine) {
    const std::int64_t least = short_tile + tile.masked_first + tile.masked_last;
    const auto simulate_all = [&] { return *simulated(tile, count, engine); };
    if (tile.blocks < least + 2) {
        return simulate_all();
    }
    TileClass shorter = tile;
    shorter.blocks = least;
    const auto first = simulated(shorter, count, engine);
    if (!*first || !(*first)->steady.found || (*first)->steady.blocks <= 0 ||
        (*first)->steady.blocks > longest_period) {
        return simulate_all();
    }
    const std::int64_t period = (*first)->steady.blocks;
    shorter.blocks += (tile.blocks - least) % period;
    TileClass longer = shorter;
    longer.blocks += period;
    if (longer.blocks >= tile.blocks) {
        return simulate_all();
    }
    const auto at = simulated(shorter, count, engine);
    const auto next = simulated(longer, count, engine);
    if (!*at || !*next || !one_period_apart(**at, **next, count)) {
        return simulate_all();
    }
    return continued(**at, **next, (tile.blocks - shorter.blocks) / period);
}

Result<SteadyStep> MachineMemo::steady_step(const TileClass& like,
                                            const std::function<Result<SteadyStep>()>& measure) {
    const std::array<std::int64_t, 3> key{like.blocks, like.masked_first, like.masked_last};
    const auto known = [&]() -> std::shared_ptr<const Result<SteadyStep>> {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto entry = steps_.find(key);
        return entry == steps_.end() ? nullptr : entry->second;
    }();
    if (known) {
        return *known;  // copied outside the lock
    }
    auto fresh = std::make_shared<const Result<SteadyStep>>(measure());
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        fresh = keep(steps_, most_steps, key, std::move(fresh));
    }
    return *fresh;
}

std::int64_t MachineMemo::engine_runs() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return engine_runs_;
}

std::shared_ptr<MachineMemo> KernelMemo::in(const MemoryEnvironment& memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Named by place, so that a new field does not compile before it has a part in the key.
    const auto& [latency, miss_latency, bytes_per_clk] = memory;
    const Key key{latency, miss_latency, bytes_per_clk};
    if (const auto known = machines_.find(key); known != machines_.end()) {
        return known->second;
    }
    return keep(machines_, most_machines, key, std::make_shared<MachineMemo>(held_));
}

std::shared_ptr<KernelMemo> ScheduleMemo::of(const KernelPlan& plan, const EngineOptions& options) {
    std::string key = machine_content(plan, options);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = kernels_.find(key);
        known != kernels_.end() && *held_ <= most_schedules_) {
        return known->second;
    }
    if (kernels_.size() >= most_kernels_ || *held_ > most_schedules_) {
        kernels_.clear();
    }
    return kernels_.emplace(std::move(key), std::make_shared<KernelMemo>(held_)).first->second;
}

}  // namespace warpline
