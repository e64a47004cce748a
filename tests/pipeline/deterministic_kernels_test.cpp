// Backward kernels that add to dQ in a fixed order: whose turn it is costs what the order of launch
// makes of it.
#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/device/turn_pace.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::gpu;

namespace {

AttentionProblem problem(std::int64_t d_qk, std::int64_t d_v, MaskKind mask,
                         std::int64_t length = 8192) {
    AttentionProblem attention;
    attention.direction = Direction::backward;
    attention.deterministic = true;
    attention.batch = 32768 / length;
    attention.heads_q = attention.heads_kv = 16;
    attention.seqlen_q = attention.seqlen_kv = length;
    attention.head_dim_qk = d_qk;
    attention.head_dim_v = d_v;
    attention.mask.kind = mask;
    return attention;
}

Result<KernelPlan> plan_of(const std::string& kernel, const std::string& id,
                           const AttentionProblem& attention,
                           const std::vector<ParameterOverride>& set = {}) {
    return load_plan(source_dir(), kernel, gpu(id), attention, set);
}

Prediction predicted(const AttentionProblem& attention,
                     const std::vector<ParameterOverride>& set = {}, bool ideal = false) {
    PredictOptions options;
    if (ideal) {
        options.ideal = {Mechanism::turn_wait};
    }
    const auto plan = plan_of("fa4_bwd", "b200", attention, set);
    REQUIRE_MESSAGE(plan, plan.error().text());
    return predict(gpu("b200"), *plan, attention, options).value();
}

}  // namespace

TEST_CASE("deterministic kernels take and pass one turn a block, as their source does") {
    struct Kernel {
        std::string name, gpu;
        std::int64_t d_qk, d_v;
        std::int64_t behind;
    };
    const std::vector<Kernel> kernels = {
        {"fa4_bwd", "b200", 64, 64, 1},
        {"fa4_bwd", "gb200", 96, 96, 1},
        {"fa4_bwd", "b300", 128, 128, 1},
        {"fa4_bwd", "gb300", 192, 128, 0},
        {"fa3_bwd", "h100_sxm", 64, 64, 0},
        {"fa3_bwd", "h200", 128, 128, 0},
        {"fa3_bwd", "h200", 192, 192, 0},
        {"fa4_sm90_bwd", "h200", 96, 96, 0},
        {"fa4_sm90_bwd", "h200", 128, 128, 0},
        {"fa4_sm90_bwd", "h200", 192, 128, 0},
        {"fa4_sm90_bwd", "h100_sxm", 256, 256, 0},
    };
    for (const Kernel& kernel : kernels) {
        for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
            INFO(kernel.name << " " << kernel.d_qk << ":" << kernel.d_v);
            const GpuSpec& spec = gpu(kernel.gpu);
            const auto plan =
                plan_of(kernel.name, kernel.gpu, problem(kernel.d_qk, kernel.d_v, mask));
            REQUIRE_MESSAGE(plan, plan.error().text());
            CHECK(takes_turns(*plan));
            const auto pace = measure_turn_pace(*plan, {64, 64, 0}, idle_memory(spec), {});
            REQUIRE_MESSAGE(pace, pace.error().text());
            CHECK(pace->behind == kernel.behind);
            CHECK(pace->late_step > 0.0);
            CHECK(pace->late_step <= pace->step);
            const auto release =
                static_cast<double>(spec.instructions.at("membar.reductions").latency +
                                    spec.instructions.at("red").latency);
            CHECK(pace->pass > release);
            AttentionProblem other = problem(kernel.d_qk, kernel.d_v, mask);
            other.deterministic = false;
            CHECK_FALSE(takes_turns(plan_of(kernel.name, kernel.gpu, other).value()));
        }
    }
}

