// What a whole prediction costs: cold, with every file read, parsed and lowered, as the first one
// of a process; cold from files that were parsed before; and warm, from a loaded plan.
#include "warpline/device/prediction.hpp"
#include "warpline/explore/data_files.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace warpline;

/// Argument 0: 1 with a causal mask, one CTA; 0 without, a CTA pair in a persistent kernel.
AttentionProblem problem_of(const benchmark::State& state) {
    AttentionProblem problem;
    problem.seqlen_q = problem.seqlen_kv = 8192;
    problem.batch = 4;
    problem.heads_q = problem.heads_kv = 16;
    problem.mask.kind = state.range(0) != 0 ? MaskKind::causal : MaskKind::full;
    return problem;
}

void report(benchmark::State& state) {
    state.counters["per_second"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void prediction_cold(benchmark::State& state) {
    const AttentionProblem problem = problem_of(state);
    while (state.KeepRunning()) {
        const GpuSpec spec = load_gpu_spec(WARPLINE_SOURCE_DIR, "b200").value();
        const KernelPlan plan = load_plan(WARPLINE_SOURCE_DIR, "fa4_fwd", spec, problem).value();
        benchmark::DoNotOptimize(predict(spec, plan, problem)->seconds);
    }
    report(state);
}

/// A design of which nothing is known but what its files hold: their bytes are read and compared,
/// the kernel is lowered, and every schedule is simulated.
void prediction_cold_parsed_files(benchmark::State& state) {
    const AttentionProblem problem = problem_of(state);
    DataFiles files(WARPLINE_SOURCE_DIR);
    while (state.KeepRunning()) {
        const GpuSpec spec = files.load_gpu_spec("b200").value();
        const KernelPlan plan = files.load_plan("fa4_fwd", spec, problem).value();
        benchmark::DoNotOptimize(predict(spec, plan, problem)->seconds);
    }
    report(state);
}

void prediction_warm(benchmark::State& state) {
    const AttentionProblem problem = problem_of(state);
    const GpuSpec spec = load_gpu_spec(WARPLINE_SOURCE_DIR, "b200").value();
    const KernelPlan plan = load_plan(WARPLINE_SOURCE_DIR, "fa4_fwd", spec, problem).value();
    while (state.KeepRunning()) {
        benchmark::DoNotOptimize(predict(spec, plan, problem)->seconds);
    }
    report(state);
}

}  // namespace

BENCHMARK(prediction_cold)->ArgName("causal")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(prediction_cold_parsed_files)
    ->ArgName("causal")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(prediction_warm)->ArgName("causal")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
