#include "example_prediction.hpp"
#include "parse_json.hpp"
#include "source_dir.hpp"
#include "trace_checker.hpp"
#include "warpline/device/record_schedule.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/reports/occupancy.hpp"
#include "warpline/reports/trace_json.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;
using nlohmann::json;

namespace {

struct Recorded {
    KernelPlan plan;
    Recording recording;
};

/// A real kernel's tile of 64 loop steps on one of two CTAs of a pair.
Recorded recorded(Iterations iterations) {
    const auto spec = load_gpu_spec(source_dir(), "b200");
    REQUIRE(spec);
    AttentionProblem problem;
    problem.seqlen_q = problem.seqlen_kv = 8192;
    const auto source = read_pipeline(source_dir(), "fa4_fwd");
    REQUIRE(source);
    auto plan = make_plan(*source, *spec, problem);
    REQUIRE(plan);
    auto recording = record_tile(*spec, *plan, problem, {}, iterations);
    REQUIRE(recording);
    return {std::move(*plan), std::move(*recording)};
}

TraceOptions options(TimeBase base = TimeBase::cycles) {
    return {base, ClockHz(1'600'000'000), "a title", "9.9.9"};
}

void check_sound(const std::string& text) {
    for (const std::string& violation : test::trace_violations(text)) {
        FAIL_CHECK(violation);
    }
}

std::size_t count(const json& trace, const std::string& kind) {
    const auto& events = trace["traceEvents"];
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [&](const json& event) { return event["ph"] == kind; }));
}

}  // namespace

TEST_CASE("the checker finds what is wrong with a trace") {
    const std::string head =
        R"({"otherData":{"title":"","generator":"","time_base":"","clock_mhz":1},"traceEvents":[)"
        R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"p"}},)"
        R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"t"}},)"
        R"({"ph":"X","name":"a","cat":"c","pid":1,"tid":1,"ts":0,"dur":2,"args":{}})";
    const auto violations = [&](const std::string& more) {
        return test::trace_violations(head + more + "]}").size();
    };
    CHECK(violations("") == 0);
    CHECK(violations(",") == 1);
    CHECK(violations(
              R"(,{"ph":"X","name":"b","cat":"c","pid":1,"tid":1,"ts":1,"dur":2,"args":{}})") ==
          1);  // overlaps
    CHECK(violations(
              R"(,{"ph":"X","name":"b","cat":"c","pid":1,"tid":1,"ts":2,"dur":0,"args":{}})") == 1);
    CHECK(violations(
              R"(,{"ph":"X","name":"b","cat":"c","pid":1,"tid":2,"ts":2,"dur":1,"args":{}})") ==
          1);  // unnamed
    CHECK(violations(R"(,{"ph":"s","name":"b","cat":"c","id":1,"pid":1,"tid":1,"ts":1})") == 1);
    CHECK(violations(R"(,{"ph":"Z","pid":1,"tid":1,"ts":1})") == 1);
    CHECK(violations(R"(,{"ph":"C","name":"b","pid":1,"tid":0,"ts":1,"args":{"percent":1}},)"
                     R"({"ph":"C","name":"b","pid":1,"tid":0,"ts":0,"args":{"percent":1}})") == 1);
}

TEST_CASE("a small schedule as a trace, number by number") {
    Prediction prediction = test::example_prediction();
    prediction.schedule.events[0].end = ticks_from_cycles(310);
    prediction.schedule.events[1].start = ticks_from_cycles(310);
    prediction.schedule.events[1].end = ticks_from_cycles(320);
    const Release release{0, 0, ticks_from_cycles(310),
                          1, 0, prediction.schedule.events[2].completed};
    const SliceChart chart = slice_chart(prediction.plan, {prediction.schedule, {release}, {}, {}});
    REQUIRE(chart.lanes.size() == 2);
    CHECK(chart.lanes[0].name == "softmax[0]");
    CHECK(chart.lanes[1].name == "tensor");
    REQUIRE(chart.flows.size() == 1);
    CHECK(chart.slices[chart.flows[0].from].kind == ChartSlice::Kind::async);
    const std::string text = trace_json(prediction.plan, prediction.schedule, chart, options());
    check_sound(text);
    const json trace = test::parse_json(text);
    for (const json& event : trace["traceEvents"]) {
        if (event["name"] == "QK" && event["ph"] == "X") {
            CHECK(event["ts"] == 220);
            CHECK(event["dur"] == 80);
            CHECK(event["args"]["issued_at"] == 210);
            CHECK(event["args"]["complete_at"] == 300.0625);
            CHECK(event["args"]["us"] == doctest::Approx(0.05));
            CHECK(event["args"]["started_after"] == "barrier s_full");
        }
    }
    CHECK(count(trace, "X") == 3);
    CHECK(count(trace, "s") == 1);
    const json seconds = test::parse_json(
        trace_json(prediction.plan, prediction.schedule, chart, options(TimeBase::microseconds)));
    CHECK(seconds["traceEvents"].back()["ts"] == doctest::Approx(300 / 1600.0));
}

