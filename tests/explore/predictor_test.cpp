#include "explore_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/device/schedule_memo.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

/// Without any memory of other points.
Prediction alone(const Point& point) {
    const GpuSpec spec = load_gpu_spec(source_dir(), point.gpu, point.changes.hardware).value();
    const KernelPlan plan =
        load_plan(source_dir(), point.kernel, spec, point.problem, point.changes.parameters)
            .value();
    return predict(spec, plan, point.problem, point.options).value();
}

void check_same(const Prediction& a, const Prediction& b) {
    CHECK(a.seconds == b.seconds);
    CHECK(a.makespan_cycles == b.makespan_cycles);
    CHECK(a.executed_flops == b.executed_flops);
    CHECK(a.steady.simulated == b.steady.simulated);
    CHECK(a.steady.recurrence == b.steady.recurrence);
    CHECK(a.waves.l2_bytes == b.waves.l2_bytes);
    CHECK(a.waves.first_tile_cycles == b.waves.first_tile_cycles);
    CHECK(a.waves.middle_tile_cycles == b.waves.middle_tile_cycles);
    CHECK(a.waves.last_tile_cycles == b.waves.last_tile_cycles);
    CHECK(a.bound_by == b.bound_by);
    REQUIRE(a.units.size() == b.units.size());
    for (std::size_t i = 0; i < a.units.size(); ++i) {
        CHECK(a.units[i].busy == b.units[i].busy);
        CHECK(a.units[i].work_per_sm == b.units[i].work_per_sm);
    }
}

std::vector<Point> mixed_points() {
    std::vector<Point> points;
    for (const std::int64_t seqlen : {1000, 2048, 32768, 65536, 262144}) {
        for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
            points.push_back(small_point(seqlen, mask));
        }
    }
    points.push_back(changed(small_point(65536), "hw.mufu.ex2", "32/clk"));
    points.push_back(changed(small_point(65536, MaskKind::causal), "emulated", "32"));
    return points;
}

}  // namespace

TEST_CASE("remembered schedules change no answer, at any length") {
    const Predictor predictor(source_dir());
    const std::vector<Point> points = mixed_points();
    for (int again = 0; again < 2; ++again) {
        for (const Point& point : points) {
            CAPTURE(describe(point.problem));
            const auto prediction = predictor.predict(point);
            REQUIRE(prediction);
            check_same(*prediction, alone(point));
        }
    }
}

TEST_CASE("answers do not depend on threads or on what was asked before") {
    const std::vector<Point> points = mixed_points();
    const Predictor one(source_dir()), three(source_dir());
    std::vector<Point> reversed(points.rbegin(), points.rend());
    const auto a = one.predict_all(points, 1);
    const auto b = three.predict_all(reversed, 3);
    for (std::size_t i = 0; i < points.size(); ++i) {
        REQUIRE(a[i]);
        check_same(*a[i], *b[points.size() - 1 - i]);
    }
}

TEST_CASE("long tiles and shapes that differ in length only need no further engine runs") {
    int runs = 0;
    const GpuSpec spec = load_gpu_spec(source_dir(), "b200").value();
    const Point point = small_point(65536);
    const KernelPlan plan = load_plan(source_dir(), "fa4_fwd", spec, point.problem).value();
    MachineMemo memo;
    const MemoryEnvironment memory = idle_memory(spec);
    const auto engine = [&](const TileClass& tile, std::int64_t count) {
        ++runs;
        return simulate(plan, {{tile, count}}, memory);
    };
    REQUIRE(memo.run({512, 1, 0}, 1, engine));
    REQUIRE(memo.run({513, 1, 0}, 1, engine));
    const int before = runs;
    for (std::int64_t blocks = 514; blocks < 600; ++blocks) {
        const auto from_memo = memo.run({blocks, 1, 0}, 1, engine);
        REQUIRE(from_memo);
        CHECK(from_memo->makespan == simulate(plan, {{{blocks, 1, 0}, 1}}, memory)->makespan);
    }
    CHECK(runs <= before + 8);
}

