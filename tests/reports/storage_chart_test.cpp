#include "warpline/reports/storage_chart.hpp"

#include "parse_json.hpp"
#include "source_dir.hpp"
#include "trace_checker.hpp"
#include "warpline/device/record_schedule.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/reports/measured_lanes.hpp"
#include "warpline/reports/memory_json.hpp"
#include "warpline/reports/trace_json.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

struct Traced {
    KernelPlan plan;
    StoragePlan storage;
    Recording recording;
    SliceChart chart;
    StorageChart memory;
};

Traced traced(Iterations iterations) {
    const auto spec = load_gpu_spec(source_dir(), "b200");
    REQUIRE(spec);
    AttentionProblem problem;
    problem.seqlen_q = problem.seqlen_kv = 8192;
    const auto source = read_pipeline(source_dir(), "fa4_fwd");
    REQUIRE(source);
    auto plan = make_plan(*source, *spec, problem);
    REQUIRE(plan);
    auto storage = make_storage_plan(*source, *spec, problem);
    REQUIRE(storage);
    auto recording = record_tile(*spec, *plan, problem, {}, iterations);
    REQUIRE(recording);
    Traced all{std::move(*plan), std::move(*storage), std::move(*recording), {}, {}};
    all.chart = slice_chart(all.plan, all.recording);
    all.memory = storage_chart(all.plan, all.storage, all.recording, all.chart);
    return all;
}

int lane_named(const StorageChart& chart, const std::string& name) {
    const auto found = std::find_if(chart.lanes.begin(), chart.lanes.end(),
                                    [&](const StorageLane& lane) { return lane.name == name; });
    REQUIRE(found != chart.lanes.end());
    return static_cast<int>(found - chart.lanes.begin());
}

std::set<std::string> writers(const StorageChart& chart, const std::string& lane) {
    std::set<std::string> labels;
    for (const StorageSpan& span : chart.spans) {
        if (span.lane == lane_named(chart, lane) && span.kind == StorageSpan::Kind::written) {
            labels.insert(chart.labels[static_cast<std::size_t>(span.label)]);
        }
    }
    return labels;
}

std::int64_t most(const std::vector<StorageStep>& steps) {
    std::int64_t size = 0;
    for (const StorageStep& step : steps) {
        size = std::max(size, step.size);
    }
    return size;
}

