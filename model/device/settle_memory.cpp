#include "warpline/device/settle_memory.hpp"

#include <algorithm>
#include <cmath>

namespace warpline {
namespace {

/// Latencies this much apart are taken for the same: loads are issued ahead of their use.
constexpr double same_latency = 1.25;

/// Delays by what the whole GPU does are rounded to these, so that problems alike share their
/// schedules. An SM's own memory is exact.
constexpr Tick delay_step = ticks_from_cycles(16);
constexpr Tick wait_step = ticks_from_cycles(64);

/// A wait is settled when the use it leads to asks for one that differs by less than this share.
constexpr double same_wait = 0.1;
constexpr int most_rounds = 5;

[[nodiscard]] Tick to_step(double ticks, Tick step) {
    return static_cast<Tick>(std::llround(ticks / static_cast<double>(step))) * step;
}

[[nodiscard]] bool same(const MemoryEnvironment& a, const MemoryEnvironment& b) {
    return a.latency == b.latency && a.miss_latency == b.miss_latency;
}

/// The environment of tiles that find `share` of their streams in L2 and wait `wait` for HBM.
[[nodiscard]] MemoryEnvironment environment_of(const GpuSpec& spec, const TileBurst& burst,
                                               const MemoryShare& share, double wait) {
    MemoryEnvironment memory = idle_memory(spec);
    const double alone = (1.0 - burst.in_step) * wait;
    memory.miss_latency += to_step(static_cast<double>(burst.delay) + alone, delay_step);
    const double streamed =
        static_cast<double>(share.environment.latency) + share.miss_share * wait;
    if (streamed > same_latency * static_cast<double>(memory.latency)) {
        memory.latency += to_step(streamed - static_cast<double>(memory.latency), delay_step);
    }
    return memory;
}

/// Where the wait may lie: at `low` the use asks for a longer one, at `high` for a shorter one.
struct Bracket {
    double low = 0.0, above_low = 0.0;  ///< a wait, and how much longer a one its use asks for
    double high = 0.0, below_high = 0.0;
    bool has_high = false;

    void add(double wait, double asked) {
        if (asked >= wait) {
            low = wait;
            above_low = asked - wait;
        } else {
            high = wait;
            below_high = wait - asked;
            has_high = true;
        }
    }
    [[nodiscard]] double between() const {
        const double rise = above_low + below_high;
        return rise > 0.0 ? low + (high - low) * above_low / rise : low;
    }
};

[[nodiscard]] double wait_at(const GpuSpec& spec, const MemoryShare& share, double use) {
    const double written = share.hbm_bytes > 0.0 ? share.hbm_written / share.hbm_bytes : 0.0;
    return static_cast<double>(hbm_wait(spec, use, written));
}

/// The wait if each tile took just that much longer, all else as `used` found it.
[[nodiscard]] double first_guess(const GpuSpec& spec, const MemoryUse& used, double wait) {
    double low = wait;
    double high = wait_at(spec, used.share, used.hbm_use);
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        const double makespan = used.makespan + (middle - wait) * used.tiles_per_slot;
        const double use = used.hbm_use * used.makespan / std::max(1.0, makespan);
        (wait_at(spec, used.share, use) > middle ? low : high) = middle;
    }
    return low;
}

}  // namespace

Tick hbm_wait(const GpuSpec& spec, double use, double written) {
    const double share = std::clamp(use, 0.0, 1.0);
    const double writes = std::clamp(written, 0.0, 1.0);
    return std::llround(share * share *
                        ((1.0 - writes) * static_cast<double>(spec.memory.hbm_queue_reads) +
                         writes * static_cast<double>(spec.memory.hbm_queue_writes)));
}

Result<SettledMemory> settle_memory(const GpuSpec& spec, const TileBurst& burst,
                                    const PlaceTilesIn& place) {
    SettledMemory out;
    out.environment = idle_memory(spec);
    out.environment.miss_latency += to_step(static_cast<double>(burst.delay), delay_step);
    Result<MemoryUse> used = place(out.environment);
    Bracket bracket;
    double wait = 0.0;  // ticks
    for (int round = 0; used && round < most_rounds; ++round) {
        const double asked = wait_at(spec, used->share, used->hbm_use);
        bracket.add(wait, asked);
        if (std::abs(asked - wait) > std::max(static_cast<double>(wait_step), same_wait * wait)) {
            const double next =
                bracket.has_high ? bracket.between() : first_guess(spec, *used, wait);
            wait = static_cast<double>(to_step(next, wait_step));
        }
        out.wait = std::llround((1.0 - burst.in_step) * wait);
        const MemoryEnvironment memory = environment_of(spec, burst, used->share, wait);
        if (same(memory, out.environment)) {
            return out;
        }
        out.environment = memory;
        used = place(memory);
    }
    if (!used) {
        return tl::unexpected(used.error());
    }
    return out;
}

}  // namespace warpline
