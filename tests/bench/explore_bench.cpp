// Predictions per second: one after the other, and spread over threads.
#include "warpline/explore/predictor.hpp"

#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace warpline;

Point causal_point(std::int64_t seqlen) {
    Point point;
    point.kernel = "fa4_fwd";
    point.gpu = "b200";
    point.problem.batch = 1;
    point.problem.heads_q = point.problem.heads_kv = 16;
    point.problem.seqlen_q = point.problem.seqlen_kv = seqlen;
    point.problem.mask.kind = MaskKind::causal;
    return point;
}

/// Nothing remembered: files are read and every schedule is simulated. Argument: tokens.
void cold_prediction(benchmark::State& state) {
    for (auto unused : state) {
        const Predictor predictor(WARPLINE_SOURCE_DIR);
        benchmark::DoNotOptimize(predictor.predict(causal_point(state.range(0))));
    }
    state.SetItemsProcessed(state.iterations());
}

/// Schedules of the SM remembered; shapes come again. Argument: tokens.
void remembered_shape(benchmark::State& state) {
    const Predictor predictor(WARPLINE_SOURCE_DIR);
    std::int64_t extra = 0;
    for (auto unused : state) {
        extra = (extra + 128) % 1024;
        benchmark::DoNotOptimize(predictor.predict(causal_point(state.range(0) + extra)));
    }
    state.SetItemsProcessed(state.iterations());
}

/// Schedules of the SM remembered; more lengths than a predictor remembers shapes, so that every
/// prediction is of one that it does not know. Argument: tokens.
void remembered_schedules(benchmark::State& state) {
    const Predictor predictor(WARPLINE_SOURCE_DIR);
    std::int64_t extra = 0;
    for (std::int64_t blocks = 0; blocks < 8; ++blocks) {
        benchmark::DoNotOptimize(predictor.predict(causal_point(state.range(0) + 128 * blocks)));
        benchmark::DoNotOptimize(
            predictor.predict(causal_point(state.range(0) + 128 * blocks + 1)));
    }
    for (auto unused : state) {
        extra = (extra + 1) % 1024;
        benchmark::DoNotOptimize(predictor.predict(causal_point(state.range(0) + extra)));
    }
    state.SetItemsProcessed(state.iterations());
}

/// A sweep over lengths and designs, nothing remembered before. Argument: threads.
void sweep(benchmark::State& state) {
    std::vector<Point> points;
    for (std::int64_t emulated = 0; emulated < 64; emulated += 4) {
        for (const std::int64_t seqlen : {1024, 2048, 4096, 8192, 16384, 32768}) {
            points.push_back(causal_point(seqlen));
            add_change(points.back().changes, "emulated", std::to_string(emulated));
        }
    }
    for (auto unused : state) {
        const Predictor predictor(WARPLINE_SOURCE_DIR);
        benchmark::DoNotOptimize(predictor.predict_all(points, static_cast<int>(state.range(0))));
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(points.size()));
}

}  // namespace

BENCHMARK(cold_prediction)
    ->ArgName("tokens")
    ->Arg(1 << 10)
    ->Arg(1 << 15)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(remembered_shape)
    ->ArgName("tokens")
    ->Arg(1 << 10)
    ->Arg(1 << 15)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(remembered_schedules)
    ->ArgName("tokens")
    ->Arg(1 << 10)
    ->Arg(1 << 15)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(sweep)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