TEST_CASE("kernels without an order of their own refuse to be deterministic") {
    CHECK_FALSE(plan_of("fa3_bwd", "h200", problem(256, 256, MaskKind::full)));
    CHECK_FALSE(plan_of("fa2_bwd", "h200", problem(128, 128, MaskKind::full)));
}

TEST_CASE("shortest first waits least under a causal mask, one head after the other most") {
    for (const std::int64_t length : {2048, 8192}) {
        const AttentionProblem attention = problem(128, 128, MaskKind::causal, length);
        const Prediction shortest = predicted(attention);
        const Prediction longest = predicted(attention, {{"shortest_first", "0"}});
        const Prediction naive = predicted(attention, {{"shortest_first", "0"}, {"l2_heads", "1"}});
        // Pairs begin two blocks apart, which is more than a turn takes to pass on.
        CHECK(shortest.waves.turn_wait_cycles < 0.01 * shortest.makespan_cycles);
        CHECK(longest.makespan_cycles > 1.1 * shortest.makespan_cycles);
        CHECK(naive.makespan_cycles > 1.2 * longest.makespan_cycles);
        CHECK(naive.bound_by == "waiting for turns in a fixed order of additions");
    }
}

TEST_CASE("without waiting for turns a deterministic kernel takes what its tiles take") {
    const AttentionProblem attention = problem(128, 128, MaskKind::full);
    const std::vector<ParameterOverride> naive = {{"l2_heads", "1"}};
    const Prediction waiting = predicted(attention, naive);
    const Prediction free = predicted(attention, naive, true);
    CHECK(free.waves.turn_wait_cycles == 0.0);
    CHECK(waiting.makespan_cycles ==
          doctest::Approx(free.makespan_cycles + waiting.waves.turn_wait_cycles));
    CHECK(waiting.waves.turn_wait_cycles > 0.05 * waiting.makespan_cycles);
}

TEST_CASE("waits are what is longer: ragged, unequal, variable lengths, groups, windows") {
    const std::vector<std::pair<std::string, std::string>> kernels = {
        {"fa4_bwd", "b200"}, {"fa3_bwd", "h200"}, {"fa4_sm90_bwd", "h200"}};
    for (const auto& choice : kernels) {
        const std::string& kernel = choice.first;
        const std::string& id = choice.second;
        for (const MaskKind mask : {MaskKind::full, MaskKind::causal, MaskKind::sliding_window}) {
            AttentionProblem attention = problem(128, 128, mask);
            attention.seqlen_q = 1000;
            attention.seqlen_kv = 1500;
            attention.heads_kv = 4;
            attention.mask.window = mask == MaskKind::sliding_window ? 300 : 0;
            for (const bool varlen : {false, true}) {
                if (varlen) {
                    attention.varlen = {{700, 900}, {700, 900}, {0, 300}, {2000, 100}};
                }
                INFO(kernel << " mask " << static_cast<int>(mask) << " varlen " << varlen);
                const auto plan = plan_of(kernel, id, attention);
                REQUIRE_MESSAGE(plan, plan.error().text());
                PredictOptions ideal;
                ideal.ideal = {Mechanism::turn_wait};
                const auto waiting = predict(gpu(id), *plan, attention);
                const auto free = predict(gpu(id), *plan, attention, ideal);
                REQUIRE_MESSAGE(waiting, waiting.error().text());
                REQUIRE(free);
                CHECK(waiting->makespan_cycles ==
                      doctest::Approx(free->makespan_cycles + waiting->waves.turn_wait_cycles));
            }
        }
    }
}

TEST_CASE("a deterministic prediction of a million tokens answers") {
    AttentionProblem attention = problem(128, 128, MaskKind::causal);
    attention.batch = 1;
    attention.seqlen_q = attention.seqlen_kv = 1 << 20;
    const Prediction answer = predicted(attention);
    CHECK(answer.waves.turn_wait_cycles >= 0.0);
    CHECK(answer.waves.turn_wait_cycles < 0.05 * answer.makespan_cycles);
}
