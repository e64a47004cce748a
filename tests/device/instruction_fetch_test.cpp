// Code that does not fit: what of it is fetched again, and what sharing the way to it costs.
#include "warpline/device/instruction_fetch.hpp"

#include "engine/program_writer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

namespace warpline::test {

namespace {

/// A kernel of 4000 instructions a tile, and a GPU of 33 SMs in two groups.
struct Kernel {
    PlanWriter writer;
    GpuSpec spec;

    Kernel() {
        const int fma = writer.instruction("fma", Unit::fma, cycles(1), 0);
        writer.role("worker", 0, 4, ProgramWriter().issue(fma, 4000));
        spec.sm_count = 33;
        spec.memory.instruction_cache_bytes = 32000;
        spec.memory.instruction_bytes_per_clk = 64.0;
        spec.memory.instruction_sharers = 16.5;
    }
    [[nodiscard]] InstructionFetch fetch(std::int64_t tiles) {
        const HeadTiles head{{TileSection{{TileRun{{4, 0, 0}, tiles}}, 1, 0}}, 1};
        return fetch_instructions(spec, writer.plan(), {head});
    }
};

/// Customers one by one through the server, each with its own clock: what the analysis is exact for
/// on average when service times are exponential; equal ones wait a little less.
double simulated_round(double think, double service, int customers) {
    std::vector<double> back(static_cast<std::size_t>(customers));
    for (std::size_t i = 0; i < back.size(); ++i) {
        back[i] = think * static_cast<double>(i) / customers;
    }
    double free = 0.0;
    double served = 0.0;
    constexpr int rounds = 200;
    for (int i = 0; i < rounds * customers; ++i) {
        double& next = *std::min_element(back.begin(), back.end());
        free = std::max(free, next) + service;
        next = free + think;
        served = free;
    }
    return served / rounds;
}

}  // namespace

TEST_CASE("code that fits is never fetched again, and more code misses more of itself") {
    CHECK(code_miss_share(100, 100) == 0.0);
    CHECK(code_miss_share(99, 100) == 0.0);
    double before = 0.0;
    for (const double code : {101.0, 110.0, 150.0, 200.0, 400.0, 1e6}) {
        const double share = code_miss_share(code, 100);
        CHECK(share > before);
        CHECK(share <= 1.0);
        CHECK(share == doctest::Approx(1.0 - std::exp(-share * code / 100)).epsilon(1e-6));
        before = share;
    }
}

TEST_CASE("each tile of each CTA fetches what misses, through its group's share of the caches") {
    Kernel kernel;
    const InstructionFetch fetch = kernel.fetch(330);
    CHECK(fetch.code_bytes == 64000.0);
    CHECK(fetch.miss_share == code_miss_share(64000, 32000));
    CHECK(fetch.cycles == doctest::Approx(330 * 64000 * fetch.miss_share / (64.0 * 2)));
    CHECK(fetch.askers == 16.5);
    kernel.writer.plan().ctas_per_sm = 2;
    CHECK(kernel.fetch(330).askers == 33.0);
}

TEST_CASE("tiles that are launched longest first fetch what the same ones shortest first do") {
    Kernel kernel;
    PlanWriter& writer = kernel.writer;
    const int fma = writer.instruction("fma", Unit::fma, cycles(1), 0);
    writer.role("looping", 4, 4, ProgramWriter().tiles().blocks().issue(fma, 100).end().end());
    const HeadTiles shortest{{TileSection{{TileRun{{1, 0, 0}, 1}}, 8, 1}}, 1};
    const HeadTiles longest{{TileSection{{TileRun{{8, 0, 0}, 1}}, 8, -1}}, 1};
    const auto cycles_of = [&](const HeadTiles& head) {
        return fetch_instructions(kernel.spec, writer.plan(), {head}).cycles;
    };
    CHECK(cycles_of(shortest) > 0.0);
    CHECK(cycles_of(longest) == doctest::Approx(cycles_of(shortest)));
}

TEST_CASE("nothing is fetched where the cache is not known, or holds all") {
    Kernel kernel;
    kernel.spec.memory.instruction_cache_bytes = 0;
    CHECK(kernel.fetch(330).cycles == 0.0);
    kernel.spec.memory.instruction_cache_bytes = 64000;
    CHECK(kernel.fetch(330).cycles == 0.0);
    CHECK(with_fetches(1000.0, kernel.fetch(330)) == 1000.0);
}

TEST_CASE("a lone CTA waits for its own code, many for the cache they share") {
    InstructionFetch fetch;
    fetch.cycles = 100.0;
    fetch.askers = 1.0;
    CHECK(with_fetches(1000.0, fetch) == doctest::Approx(1100.0));
    fetch.askers = 33.0;
    CHECK(with_fetches(1000.0, fetch) > 1000.0 + 100.0 / 33);
    CHECK(with_fetches(1000.0, fetch) < 1000.0 + 2 * 100.0 / 33);
    fetch.cycles = 100000.0;
    CHECK(with_fetches(1000.0, fetch) == doctest::Approx(100000.0).epsilon(0.001));
    CHECK(with_fetches(0.0, fetch) == 0.0);
}

TEST_CASE("a co-resident has the SM while a CTA waits for code") {
    InstructionFetch fetch;
    fetch.cycles = 200.0;
    fetch.askers = 2.0;
    const double apart = with_fetches(1000.0, fetch);
    fetch.residents = 2;
    const double together = with_fetches(1000.0, fetch);
    CHECK(together < apart);
    // Never faster than the SM's own work of both.
    CHECK(together > 1000.0);
    // T = D (1 + C / T) + W, with C = T - W computing of it.
    const double waiting = together * (together - 1000.0) / (together - 500.0);
    CHECK(waiting >= 100.0);
    CHECK(waiting <= 200.0);
}

TEST_CASE("the analysis stays near a simulation of the CTAs, at any load") {
    for (const double load : {0.3, 0.7, 0.9, 1.0, 1.2, 2.0}) {
        InstructionFetch fetch;
        fetch.cycles = 1000.0 * load;
        fetch.askers = 33.0;
        const double simulated = simulated_round(1000.0, fetch.cycles / 33, 33);
        CHECK(with_fetches(1000.0, fetch) >= 0.995 * simulated);
        CHECK(with_fetches(1000.0, fetch) <= 1.15 * simulated);
    }
}

}  // namespace warpline::test
