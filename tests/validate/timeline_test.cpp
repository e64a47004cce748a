#include "warpline/validate/timeline.hpp"

#include "warpline/validate/step_times.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace warpline;

namespace {

const std::string head =
    "# gpu: h200\n# kernel: warpline_sm90_fwd\n# head_dim: 128\n# batch: 4\n# heads_q: 16\n"
    "# heads_kv: 2\n# seqlen_q: 1024\n# seqlen_kv: 2048\n# mask: causal\n# set: tile_kv=160\n"
    "# note: by hand\nrole,step,edge,tile,block,clock,cta,sm\n";

/// `steps` executions of a step of 30 cycles every `interval`, issued after 10, from `start`.
std::vector<Span> regular(const std::string& role, const std::string& step, int steps,
                          double interval, double start) {
    std::vector<Span> spans;
    for (int i = 0; i < steps; ++i) {
        const double begin = start + interval * i;
        spans.push_back({role, step, 0, i, begin, begin + 10, begin + 30});
    }
    return spans;
}

}  // namespace

TEST_CASE("a timeline says what it was taken of") {
    const auto timeline =
        parse_timeline(head +
                           "load,load K,begin,0,0,5,0,7\nload,load K,issued,0,0,9,0,7\n"
                           "consumer[0],QK,begin,0,0,20,0,7\nconsumer[0],QK,end,0,0,50,0,7\n"
                           "load,load K,begin,0,0,1,1,8\n",
                       "t.csv");
    REQUIRE(timeline);
    CHECK(timeline->gpu == "h200");
    CHECK(timeline->kernel == "warpline_sm90_fwd");
    CHECK(timeline->problem.heads_kv == 2);
    CHECK(timeline->problem.seqlen_kv == 2048);
    CHECK(timeline->problem.head_dim_v == 128);
    CHECK(timeline->problem.mask.kind == MaskKind::causal);
    REQUIRE(timeline->parameters.size() == 1);
    CHECK(timeline->parameters[0].name == "tile_kv");
    CHECK(timeline->parameters[0].expression == "160");
    CHECK(timeline->notes == std::vector<std::string>{"by hand"});
    REQUIRE(timeline->spans.size() == 2);  // of the first CTA
    CHECK(timeline->spans[0].issued == 9.0);
    CHECK_FALSE(timeline->spans[0].end);
    CHECK(timeline->spans[1].begin == 20.0);
    CHECK(timeline->spans[1].end == 50.0);
}

TEST_CASE("a broken timeline is refused with line and reason") {
    const auto message = [](const std::string& text) {
        const auto timeline = parse_timeline(text, "t.csv");
        return timeline ? std::string("accepted") : timeline.error().text();
    };
    const auto has = [&](const std::string& text, const std::string& part) {
        CAPTURE(message(text));
        CHECK(message(text).find(part) != std::string::npos);
    };
    has(head + "load,load K,end,0,0,5,0,7\n", "t.csv:13: load K of load ends before it begins");
    has(head + "load,load K,begin,0,0,5,0,7\nload,load K,begin,0,0,6,0,7\n",
        "t.csv:14: load K of load begins twice");
    has(head + "load,load K,middle,0,0,5,0,7\n", "neither begin, issued nor end");
    has(head + "load,load K,begin,0,x,5,0,7\n", "whole numbers");
    has(head + "load,load K,begin,0,0\n", "5 fields in place of 8");
    has("# colour: red\n" + head, "t.csv:1: there is no key \"colour\"");
    has("# gpu: b200\n" + head, "gpu is given twice");
    has("# gpu: h200\nrole,step,edge,tile,block,clock,cta,sm\n", "there is no line \"# head_dim");
    has("", "there is no line \"# gpu");
}

TEST_CASE("a timeline knows what its stamps cost when a launch without them was timed") {
    const std::string keys = "# launch_cycles: 1000\n# launch_cycles_stamped: 1250\n";
    const std::string cost = "load,stamp cost,begin,0,0,4,0,7\nload,stamp cost,end,0,0,24,0,7\n";
    const auto timeline = parse_timeline(keys + head + cost, "t.csv");
    REQUIRE(timeline);
    const auto stamps = stamp_cost(*timeline);
    REQUIRE(stamps);
    CHECK(stamps->slowdown == doctest::Approx(1.25));
    CHECK(stamps->stamp == doctest::Approx(20));
    CHECK_FALSE(stamp_cost(*parse_timeline(head + cost, "t.csv")));
    const auto refused = [](const std::string& text) {
        const auto wrong = parse_timeline(text + head, "t.csv");
        REQUIRE_FALSE(wrong);
        return wrong.error().text();
    };
    CHECK(refused("# launch_cycles: 1000\n").find("either both are given or none") !=
          std::string::npos);
    CHECK(
        refused("# launch_cycles: 0\n# launch_cycles_stamped: 5\n").find("not a positive number") !=
        std::string::npos);
}

