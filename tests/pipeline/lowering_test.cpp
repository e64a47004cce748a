#include "pipeline_fixture.hpp"
#include "warpline/hardware/mma_timing.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

Program lowered(std::string_view statements, const std::string& gpu_id = "b200") {
    const std::string text = one_role(statements);
    const auto plan = load(text, {}, gpu_id);
    REQUIRE_MESSAGE(plan.has_value(), errors(text, {}, gpu_id));
    return body_of(*plan);
}

template <typename T>
const T& at(const Program& program, std::size_t i) {
    REQUIRE(i < program.size());
    const T* op = std::get_if<T>(&program[i].body);
    REQUIRE(op != nullptr);
    return *op;
}

template <typename T>
const T& work(const Program& program, std::size_t i) {
    const T* op = std::get_if<T>(&at<AsyncOp>(program, i).work);
    REQUIRE(op != nullptr);
    return *op;
}

}  // namespace

TEST_CASE("instructions carry count, chains, results and label") {
    const Program p = lowered(
        "- issue: ffma2\n  count: two * 8\n  chains: 4\n  results: later\n  label: scale\n"
        "- issue: bar\n"
        "- issue: fmul\n  count: 0\n"
        "- interleave:\n    - issue: mufu.ex2\n      count: 6\n    - issue: ffma2\n      count: 3\n"
        "      chains: 1\n");
    REQUIRE(p.size() == 3);
    const auto& issue = at<IssueOp>(p, 0);
    CHECK(issue.parts[0].count == 16);
    CHECK(issue.parts[0].chains == 4);
    CHECK_FALSE(issue.results_needed);
    CHECK(p[0].label == "scale");
    CHECK(at<IssueOp>(p, 1).parts[0].count == 1);
    CHECK(at<IssueOp>(p, 1).results_needed);
    CHECK(p[1].label == "bar");
    const auto& woven = at<IssueOp>(p, 2);
    REQUIRE(woven.parts.size() == 2);
    CHECK(woven.parts[1].instruction == issue.parts[0].instruction);
    CHECK(p[2].label == "mufu.ex2 + ffma2");
    const auto plan = load(one_role("- issue: ffma2\n- issue: mufu.ex2\n- issue: ffma2"));
    REQUIRE(plan->instructions.size() == 2);
    CHECK(plan->instructions[0].name == "ffma2");
    CHECK(plan->instructions[1].unit == Unit::xu);
}

TEST_CASE("loops and conditions point where they continue") {
    const Program p = lowered(
        "- loop: blocks - 1\n  do:\n"
        "    - when: first 1\n      do:\n        - issue: fadd\n      else:\n        - issue: "
        "fmul\n"
        "    - issue: bar\n      when: not masked\n");
    REQUIRE(p.size() == 8);
    CHECK(at<LoopBegin>(p, 0).count.at({5, 1, 0}) == 4);
    CHECK(at<LoopBegin>(p, 0).end == 8);  // indices count the loop over tiles before it
    CHECK(at<SkipUnless>(p, 1).target == 5);
    CHECK(at<Jump>(p, 3).target == 6);
    CHECK(at<SkipUnless>(p, 5).predicate.negate);
    CHECK(at<SkipUnless>(p, 5).target == 8);
    CHECK(at<LoopEnd>(p, 7).begin == 1);
    CHECK(p[1].line > 0);
}

TEST_CASE("constant conditions and loops leave nothing behind") {
    const Program p = lowered(
        "- when: has(wgmma)\n  do:\n    - issue: no_such_instruction\n    - issue: bar\n      "
        "count: 1 / 0\n"
        "  else:\n    - issue: fadd\n"
        "- loop: two - 2\n  do:\n    - issue: no_such_instruction\n"
        "- unroll:\n    t: two - 2\n  do:\n    - issue: no_such_instruction\n"
        "- issue: fmul\n  when: two == 3\n");
    REQUIRE(p.size() == 1);
    CHECK(p[0].label == "fadd");
}