TEST_CASE("a kernel's trace keeps the format's rules, folded, whole and in part") {
    const Recorded folded = recorded(Iterations::folded);
    const Recorded whole = recorded(Iterations::all);
    const SliceChart chart = slice_chart(folded.plan, folded.recording);
    const SliceChart all = slice_chart(whole.plan, whole.recording);
    CHECK(folded_time(all) == 0);
    CHECK(folded_time(chart) > 0);
    CHECK(chart.end + folded_time(chart) == all.end);
    CHECK(chart.slices.size() < all.slices.size());
    for (const SliceChart* const each : {&chart, &all}) {
        const Recorded& of = each == &chart ? folded : whole;
        const std::string text = trace_json(of.plan, of.recording.schedule, *each, options());
        check_sound(text);
        CHECK(text.size() < 2 * trace_size_estimate(*each));
        CHECK(trace_size_estimate(*each) < 2 * text.size());
    }
    const SliceChart part = part_of(all, 0, ticks_from_cycles(10'000), ticks_from_cycles(20'000));
    REQUIRE(!part.slices.empty());
    CHECK(part.slices.size() < all.slices.size());
    for (const ChartLane& lane : part.lanes) {
        CHECK(lane.sm == 0);
    }
    check_sound(
        trace_json(whole.plan, whole.recording.schedule, part, options(TimeBase::microseconds)));
}

TEST_CASE("every wait that was long has an arrow to it, from a cause that comes before") {
    const Recorded whole = recorded(Iterations::all);
    const SliceChart chart = slice_chart(whole.plan, whole.recording);
    std::vector<bool> reached(chart.slices.size(), false);
    for (const ChartFlow& flow : chart.flows) {
        reached[flow.to] = true;
        const ChartSlice& from = chart.slices[flow.from];
        const ChartSlice& to = chart.slices[flow.to];
        CHECK(to.kind == ChartSlice::Kind::wait);
        CHECK(from.end <= to.end);
        // What ends a wait lies within it, but for the time that an arrival is on its way.
        CHECK(std::max(from.completed, from.end) + ticks_from_cycles(200) > to.start);
    }
    std::size_t waits = 0, missed = 0;
    for (std::size_t i = 0; i < chart.slices.size(); ++i) {
        const ChartSlice& slice = chart.slices[i];
        const bool blocked = slice.end - slice.start > ticks_from_cycles(100);
        if (slice.kind == ChartSlice::Kind::wait && slice.cause.kind == Cause::Kind::barrier &&
            blocked) {
            ++waits;
            missed += reached[i] ? 0U : 1U;
        }
    }
    CHECK(waits > 100);
    CHECK(missed == 0);
}

TEST_CASE("folded or not, the engine gives the same times") {
    const Recorded folded = recorded(Iterations::folded);
    const Recorded whole = recorded(Iterations::all);
    CHECK(folded.recording.schedule.makespan == whole.recording.schedule.makespan);
    CHECK(whole.recording.skips.empty());
    REQUIRE(folded.recording.skips.size() == 1);
    CHECK(folded.recording.skips[0].time % folded.recording.schedule.steady.period == 0);
}

TEST_CASE("names cannot break out of the JSON") {
    Prediction prediction = test::example_prediction();
    prediction.plan.roles[1].program[0].label = "\"}]}</script>\n\xff";
    prediction.plan.roles[0].name = "\\";
    const SliceChart chart = slice_chart(prediction.plan, {prediction.schedule, {}, {}, {}});
    check_sound(trace_json(prediction.plan, prediction.schedule, chart, options()));
}

TEST_CASE("occupancy adds up what runs at a time") {
    Prediction prediction = test::example_prediction();
    MmaOp mma;
    mma.steps = 10;
    mma.smem_bytes = 512;
    AsyncOp async;
    async.work = mma;
    prediction.plan.roles[1].program[0].body = async;
    const SliceChart chart = slice_chart(prediction.plan, {prediction.schedule, {}, {}, {}});
    const Occupancy occupancy = occupancy_of(prediction.plan, prediction.schedule, chart);
    REQUIRE(occupancy.tensor.size() == 1);
    REQUIRE(occupancy.tensor[0].steps.size() == 2);
    CHECK(occupancy.tensor[0].steps[0].at == ticks_from_cycles(220));
    CHECK(occupancy.tensor[0].steps[0].share == 1.0);
    CHECK(occupancy.tensor[0].steps[1].share == 0.0);
    // 10 x 512 bytes at 128 a clock are 40 of the 80 cycles.
    REQUIRE(occupancy.smem.size() == 1);
    CHECK(occupancy.smem[0].steps[0].share == doctest::Approx(0.5));
    CHECK(occupancy.smem[0].steps.back().share == 0.0);
}
