#include "warpline/explore/lowered_kernel.hpp"

#include "source_dir.hpp"
#include "warpline/device/machine_content.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

struct Case {
    const char* kernel;
    const char* gpu;
    Direction direction;
};

std::vector<AttentionProblem> problems(Direction direction) {
    std::vector<AttentionProblem> all;
    for (const std::int64_t seqlen : {1, 128, 200, 384, 1024, 4096, 4224, 65536}) {
        for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
            for (const std::int64_t heads_kv : {16, 2}) {
                for (const std::int64_t head_dim : {64, 128}) {
                    AttentionProblem problem;
                    problem.direction = direction;
                    problem.seqlen_q = problem.seqlen_kv = seqlen;
                    problem.heads_q = 16;
                    problem.heads_kv = heads_kv;
                    problem.head_dim_qk = problem.head_dim_v = head_dim;
                    problem.mask.kind = mask;
                    all.push_back(problem);
                }
            }
        }
    }
    all.push_back(all.front());
    all.back().batch = 7;
    all.push_back(all.front());
    all.back().dtype = DType::fp16;
    all.push_back(all.front());
    all.back().varlen = {{100, 100}, {3000, 3000}};
    return all;
}

void check_equal(const Operation& a, const Operation& b) {
    CHECK(machine_content(a.plan, {}) == machine_content(b.plan, {}));
    CHECK(a.plan.hash == b.plan.hash);
    CHECK(a.plan.parameters == b.plan.parameters);
    CHECK(a.plan.assumptions == b.plan.assumptions);
    CHECK(a.plan.counted_share == b.plan.counted_share);
    CHECK(a.plan.warnings.size() == b.plan.warnings.size());
    const TileShape &x = a.plan.tiles, &y = b.plan.tiles;
    CHECK(x.rows == y.rows);
    CHECK(x.block == y.block);
    CHECK(x.order == y.order);
    CHECK(x.scheduler == y.scheduler);
    CHECK(x.pack_gqa == y.pack_gqa);
    CHECK(x.head_group == y.head_group);
    REQUIRE(a.plan.budgets.size() == b.plan.budgets.size());
    for (std::size_t i = 0; i < a.plan.budgets.size(); ++i) {
        CHECK(a.plan.budgets[i].used == b.plan.budgets[i].used);
        CHECK(a.plan.budgets[i].detail == b.plan.budgets[i].detail);
    }
    REQUIRE(a.launches.size() == b.launches.size());
    for (std::size_t i = 0; i < a.launches.size(); ++i) {
        CHECK(a.launches[i].name == b.launches[i].name);
        CHECK(a.launches[i].after == b.launches[i].after);
        CHECK(a.launches[i].bytes_read == b.launches[i].bytes_read);
        CHECK(a.launches[i].bytes_written == b.launches[i].bytes_written);
        CHECK(a.launches[i].cached == b.launches[i].cached);
    }
}

}  // namespace

TEST_CASE("a kernel lowered once answers every problem as if it were lowered for it") {
    for (const Case& one :
         {Case{"fa4_fwd", "b200", Direction::forward}, Case{"fa4_bwd", "b200", Direction::backward},
          Case{"fa3_fwd", "h200", Direction::forward},
          Case{"fa2_bwd", "h200", Direction::backward}}) {
        CAPTURE(one.kernel);
        const auto source =
            std::make_shared<const PipelineSource>(read_pipeline(source_dir(), one.kernel).value());
        const auto spec =
            std::make_shared<const GpuSpec>(load_gpu_spec(source_dir(), one.gpu).value());
        LoweredKernel kernel(source, spec, {});
        const std::vector<AttentionProblem> all = problems(one.direction);
        for (const AttentionProblem& problem : all) {
            CAPTURE(describe(problem));
            const auto alone = make_operation(*source, *spec, problem);
            const auto shared = kernel.at(problem);
            REQUIRE(alone.has_value() == shared.has_value());
            if (alone) {
                check_equal(**shared, *alone);
            } else {
                CHECK(alone.error().text() == shared.error().text());
            }
        }
        CHECK(kernel.held() >= all.size());
        CHECK(kernel.lowerings() < static_cast<std::int64_t>(all.size()));
        const std::int64_t before = kernel.lowerings();
        AttentionProblem longer = all[12];
        for (std::int64_t seqlen = 2048; seqlen < 4096; seqlen += 128) {
            longer.seqlen_q = longer.seqlen_kv = seqlen;
            REQUIRE(kernel.at(longer));
        }
        CHECK(kernel.lowerings() <= before + 2);
    }
}

TEST_CASE("an impossible problem is answered with its own reason, every time") {
    const auto source =
        std::make_shared<const PipelineSource>(read_pipeline(source_dir(), "fa4_fwd").value());
    const auto spec = std::make_shared<const GpuSpec>(load_gpu_spec(source_dir(), "b200").value());
    LoweredKernel too_deep(source, spec, {{"kv_stages", "32"}});
    LoweredKernel unknown(source, spec, {{"kv_stagse", "2"}});
    AttentionProblem problem;
    for (const std::int64_t seqlen : {1024, 1152, 1024}) {
        problem.seqlen_q = problem.seqlen_kv = seqlen;
        const auto deep = too_deep.at(problem);
        REQUIRE_FALSE(deep);
        CHECK(deep.error().kind == FailureKind::infeasible);
        const auto none = unknown.at(problem);
        REQUIRE_FALSE(none);
        CHECK(none.error().kind == FailureKind::usage);
        CHECK(none.error().text().find("kv_stages") != std::string::npos);
    }
}