TEST_CASE("a disequality swaps the branches") {
    const Program p =
        lowered("- when: blocks != 3\n  do:\n    - issue: fadd\n  else:\n    - issue: fmul\n");
    REQUIRE(p.size() == 5);
    CHECK(at<SkipUnless>(p, 0).target == 5);
    CHECK(at<SkipUnless>(p, 1).target == 5);
    CHECK(p[2].label == "fmul");
    CHECK(at<Jump>(p, 3).target == 6);
    CHECK(p[4].label == "fadd");
}

TEST_CASE("unrolled statements and procedures are pasted with their names replaced") {
    const std::string text = changed(one_role("- unroll:\n    t: two\n  do:\n"
                                              "    - call: step\n      with:\n        i: 1 - t\n"
                                              "        slot: k\n        width: t + 8\n"),
                                     "program:\n", R"(procedures:
  step:
    takes: [i, slot, width]
    do:
      - consumer_wait: kv
        as: slot
      - call: inner
        with:
          w: width
      - consumer_release: slot
      - async: tmem_load
        from: t[i]
        columns: width * 4
        class: ld
        label: load {i} of {slot}
  inner:
    takes: [w]
    do:
      - issue: fadd
        count: w
program:
)");
    auto balanced = changed(text, "    - call: step",
                            "    - producer_acquire: kv\n              as: x\n"
                            "            - producer_commit: x\n            - call: step");
    const auto plan = load(balanced);
    REQUIRE_MESSAGE(plan.has_value(), errors(balanced));
    const Program p = body_of(*plan);
    std::vector<std::string> labels;
    std::vector<std::int64_t> counts;
    for (const Op& op : p) {
        if (const auto* issue = std::get_if<IssueOp>(&op.body)) {
            counts.push_back(issue->parts[0].count);
        }
        if (std::holds_alternative<AsyncOp>(op.body)) {
            labels.push_back(op.label);
        }
    }
    CHECK(counts == std::vector<std::int64_t>{8, 9});
    CHECK(labels == std::vector<std::string>{"load 1 of k", "load 0 of k"});
    CHECK(plan->roles[0].handles == 2);
    CHECK(contains(errors(changed(balanced, "call: inner", "call: iner")),
                   "no procedure 'iner' (did you mean 'inner'?)"));
    CHECK(contains(errors(changed(balanced, "call: inner", "call: step")), "calls itself"));
    CHECK(contains(errors(changed(balanced, "          w: width", "          v: width")),
                   "procedure 'inner' takes 'w'"));
}

TEST_CASE("barriers, rings and groups") {
    const Program p = lowered(
        "- sync: named\n"
        "- producer_acquire: kv\n  as: a\n"
        "- producer_commit: a\n"
        "- consumer_wait: kv\n  as: b\n"
        "- consumer_release: b\n"
        "- async: tmem_load\n  from: t[1]\n  columns: 64\n  class: ld\n"
        "- commit: ld\n  on: done\n"
        "- drain: ld\n  leave: 1\n"
        "- wait: done\n"
        "- turn:\n  cost: 2.5\n"
        "- pass_turn:\n  cost: 3\n  visible: 1.5\n"
        "- take: kv\n  as:\n    - x\n    - y\n");
    CHECK(at<ArriveOp>(p, 0).count == 32);
    CHECK(at<WaitOp>(p, 1).on.barrier == 1);
    CHECK(at<TakeOp>(p, 2).handle == 0);
    CHECK(at<WaitOp>(p, 3).on.handle == 0);
    CHECK(at<WaitOp>(p, 3).on.barrier == 6);
    CHECK(at<ArriveOp>(p, 4).on.barrier == 5);
    CHECK(at<TakeOp>(p, 5).handle == 1);
    CHECK(at<ArriveOp>(p, 7).on.handle == 1);
    CHECK(at<CommitOp>(p, 9).on->barrier == 3);
    CHECK(at<DrainOp>(p, 10).leave == 1);
    CHECK(at<TurnOp>(p, 12).cost == 40);
    CHECK_FALSE(at<TurnOp>(p, 12).passes);
    CHECK(at<TurnOp>(p, 13).passes);
    CHECK(at<TurnOp>(p, 13).cost == 48);
    CHECK(at<TurnOp>(p, 13).visible == 24);
    CHECK(at<TakeOp>(p, 15).handle == 3);
}

