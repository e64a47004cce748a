#include "warpline/device/instruction_fetch.hpp"

#include "warpline/pipeline/code_size.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpline {
namespace {

struct Passed {
    double bytes = 0.0;  ///< by all tiles
    double most = 0.0;   ///< by one
};

void add(const TileSection& section, std::int64_t groups, const CodeSize& code, Passed& sum) {
    for (const TileRun& run : section.runs) {
        TileClass tile = run.tile;
        if (section.step < 0) {  // in launch order the longest come first: count from the shortest
            tile.blocks += (section.repeats - 1) * section.step;
        }
        const std::int64_t step = std::abs(section.step);
        std::int64_t left = section.repeats;
        while (left > 0) {
            const std::int64_t bytes = code.passed_in(tile);
            // A tile with more blocks passes through the same code once all versions are in use.
            TileClass longer = tile;
            longer.blocks += step;
            const bool settled = code.passed_in(longer) == bytes;
            const std::int64_t alike = settled ? left : 1;
            sum.bytes += static_cast<double>(bytes) * static_cast<double>(run.count) *
                         static_cast<double>(groups) * static_cast<double>(alike);
            sum.most = std::max(sum.most, static_cast<double>(bytes));
            left -= alike;
            tile = longer;
        }
    }
}

constexpr int rounds = 40;  // each halves the distance to the answer

/// Time at the cache of one of `askers` that compute for `cycles` between two visits.
[[nodiscard]] double wait_for_code(double cycles, const InstructionFetch& fetch) {
    const auto askers = static_cast<int>(std::max(1.0, std::round(fetch.askers)));
    const double service = fetch.cycles / askers;
    double there = 0.0;  // others, on average, when one comes
    double response = 0.0;
    for (int n = 1; n <= askers; ++n) {
        response = service * (1.0 + there);
        there = n * response / (cycles + response);
    }
    return response;
}

}  // namespace

double code_miss_share(double code_bytes, double cache_bytes) {
    if (code_bytes <= cache_bytes) {
        return 0.0;
    }
    // Between two uses of a line as many others come in as miss, each in a random line's place.
    // Newton's steps on m - 1 + exp(-m x), convex, from the far side of its positive root.
    const double x = code_bytes / cache_bytes;
    double m = 1.0;
    for (int i = 0; i < 50; ++i) {
        const double kept = std::exp(-m * x);
        m -= (m - 1.0 + kept) / (1.0 - x * kept);
    }
    return m;
}

InstructionFetch fetch_instructions(const GpuSpec& spec, const KernelPlan& plan,
                                    const std::vector<HeadTiles>& tiles) {
    const MemorySystem& memory = spec.memory;
    if (memory.instruction_cache_bytes == 0 || memory.instruction_bytes_per_clk <= 0.0 ||
        memory.instruction_sharers <= 0.0) {
        return {};
    }
    const CodeSize code = code_size(plan);
    Passed passed;
    for (const HeadTiles& head : tiles) {
        for (const TileSection& section : head.sections) {
            add(section, head.groups, code, passed);
        }
    }
    InstructionFetch out;
    out.code_bytes = passed.most;
    out.miss_share =
        code_miss_share(passed.most, static_cast<double>(memory.instruction_cache_bytes));
    const double caches = static_cast<double>(spec.sm_count) / memory.instruction_sharers;
    out.cycles = out.miss_share * passed.bytes * static_cast<double>(plan.cluster) /
                 (memory.instruction_bytes_per_clk * caches);
    out.residents = plan.ctas_per_sm;
    out.askers = memory.instruction_sharers * static_cast<double>(out.residents);
    return out;
}

double with_fetches(double cycles, const InstructionFetch& fetch) {
    if (cycles <= 0.0 || fetch.cycles <= 0.0) {
        return cycles;
    }
    const double alone = cycles / fetch.residents;
    double computing = cycles;
    double total = cycles;
    for (int i = 0; i < rounds; ++i) {
        const double waiting = wait_for_code(computing, fetch);
        total = computing + waiting;
        // What the others of the SM leave: they fetch for the same share of the time.
        const double others = (fetch.residents - 1) * computing / total;
        computing = 0.5 * (computing + alone * (1.0 + others));
    }
    return std::max(total, fetch.cycles);
}

}  // namespace warpline