std::int64_t used(const KernelPlan& plan, const std::string& name) {
    for (const Budget& budget : plan.budgets) {
        if (budget.name == name) {
            return budget.used;
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("which operations touch which buffers follows from the pipeline") {
    const Traced whole = traced(Iterations::all);
    CHECK(writers(whole.memory, "s 0") == std::set<std::string>{"QK0"});
    CHECK(writers(whole.memory, "s 1") == std::set<std::string>{"QK1"});
    CHECK(writers(whole.memory, "q 1") == std::set<std::string>{"load Q1"});
    CHECK(writers(whole.memory, "kv 0").count("load K") == 1);
    CHECK(writers(whole.memory, "o 0").count("PV0 a") == 1);
    CHECK(writers(whole.memory, "o 0").count("PV1 a") == 0);
    const auto p = static_cast<std::size_t>(lane_named(whole.memory, "p 0"));
    CHECK(whole.memory.lanes[p].root == lane_named(whole.memory, "s 0"));
}

TEST_CASE("memory over time stays within the budgets and the chart, folded or not") {
    const Traced folded = traced(Iterations::folded);
    const Traced whole = traced(Iterations::all);
    CHECK(folded.memory.spans.size() < whole.memory.spans.size());
    for (const Traced* const each : {&folded, &whole}) {
        for (const StorageSpan& span : each->memory.spans) {
            CHECK(span.start >= 0);
            CHECK(span.start < span.end);
            CHECK(span.end <= each->chart.end + ticks_from_cycles(500));
        }
        const auto smem = storage_in_use(each->memory, false);
        const auto tmem = storage_in_use(each->memory, true);
        CHECK(most(smem) <= used(each->plan, "SMEM"));
        CHECK(most(smem) > used(each->plan, "SMEM") / 2);
        CHECK(most(tmem) <= used(each->plan, "TMEM columns"));
        CHECK(most(tmem) > used(each->plan, "TMEM columns") / 2);
        CHECK(smem.back().size == 0);
        CHECK(tmem.back().size == 0);
        CHECK(std::is_sorted(smem.begin(), smem.end(),
                             [](const auto& a, const auto& b) { return a.at < b.at; }));
    }
    CHECK(most(storage_in_use(folded.memory, false)) == most(storage_in_use(whole.memory, false)));
}

TEST_CASE("a ring's stage is filled, held, freed, and then filled again") {
    for (const Iterations iterations : {Iterations::all, Iterations::folded}) {
        const Traced run = traced(iterations);
        std::size_t held = 0;
        for (int stage = 0;; ++stage) {
            const std::string name = "kv " + std::to_string(stage);
            const auto& lanes = run.memory.lanes;
            if (std::none_of(lanes.begin(), lanes.end(),
                             [&](const StorageLane& lane) { return lane.name == name; })) {
                CHECK(stage >= 2);
                break;
            }
            Tick before = 0;
            for (const StorageSpan& span : run.memory.spans) {
                if (span.lane == lane_named(run.memory, name)) {
                    CHECK(span.start >= before);
                    before = span.end;
                    held += span.kind == StorageSpan::Kind::held ? 1U : 0U;
                }
            }
        }
        // One K and one V tile for each of 64 steps; fewer where steps were left out.
        if (iterations == Iterations::all) {
            CHECK(held == 128);
        } else {
            CHECK(held > 8);
            CHECK(held < 128);
        }
    }
}

TEST_CASE("memory as data has every span of a view, and its labels escaped for the page later") {
    const Traced run = traced(Iterations::folded);
    const auto all = test::parse_json(memory_json(run.memory, {}, 1'000'000));
    CHECK(all["spans"].size() == run.memory.spans.size());
    CHECK(all["lanes"].size() == run.memory.lanes.size());
    const auto part =
        test::parse_json(memory_json(run.memory, {{"start", 0, ticks_from_cycles(5'000)}}, 10));
    CHECK(part["spans"].size() > 4);
    CHECK(part["spans"].size() < all["spans"].size());
}

TEST_CASE("a trace counts memory in use, and shows a measured timeline beside the simulated one") {
    const Traced run = traced(Iterations::folded);
    Timeline timeline;
    timeline.spans = {{"load", "K", 0, 0, 1000.0, 1010.0, 1100.0},
                      {"load", "V", 0, 0, 1020.0, 1030.0, 1090.0},
                      {"mma", "\"QK\n", 0, 0, 1100.0, std::nullopt, 1300.0},
                      {"mma", "unfinished", 0, 1, 1400.0, std::nullopt, std::nullopt}};
    const MeasuredLanes measured = measured_lanes(timeline);
    CHECK(measured.lanes ==
          std::vector<std::string>{"load", "load in flight 0", "load in flight 1", "mma"});
    REQUIRE(measured.slices.size() == 5);
    CHECK(measured.slices[0].begin == 0.0);
    CHECK(measured.slices[0].end == 10.0);
    CHECK(measured.slices[0].stamped == 1000.0);
    TraceOptions options;
    options.clock = ClockHz(1'600'000'000);
    options.memory = &run.memory;
    options.measured = &measured;
    const std::string text = trace_json(run.plan, run.recording.schedule, run.chart, options);
    for (const std::string& violation : test::trace_violations(text)) {
        FAIL_CHECK(violation);
    }
    CHECK(text.size() < 2 * trace_size_estimate(run.chart, options));
    CHECK(trace_size_estimate(run.chart, options) < 2 * text.size());
    std::map<std::string, std::size_t> counters;
    const auto trace = test::parse_json(text);
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] == "C") {
            ++counters[event["name"]];
        }
    }
    CHECK(counters["SMEM in use"] == storage_in_use(run.memory, false).size());
    CHECK(counters["TMEM in use"] == storage_in_use(run.memory, true).size());
    options.from = 0;
    options.to = ticks_from_cycles(50);
    const std::string part = trace_json(run.plan, run.recording.schedule, run.chart, options);
    CHECK(part.size() < text.size());
}