TEST_CASE("tensor memory takes the bytes of 32 lanes over the port's rate") {
    const Program p = lowered(
        "- async: tmem_load\n  from: t[0]\n  columns: 96\n  class: ld\n"
        "- async: tmem_store\n  to: t[0]\n  columns: 16\n  instructions: 2\n  class: st\n");
    const TmemModel& model = gpu("b200").tmem;
    const auto& load_op = work<TmemOp>(p, 0);
    CHECK(load_op.port == round_to_ticks(96 * 32 * 4 / model.load_bytes_per_clk));
    CHECK(load_op.latency == model.load_latency);
    CHECK(load_op.instructions == 3);
    const auto& store_op = work<TmemOp>(p, 1);
    CHECK(store_op.store);
    CHECK(store_op.port == round_to_ticks(16 * 32 * 4 / model.store_bytes_per_clk));
    CHECK(store_op.instructions == 2);
    CHECK(at<AsyncOp>(p, 0).op_class != at<AsyncOp>(p, 1).op_class);
}

TEST_CASE("copies know their ends, bytes and instructions") {
    const Program p = lowered(
        "- async: copy\n  from: global\n  to: q[0]\n  class: c\n  first_touch: 1\n"
        "- async: copy\n  from: registers\n  to: global\n  bytes: 1000\n  engine: lsu\n  class: c\n"
        "- async: reduce_add\n  from: q[1]\n  to: global\n  class: c\n");
    const auto& in = work<CopyOp>(p, 0);
    CHECK(in.from == Space::global);
    CHECK(in.to == Space::smem);
    CHECK(in.bytes == 2048);
    CHECK_FALSE(in.l2_hit);
    CHECK(in.instructions == 1);
    const auto& out = work<CopyOp>(p, 1);
    CHECK(out.engine == CopyEngine::lsu);
    CHECK(out.instructions == 2);
    CHECK(out.l2_hit);
    CHECK(work<CopyOp>(p, 2).reduce);
    CHECK(work<CopyOp>(p, 2).bytes == 2048);
}

TEST_CASE("a cluster reaches the peer, the leader and all") {
    const std::string text = changed(
        one_role("- async: copy\n  from: q[0]\n  to: peer q[1]\n  class: c\n  signals: done\n"
                 "  at: peer\n"
                 "- async: copy\n  from: global\n  to: all q[0]\n  class: c\n"
                 "- wait: done\n"),
        "tiles:\n", "cluster: two\ntiles:\n");
    const auto plan = load(text);
    REQUIRE_MESSAGE(plan.has_value(), errors(text));
    CHECK(plan->cluster == 2);
    const Program p = body_of(*plan);
    CHECK(work<CopyOp>(p, 0).to == Space::peer_smem);
    CHECK(work<CopyOp>(p, 0).bytes == 2048);
    CHECK(at<AsyncOp>(p, 0).at == At::peer);
    CHECK(work<CopyOp>(p, 1).to == Space::cluster_smem);
    // One CTA issues the MMAs of a pair.
    const std::string both = changed(
        one_role("- async: mma\n  m: 256\n  n: 64\n  k: 16\n  a: q[0]\n  b: q[1]\n  d: t[0]\n"
                 "  pair: cluster == 2\n  class: mma\n"),
        "tiles:\n", "cluster: two\ntiles:\n");
    CHECK(errors(both).find("one CTA issues the MMAs of a pair") != std::string::npos);
    // In a cluster of one, all and leader are this CTA.
    const std::string alone = one_role(
        "- async: copy\n  from: global\n  to: all q[0]\n  class: c\n  signals: done\n"
        "  at: all\n- wait: done\n");
    const auto single = load(alone);
    REQUIRE_MESSAGE(single.has_value(), errors(alone));
    const Program q = body_of(*single);
    CHECK(work<CopyOp>(q, 0).to == Space::smem);
    CHECK(at<AsyncOp>(q, 0).at == At::self);
}

