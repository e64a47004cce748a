// What a schedule costs, beside a bare binary heap that pushes and pops as many events.
#include "processor_time.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace warpline;

struct Subject {
    GpuSpec spec;
    KernelPlan plan;
};

const Subject& fa4_on_b200() {
    static const Subject subject = [] {
        Subject made;
        made.spec = load_gpu_spec(WARPLINE_SOURCE_DIR, "b200").value();
        AttentionProblem problem;
        problem.seqlen_q = problem.seqlen_kv = 8192;
        problem.mask.kind = MaskKind::causal;
        made.plan = load_plan(WARPLINE_SOURCE_DIR, "fa4_fwd", made.spec, problem).value();
        return made;
    }();
    return subject;
}

/// Seconds for `events` pushes and pops of a heap that holds as many as a run of the engine does.
double bare_heap_seconds(std::int64_t events) {
    constexpr std::int64_t pending = 32;
    using Entry = std::pair<std::int64_t, std::int64_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    std::uint64_t random = 88172645463325252U;
    const auto next = [&random] {
        random ^= random << 13U;
        random ^= random >> 7U;
        random ^= random << 17U;
        return static_cast<std::int64_t>(random % 1024);
    };
    const double begin = processor_seconds();
    for (std::int64_t i = 0; i < pending; ++i) {
        heap.push({next(), i});
    }
    for (std::int64_t i = 0; i < events; ++i) {
        const std::int64_t now = heap.top().first;
        heap.pop();
        heap.push({now + next(), i});
    }
    benchmark::DoNotOptimize(heap.top());
    return processor_seconds() - begin;
}

/// Argument 0: KV tokens of one CTA's tile; 1: granularity.
void one_cta(benchmark::State& state) {
    const Subject& subject = fa4_on_b200();
    const MemoryEnvironment memory = idle_memory(subject.spec);
    EngineOptions options;
    options.granularity = static_cast<int>(state.range(1));
    const std::vector<TileRun> tiles{{{state.range(0) / 128, 2, 0}, 1}};
    std::int64_t events = 0;
    double engine = 0.0, heap = 0.0;
    while (state.KeepRunning()) {
        const double begin = processor_seconds();
        const Result<Schedule> schedule = simulate(subject.plan, tiles, memory, options);
        engine += processor_seconds() - begin;
        events = schedule->events_processed;
        state.PauseTiming();
        heap += bare_heap_seconds(events);
        state.ResumeTiming();
    }
    const auto total = static_cast<double>(events) * static_cast<double>(state.iterations());
    state.counters["events"] = static_cast<double>(events);
    state.counters["ns_per_event"] = 1e9 * engine / total;
    state.counters["heap_ns_per_event"] = 1e9 * heap / total;
    state.counters["ratio"] = engine / heap;
}

}  // namespace

BENCHMARK(one_cta)
    ->ArgNames({"tokens", "granularity"})
    ->Args({8192, 1})
    ->Args({65536, 1})
    ->Args({1 << 20, 1})
    ->Args({8192, 8})
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
