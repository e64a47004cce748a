// The head dim 256 kernel of FlashAttention-4: what a step executes and what the kernel refuses.
// Figures: flash-attention 0251105a (sm100_hd256_2cta_fmha_forward.py, interface.py).
#include "source_dir.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/roofline/roofline.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::string data_dir = source_dir();

AttentionProblem problem(std::int64_t head_dim, std::int64_t seqlen, MaskKind mask) {
    AttentionProblem attention;
    attention.batch = 2;
    attention.heads_q = attention.heads_kv = 8;
    attention.seqlen_q = attention.seqlen_kv = seqlen;
    attention.head_dim_qk = attention.head_dim_v = head_dim;
    attention.mask.kind = mask;
    return attention;
}

}  // namespace

TEST_CASE("fa4_fwd_hd256: a step's demand") {
    const GpuSpec gpu = load_gpu_spec(data_dir, "b200").value();
    const auto plan =
        load_plan(data_dir, "fa4_fwd_hd256", gpu, problem(256, 8192, MaskKind::full), {});
    REQUIRE(plan);
    CHECK(plan->cluster == 2);
    CHECK(plan->tiles.rows == 256);
    const Roofline steady = steady_roofline(*plan, idle_memory(gpu));
    const auto cycles = [&](Unit unit) {
        return steady.demand.at(static_cast<std::size_t>(unit)).ticks / ticks_per_cycle;
    };
    CHECK(cycles(Unit::tensor) == 2048.0);      // two products of 128 x 128 x 256 at 8192 FLOP/clk
    CHECK(cycles(Unit::xu) == 8.0 * (92 + 1));  // 36 of 128 by polynomial, one for the scale
    CHECK(cycles(Unit::smem) == 1024.0);        // K from both CTAs, Q; P is in tensor memory
}

TEST_CASE("fa4_fwd_hd256 runs at every length and mask, and refuses other head dims") {
    for (const char* id : {"b200", "b300"}) {
        const GpuSpec gpu = load_gpu_spec(data_dir, id).value();
        for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
            // A ragged block costs its mask, so each kind grows with its own.
            const std::vector<std::vector<std::int64_t>> kinds = {{1, 129, 300, 1000},
                                                                  {128, 256, 1024, 8192}};
            for (const std::vector<std::int64_t>& lengths : kinds) {
                double before = 0.0;
                for (const std::int64_t seqlen : lengths) {
                    const AttentionProblem attention = problem(256, seqlen, mask);
                    const auto plan = load_plan(data_dir, "fa4_fwd_hd256", gpu, attention, {});
                    REQUIRE(plan);
                    const auto answer = predict(gpu, *plan, attention);
                    REQUIRE(answer);
                    CHECK(answer->seconds >= before);
                    CHECK(answer->steady.recurrence >= answer->steady.roofline);
                    CHECK(answer->steady.simulated >= answer->steady.recurrence * (1 - 1e-9));
                    before = answer->seconds;
                }
            }
        }
        const auto refused =
            load_plan(data_dir, "fa4_fwd_hd256", gpu, problem(128, 1024, MaskKind::full), {});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == FailureKind::infeasible);
    }
}