TEST_CASE("a tcgen05 chain has the steps and times of its instructions") {
    const std::string text =
        changed(changed(one_role("- async: mma\n  m: 128\n  n: 64\n  k: 96\n  a: t[0]\n  b: q[0]\n"
                                 "  d: t[1]\n  class: mma\n"),
                        "    warps: 4\n", "    warps: 1\n"),
                "bytes: 2048", "bytes: 16384");
    const auto plan = load(text);
    REQUIRE_MESSAGE(plan.has_value(), errors(text));
    const Program p = body_of(*plan);
    const auto timing =
        mma_timing(gpu("b200"), {MmaPath::tcgen05, 128, 64, 1, OperandSource::tmem, DType::bf16});
    const auto& op = work<MmaOp>(p, 0);
    CHECK(op.steps == 6);
    CHECK(op.tensor == timing->tensor);
    CHECK(op.smem_bytes == timing->smem_bytes);
    CHECK(op.completion == timing->completion);
    CHECK(op.flops == 2 * 128 * 64 * 16);
    CHECK(p[0].label == "mma t[1]");
}

TEST_CASE("each warp of a wgmma group executes its quarter") {
    const std::string text =
        changed(one_role("- async: mma\n  m: 128\n  n: 64\n  k: 32\n  a: acc\n  b: q[0]\n  d: acc\n"
                         "  class: mma\n"),
                "requires: [tcgen05, tma]", "requires: [wgmma]");
    // Declared but not used here, tensor memory would be over the budget of a GPU without it.
    const std::string fits =
        changed(changed(text, "  t:\n    space: tmem\n    columns: 128\n    copies: two\n", ""),
                "bytes: 2048", "bytes: 16384");
    const auto plan = load(fits, {}, "h100_sxm");
    REQUIRE_MESSAGE(plan.has_value(), errors(fits, {}, "h100_sxm"));
    const auto timing = mma_timing(
        gpu("h100_sxm"), {MmaPath::wgmma, 64, 64, 1, OperandSource::registers, DType::bf16});
    const Program p = body_of(*plan);
    const auto& op = work<MmaOp>(p, 0);
    CHECK(op.steps == 4);
    CHECK(op.tensor == timing->tensor);
    CHECK(op.smem_bytes == timing->smem_bytes);
    CHECK(4 * op.flops == 2 * 64 * 64 * 16);
    CHECK(contains(errors(changed(fits, "warps: 4", "warps: 2"), {}, "h100_sxm"),
                   "wgmma needs whole warp groups of 4; role 'r' has 2"));
    CHECK(contains(errors(changed(fits, "m: 128", "m: 96"), {}, "h100_sxm"), "must be multiples"));
}

TEST_CASE("mma.sync chains are counted in 16 x 8 instructions of one warp") {
    const std::string text =
        changed(one_role("- async: mma\n  m: 16\n  n: 64\n  k: 32\n  a: acc\n  b: registers\n"
                         "  d: acc\n  class: mma\n"),
                "requires: [tcgen05, tma]", "requires: []");
    const auto plan = load(text);
    REQUIRE_MESSAGE(plan.has_value(), errors(text));
    const Program p = body_of(*plan);
    CHECK(work<MmaOp>(p, 0).steps == 16);
    CHECK(work<MmaOp>(p, 0).smem_bytes == 0);
}