TEST_CASE("steps are averaged over the middle of the loop") {
    std::vector<Span> spans = regular("consumer[0]", "wait K", 20, 100, 0);
    const auto later = regular("consumer[0]", "QK", 20, 100, 35);
    const auto other = regular("consumer[1]", "wait K", 20, 100, 48);
    spans.insert(spans.end(), later.begin(), later.end());
    spans.insert(spans.end(), other.begin(), other.end());
    spans[0].begin -= 1000;  // the ends of the loop are another matter
    spans.push_back({"consumer[0]", "store O", 0, 0, 2100, std::nullopt, 2180});
    const StepTimes times = step_times(spans);
    const StepTime* const qk = times.find("consumer[0]", "QK");
    REQUIRE(qk != nullptr);
    CHECK(qk->count == 10);
    CHECK(qk->repeats);
    CHECK(qk->duration == doctest::Approx(30));
    CHECK(qk->issue == doctest::Approx(10));
    CHECK(qk->interval == doctest::Approx(100));
    CHECK(qk->offset == doctest::Approx(35));
    REQUIRE(times.interval);
    CHECK(*times.interval == doctest::Approx(100));
    REQUIRE(times.skews.size() == 1);
    CHECK(times.skews[0].role == "consumer[1]");
    CHECK(times.skews[0].skew == doctest::Approx(48));
    const StepTime* const store = times.find("consumer[0]", "store O");
    REQUIRE(store != nullptr);
    CHECK_FALSE(store->repeats);
    CHECK_FALSE(store->offset);
    CHECK(store->duration == doctest::Approx(80));
    CHECK(times.tile == doctest::Approx(3180));
    CHECK(times.find("consumer[0]", "PV") == nullptr);
    CHECK(most_executions(spans) == 20);
}

TEST_CASE("parts of a label make one step of a schedule") {
    KernelPlan plan;
    Role role;
    role.name = role.base_name = "consumer";
    role.program = {{IssueOp{}, "softmax: row max", 1},
                    {IssueOp{}, "softmax: row sum", 2},
                    {AsyncOp{}, "QK", 3},
                    {ArriveOp{}, "", 4},
                    {LoopBegin{}, "", 5},
                    {AsyncOp{}, "QK", 6},
                    {LoopEnd{}, "", 7}};
    plan.roles = {role};
    Schedule schedule;
    schedule.roles = {RoleUsage{}, RoleUsage{}};  // two warps of the one role: the first is taken
    const auto event = [&](int usage, int op, ScheduleEvent::Kind kind, std::int64_t start,
                           std::int64_t end) {
        ScheduleEvent e;
        e.usage = usage;
        e.op = op;
        e.kind = kind;
        e.iteration = 4;
        e.requested = ticks_from_cycles(start - (kind == ScheduleEvent::Kind::async ? 5 : 0));
        e.start = ticks_from_cycles(start);
        e.end = e.completed = ticks_from_cycles(end);
        schedule.events.push_back(e);
    };
    event(0, 0, ScheduleEvent::Kind::issue, 10, 20);
    event(1, 0, ScheduleEvent::Kind::issue, 12, 90);
    event(0, 2, ScheduleEvent::Kind::async, 15, 40);
    event(0, 1, ScheduleEvent::Kind::issue, 30, 50);
    event(0, 3, ScheduleEvent::Kind::issue, 60, 61);
    event(0, 5, ScheduleEvent::Kind::async, 70, 95);  // the same iteration of another loop
    schedule.units = {{Unit::tensor, 0, 0, 1, ticks_from_cycles(7), {}},
                      {Unit::tensor, 0, 1, 1, ticks_from_cycles(9), {}},
                      {Unit::xu, 0, 0, 1, 0, {}}};
    const std::vector<Span> spans = spans_of(plan, schedule);
    REQUIRE(spans.size() == 3);
    CHECK(spans[2].begin == 65.0);
    CHECK(spans[0].step == "softmax");
    CHECK(spans[0].begin == 10.0);
    CHECK(spans[0].end == 50.0);
    CHECK_FALSE(spans[0].issued);
    CHECK(spans[1].step == "QK");
    CHECK(spans[1].begin == 10.0);
    CHECK(spans[1].issued == 10.0);
    CHECK(spans[1].end == 40.0);
    const auto busy = busy_units(schedule);
    REQUIRE(busy.size() == 1);
    CHECK(busy[0].unit == Unit::tensor);
    CHECK(busy[0].cycles == 9.0);
}
