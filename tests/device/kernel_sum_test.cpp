// Kernels that run one after the other: the backward of head dim 256.
#include "warpline/device/kernel_sum.hpp"

#include "source_dir.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/device/side_launch_time.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;
using doctest::Approx;

namespace {

AttentionProblem backward(MaskKind mask, std::int64_t heads_kv = 8) {
    AttentionProblem problem;
    problem.direction = Direction::backward;
    problem.batch = 2;
    problem.heads_q = 8;
    problem.heads_kv = heads_kv;
    problem.seqlen_q = problem.seqlen_kv = 2048;
    problem.head_dim_qk = problem.head_dim_v = 256;
    problem.mask.kind = mask;
    return problem;
}

struct Answers {
    Operation operation;
    Prediction together, dq, dkv;  ///< dkv: queued behind another kernel
};

Answers answers(const AttentionProblem& problem, const std::string& gpu = "b200") {
    const auto spec = load_gpu_spec(source_dir(), gpu).value();
    Answers out{
        make_operation(read_pipeline(source_dir(), "fa4_bwd_hd256").value(), spec, problem).value(),
        {},
        {},
        {}};
    PredictOptions queued;
    queued.graph_launch = true;
    out.together = predict_operation(spec, out.operation, problem).value();
    const auto alone = [&](const char* kernel, const PredictOptions& options) {
        return predict(spec, load_plan(source_dir(), kernel, spec, problem).value(), problem,
                       options)
            .value();
    };
    out.dq = alone("fa4_bwd_hd256_dq", {});
    out.dkv = alone("fa4_bwd_hd256_dkv", queued);
    return out;
}

double work(const Prediction& prediction, Unit unit) {
    return prediction.units.at(static_cast<std::size_t>(unit)).work_per_sm;
}

}  // namespace

TEST_CASE("the backward of head dim 256 takes its preprocess, its first and its second kernel") {
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
        for (const std::int64_t heads_kv : {8, 2}) {
            const AttentionProblem problem = backward(mask, heads_kv);
            CAPTURE(describe(problem));
            const auto [operation, together, dq, dkv] = answers(problem);
            const auto spec = load_gpu_spec(source_dir(), "b200").value();
            REQUIRE(operation.launches.size() == 1);
            const SideLaunch& sums = operation.launches.front();
            const double rows = 2.0 * 8 * 2048;
            CHECK_FALSE(sums.after);
            CHECK(sums.bytes_read == rows * (2 * 2 * 256 + 4));
            CHECK(sums.bytes_written == rows * 8);
            const double side = side_launch_seconds(sums, spec, together.clock.hz);
            CHECK(together.seconds == Approx(side + dq.seconds + dkv.seconds).epsilon(1e-12));
            REQUIRE(together.side_times.size() == 1);
            CHECK(together.side_times.front().seconds == side);
            REQUIRE(together.kernels.size() == 2);
            CHECK(together.kernels[0].seconds == dq.seconds);
            CHECK(together.kernels[1].seconds == dkv.seconds);
            CHECK(together.makespan_cycles == dq.makespan_cycles + dkv.makespan_cycles);
            CHECK(together.tflops == Approx(counted_flops(problem) / together.seconds / 1e12));
            CHECK(together.utilization * together.seconds ==
                  Approx(dq.utilization * dq.seconds + dkv.utilization * dkv.seconds));
            CHECK(together.waves.hbm_bytes == dq.waves.hbm_bytes + dkv.waves.hbm_bytes);
            CHECK(work(together, Unit::xu) == work(dq, Unit::xu) + work(dkv, Unit::xu));
            CHECK(together.bound_by.find(dkv.seconds > dq.seconds ? "_dkv" : "_dq") !=
                  std::string::npos);
        }
    }
}

TEST_CASE("seven products are executed where five are counted, and more under a mask") {
    const Prediction full = answers(backward(MaskKind::full)).together;
    CHECK(full.counted_flops == Approx(counted_flops(full.problem)));
    CHECK(full.executed_flops / full.counted_flops == Approx(7.0 / 5));
    const Prediction causal = answers(backward(MaskKind::causal)).together;
    CHECK(causal.counted_flops == Approx(full.counted_flops / 2));
    CHECK(causal.executed_flops / causal.counted_flops > 1.01 * 7.0 / 5);
}

TEST_CASE("what two kernels have in common is said once, the rest with the kernel's name") {
    const Prediction together = answers(backward(MaskKind::full)).together;
    const auto times = [&](const std::string& start) {
        return std::count_if(together.assumptions.begin(), together.assumptions.end(),
                             [&](const auto& text) { return text.rfind(start, 0) == 0; });
    };
    CHECK(times("Seven products are executed") == 1);
    CHECK(times("Clock: ") == 1);
    CHECK(times("fa4_bwd_hd256_dq: Q and dO come from HBM") == 1);
    CHECK(times("fa4_bwd_hd256_dkv: K and V come from HBM") == 1);
    CHECK(together.assumptions.back().find("row_sums, a kernel of its own before these") !=
          std::string::npos);
}

TEST_CASE("a unit that alone limits both kernels lets each take its own time") {
    const auto [operation, together, dq, dkv] = answers(backward(MaskKind::full));
    const auto at = static_cast<std::size_t>(Unit::tensor);
    const double seconds = dq.counted_flops / dq.units[at].only_this_limits +
                           dkv.counted_flops / dkv.units[at].only_this_limits;
    CHECK(together.units[at].only_this_limits == Approx(together.counted_flops / seconds));
    const double busy = together.units[at].busy;
    CHECK(busy > std::min(dq.units[at].busy, dkv.units[at].busy));
    CHECK(busy < std::max(dq.units[at].busy, dkv.units[at].busy));
    CHECK(std::isinf(together.units[static_cast<std::size_t>(Unit::lsu)].only_this_limits) ==
          (dq.units[static_cast<std::size_t>(Unit::lsu)].demand_cycles +
               dkv.units[static_cast<std::size_t>(Unit::lsu)].demand_cycles ==
           0.0));
}

TEST_CASE("a sum of kernels is bound by memory where those take most of its time") {
    Prediction one;
    one.kernel = "one";
    one.seconds = 1.0;
    one.waves.memory_bound = true;
    one.bound_by = "HBM bandwidth";
    Prediction other = one;
    other.kernel = "other";
    other.seconds = 2.0;
    other.waves.memory_bound = false;
    other.bound_by = "tensor core";
    KernelPlan plan;
    plan.kernel = "both";
    Prediction sum = sum_of_kernels(plan, {one, other});
    CHECK(sum.kernel == "both");
    CHECK_FALSE(sum.waves.memory_bound);
    CHECK(sum.bound_by == "tensor core in other");
    one.seconds = 4.0;
    sum = sum_of_kernels(plan, {one, other});
    CHECK(sum.waves.memory_bound);
    CHECK(sum.bound_by == "HBM bandwidth in one");
}
