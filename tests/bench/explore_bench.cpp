// Predictions per second of processor time: cold and known ones, and how threads scale. All are set
// in proportion to one of them, so that a run on a busy machine still says something.
#include "processor_time.hpp"
#include "warpline/explore/parallel.hpp"
#include "warpline/explore/predictor.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace warpline;

/// One CTA with a causal mask, a CTA pair in a persistent kernel without.
Point point_of(std::int64_t seqlen, MaskKind mask = MaskKind::causal) {
    Point point;
    point.kernel = "fa4_fwd";
    point.gpu = "b200";
    point.problem.batch = 1;
    point.problem.heads_q = point.problem.heads_kv = 16;
    point.problem.seqlen_q = point.problem.seqlen_kv = seqlen;
    point.problem.mask.kind = mask;
    return point;
}

MaskKind mask_of(std::int64_t argument) {
    return argument != 0 ? MaskKind::causal : MaskKind::full;
}

void predict(const Predictor& predictor, const Point& point) {
    benchmark::DoNotOptimize(predictor.predict(point));
}

/// Lengths of which each leads to schedules of its own, and those in between.
void learn_schedules(const Predictor& predictor, std::int64_t seqlen) {
    for (std::int64_t blocks = 0; blocks < 8; ++blocks) {
        predict(predictor, point_of(seqlen + 128 * blocks));
        predict(predictor, point_of(seqlen + 128 * blocks + 1));
    }
}

/// Of the prediction that the others are compared with: a known shape at 32,768 tokens.
double reference_seconds() {
    static const double seconds = [] {
        constexpr int predictions = 2000;
        const Predictor predictor(WARPLINE_SOURCE_DIR);
        predict(predictor, point_of(1 << 15));
        const double begin = processor_seconds();
        for (int i = 0; i < predictions; ++i) {
            predict(predictor, point_of(1 << 15));
        }
        return (processor_seconds() - begin) / predictions;
    }();
    return seconds;
}

void report(benchmark::State& state, double seconds) {
    const auto predictions = static_cast<double>(state.iterations());
    state.counters["per_second"] = predictions / seconds;
    state.counters["of_known_32k"] = seconds / predictions / reference_seconds();
}

/// Nothing remembered: files are read and every schedule is simulated. Arguments: tokens, causal.
void cold_prediction(benchmark::State& state) {
    double seconds = 0.0;
    for (auto unused : state) {
        const double begin = processor_seconds();
        const Predictor predictor(WARPLINE_SOURCE_DIR);
        predict(predictor, point_of(state.range(0), mask_of(state.range(1))));
        seconds += processor_seconds() - begin;
    }
    report(state, seconds);
}

/// A design that was never asked for: it is lowered and every schedule is simulated, from files
/// that were read before. Arguments: tokens, causal.
void cold_design(benchmark::State& state) {
    constexpr std::int64_t designs = 64;
    std::unique_ptr<Predictor> predictor;
    double seconds = 0.0;
    std::int64_t design = 0;
    for (auto unused : state) {
        if (design % designs == 0) {
            state.PauseTiming();
            predictor = std::make_unique<Predictor>(WARPLINE_SOURCE_DIR);
            benchmark::DoNotOptimize(predictor->spec("b200"));
            benchmark::DoNotOptimize(predictor->source("fa4_fwd"));
            state.ResumeTiming();
        }
        Point point = point_of(state.range(0), mask_of(state.range(1)));
        add_change(point.changes, "emulated", std::to_string(design++ % designs));
        const double begin = processor_seconds();
        predict(*predictor, point);
        seconds += processor_seconds() - begin;
    }
    report(state, seconds);
}

/// Schedules of the SM remembered; shapes come again. Arguments: tokens, causal.
void known_shape(benchmark::State& state) {
    const Predictor predictor(WARPLINE_SOURCE_DIR);
    const MaskKind mask = mask_of(state.range(1));
    for (std::int64_t extra = 0; extra < 1024; extra += 128) {
        predict(predictor, point_of(state.range(0) + extra, mask));
    }
    const double begin = processor_seconds();
    std::int64_t extra = 0;
    for (auto unused : state) {
        extra = (extra + 128) % 1024;
        predict(predictor, point_of(state.range(0) + extra, mask));
    }
    report(state, processor_seconds() - begin);
}

/// The same where dealing tiles to the SMs costs most: where their times are interpolated, and
/// under a sliding window with packed GQA. Arguments: which, tokens.
void known_dealing(benchmark::State& state) {
    Point point = point_of(state.range(1));
    if (state.range(0) == 0) {
        point.kernel = "fa4_bwd";
        point.problem.direction = Direction::backward;
    } else if (state.range(0) == 1) {
        point.kernel = "triton_fwd";
    } else {
        point.problem.heads_kv = 2;
        point.problem.mask = {MaskKind::sliding_window, 1024};
    }
    const Predictor predictor(WARPLINE_SOURCE_DIR);
    predict(predictor, point);
    const double begin = processor_seconds();
    for (auto unused : state) {
        predict(predictor, point);
    }
    report(state, processor_seconds() - begin);
}