TEST_CASE("what is remembered of schedules is bounded, and no more than tile times read") {
    const GpuSpec spec = load_gpu_spec(source_dir(), "b200").value();
    const Point point = small_point(4096);
    const KernelPlan plan = load_plan(source_dir(), "fa4_fwd", spec, point.problem).value();
    const MemoryEnvironment memory = idle_memory(spec);
    const auto engine = [&](const TileClass& tile, std::int64_t count) {
        return simulate(plan, {{tile, count}}, memory);
    };
    constexpr std::int64_t most = 5;
    ScheduleMemo memo(1024, most);
    for (std::int64_t blocks = 4; blocks < 24; ++blocks) {
        MemoryEnvironment slower = memory;
        slower.latency += blocks % 3;
        const auto known = memo.of(plan, {})->in(slower)->run({blocks, 1, 0}, 1, engine);
        REQUIRE(known);
        CHECK(known->roles.empty());
        for (const UnitUsage& unit : known->units) {
            CHECK(unit.idle.empty());
        }
        const Schedule fresh = engine({blocks, 1, 0}, 1).value();
        CHECK(known->makespan == fresh.makespan);
        REQUIRE(known->units.size() == fresh.units.size());
        CHECK(known->units.front().busy == fresh.units.front().busy);
        CHECK(memo.held() <= most + 1);
    }
    CHECK(memo.held() > 0);
    const auto same = memo.of(plan, {});
    CHECK(same->in(memory) == same->in(memory));
    MemoryEnvironment other = memory;
    other.miss_latency += 1;
    CHECK(same->in(memory) != same->in(other));
}

TEST_CASE("errors are answers like any other") {
    const Predictor& predictor = shipped_predictor();
    const auto unknown = predictor.predict(changed(small_point(), "hw.mufu.ex", "32/clk"));
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind == FailureKind::usage);
    CHECK(unknown.error().text().find("mufu.ex2") != std::string::npos);
    const auto too_large = predictor.predict(changed(small_point(), "kv_stages", "32"));
    REQUIRE_FALSE(too_large);
    CHECK(too_large.error().kind == FailureKind::infeasible);
    Point nowhere = small_point();
    nowhere.gpu = "b20";
    CHECK_FALSE(predictor.predict(nowhere));
}

TEST_CASE("kernels that run one after the other are answered as without memory") {
    Point point = small_point();
    point.kernel = "fa4_bwd_hd256";
    point.problem.direction = Direction::backward;
    point.problem.head_dim_qk = point.problem.head_dim_v = 256;
    const GpuSpec spec = load_gpu_spec(source_dir(), point.gpu).value();
    const Predictor predictor(source_dir());
    for (const std::int64_t seqlen : {1000, 2048, 3000}) {
        point.problem.seqlen_q = point.problem.seqlen_kv = seqlen;
        const auto operation =
            make_operation(read_pipeline(source_dir(), point.kernel).value(), spec, point.problem);
        const auto fresh = predict_operation(spec, operation.value(), point.problem).value();
        const auto known = predictor.predict(point).value();
        check_same(known, fresh);
        REQUIRE(known.kernels.size() == 2);
        check_same(known.kernels[1], fresh.kernels[1]);
        CHECK(known.plan.hash == fresh.plan.hash);
        CHECK(known.side_times.front().seconds == fresh.side_times.front().seconds);
    }
}

TEST_CASE("where a kernel does not take a problem, the one in its place answers") {
    Point point = small_point();
    point.kernel = "fa4_bwd";
    point.problem.direction = Direction::backward;
    point.problem.head_dim_qk = point.problem.head_dim_v = 256;
    const auto found = shipped_predictor().predict(point);
    REQUIRE(found);
    CHECK(found->kernel == "fa4_bwd_hd256");
    CHECK(shipped_predictor().operation(point).value()->kernels.size() == 2);
    point.problem.deterministic = true;
    const auto refused = shipped_predictor().predict(point);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("no deterministic mode") != std::string::npos);
    point.problem.deterministic = false;
    point.gpu = "h200";
    CHECK_FALSE(shipped_predictor().predict(point));
    point.problem.direction = Direction::forward;
    point.kernel = "fa4_fwd";
    point.gpu = "b200";
    CHECK(shipped_predictor().predict(point).value().kernel == "fa4_fwd_hd256");
    // A design of the kernel itself that takes the problem stays.
    for (const char* set : {"variant=1", "q_stages=1", "tile_kv=32", "pair=0", "kv_stages=2"}) {
        const std::string text = set;
        const auto at = text.find('=');
        add_change(point.changes, text.substr(0, at), text.substr(at + 1));
    }
    CHECK(shipped_predictor().predict(point).value().kernel == "fa4_fwd");
}