/// Schedules of the SM remembered; more lengths than a predictor remembers shapes, so that every
/// prediction is of one that it does not know. Argument: tokens.
void known_schedules(benchmark::State& state) {
    const Predictor predictor(WARPLINE_SOURCE_DIR);
    learn_schedules(predictor, state.range(0));
    const double begin = processor_seconds();
    std::int64_t extra = 0;
    for (auto unused : state) {
        extra = (extra + 1) % 1024;
        predict(predictor, point_of(state.range(0) + extra));
    }
    report(state, processor_seconds() - begin);
}

struct Elapsed {
    double real = 0.0, processor = 0.0;
};

/// Keeps nothing of a prediction but its time, as a sweep does, or all of it.
Elapsed predict_all(const Predictor& predictor, const std::vector<Point>& points, int threads,
                    bool keep) {
    const double processor = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    if (keep) {
        benchmark::DoNotOptimize(predictor.predict_all(points, threads));
    } else {
        for_each_index(static_cast<std::int64_t>(points.size()), threads, [&](std::int64_t i) {
            benchmark::DoNotOptimize(
                predictor.predict(points[static_cast<std::size_t>(i)])->seconds);
        });
    }
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
            processor_seconds() - processor};
}

/// Arithmetic that touches no memory, twice in all: the seconds that `threads` threads take.
double arithmetic_seconds(int threads) {
    const auto work = [](int times) {
        std::uint64_t value = 1;
        for (std::int64_t i = 0; i < times * std::int64_t{50'000'000}; ++i) {
            value = value * 6364136223846793005U + 1442695040888963407U;
        }
        benchmark::DoNotOptimize(value);
    };
    const auto begin = std::chrono::steady_clock::now();
    std::thread other([&] { work(threads == 2 ? 1 : 0); });
    work(threads == 2 ? 1 : 2);
    other.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A sweep by one thread and by two, in turn. Arguments: 1 with nothing remembered before, over
/// lengths and designs, 0 with every shape known; 1 where predictions are kept as a whole.
void two_threads(benchmark::State& state) {
    const bool cold = state.range(0) != 0;
    const bool keep = state.range(1) != 0;
    std::vector<Point> points;
    for (std::int64_t emulated = 0; emulated < 64; emulated += 4) {
        for (const std::int64_t seqlen : {1024, 2048, 4096, 8192, 16384, 32768}) {
            points.push_back(point_of(seqlen));
            add_change(points.back().changes, "emulated", std::to_string(emulated));
        }
    }
    const Predictor known(WARPLINE_SOURCE_DIR);
    if (!cold) {
        benchmark::DoNotOptimize(known.predict_all(points, 1));
        const std::vector<Point> once = points;
        for (int i = 1; i < 8; ++i) {
            points.insert(points.end(), once.begin(), once.end());
        }
    }
    Elapsed one, two;
    double alone = 0.0, together = 0.0;
    for (auto unused : state) {
        alone += arithmetic_seconds(1);
        together += arithmetic_seconds(2);
        for (const int threads : {1, 2}) {
            const Predictor fresh(WARPLINE_SOURCE_DIR);
            const Elapsed took = predict_all(cold ? fresh : known, points, threads, keep);
            Elapsed& sum = threads == 1 ? one : two;
            sum.real += took.real;
            sum.processor += took.processor;
        }
    }
    state.counters["faster"] = one.real / two.real;
    state.counters["machine"] = alone / together;  // what two threads without memory gain
    state.counters["processor_time"] = two.processor / one.processor;
}

}  // namespace

BENCHMARK(cold_prediction)
    ->ArgNames({"tokens", "causal"})
    ->Args({1 << 10, 1})
    ->Args({1 << 15, 1})
    ->Args({1 << 20, 1})
    ->Args({1 << 13, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(cold_design)
    ->ArgNames({"tokens", "causal"})
    ->Args({1 << 13, 1})
    ->Args({1 << 13, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(known_shape)
    ->ArgNames({"tokens", "causal"})
    ->ArgsProduct({{1 << 10, 1 << 15, 1 << 20, 1 << 24}, {1, 0}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(known_dealing)
    ->ArgNames({"bwd_triton_window", "tokens"})
    ->ArgsProduct({{0, 1, 2}, {1 << 20, 1 << 24}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(known_schedules)
    ->ArgName("tokens")
    ->Arg(1 << 10)
    ->Arg(1 << 15)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(two_threads)
    ->ArgNames({"cold", "keep"})
    ->Args({1, 0})
    ->Args({0, 0})
    ->Args({0, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
