// `warpline check`: what it says of a pipeline, and that it knows every kind of file.
#include "ran_command.hpp"
#include "temporary_folder.hpp"

#include <fstream>
#include <string>

#include <doctest/doctest.h>

using namespace warpline;
using test::contains;
using test::Ran;
using test::run;

namespace {

/// A kernel in one role that multiplies QK and PV. `k` is what QK has of the head dim.
std::string kernel_text(const std::string& k) {
    return R"(schema: warpline-pipeline/1
title: one role
source: the test
direction: forward
requires: [tcgen05]
tiles:
  rows: 128
  block: 128
  loop: kv
buffers:
  q:
    space: smem
    bytes: 128 * d_qk * element_bytes
  s:
    space: tmem
    columns: 128
barriers:
  done:
    kind: mbarrier
    arrivals:
      mma: 1
roles:
  mma:
    warps: 1
    registers: 64
program:
  mma:
    - loop: tiles
      do:
        - loop: blocks
          do:
            - async: mma
              m: 128
              n: 128
              k: )" +
           k + R"(
              a: q
              b: q
              d: s
              class: qk
            - async: mma
              m: 128
              n: d_v
              k: 128
              a: q
              b: q
              d: s
              class: qk
            - commit: qk
              on: done
            - wait: done
)";
}

std::string written(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    return path;
}

std::string in_tree(const std::string& path) {
    return source_dir() + "/" + path;
}

}  // namespace

TEST_CASE("check says what it looked for") {
    const TemporaryFolder folder;
    const Ran ran = run({"check", written(folder / "k.yaml", kernel_text("d_qk"))});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "arrivals balance, no deadlock on tiles of 0 to 3 blocks"));
    CHECK_FALSE(contains(ran.out, "race"));
    CHECK_FALSE(contains(ran.out, "warning"));
    CHECK(contains(run({"check", "--help"}).out, "not data races"));
}

TEST_CASE("a kernel that multiplies less than it is credited with is warned of") {
    const TemporaryFolder folder;
    const std::string file = written(folder / "short.yaml", kernel_text("16"));
    const std::string missing = "executes 56.2 % of the FLOPs that the problem counts";
    const Ran ran = run({"check", file});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "warning: "));
    CHECK(contains(ran.out, missing));
    CHECK(contains(run({"predict", file}).out, missing));
    // Under a mask a program may do more, and less, than is counted.
    CHECK_FALSE(contains(run({"check", file, "--mask", "causal"}).out, missing));
    CHECK_FALSE(contains(run({"predict", file, "--mask", "causal"}).out, missing));
    CHECK_FALSE(contains(run({"predict", "fa4_fwd", "--seqlen", "1024"}).out, "work is missing"));
    const Ran two = run({"check", in_tree("pipelines/fa4_bwd_hd256.yaml"), "--head-dim", "256"});
    CHECK(two.code == 0);
    CHECK_FALSE(contains(two.out, "work is missing"));
}

TEST_CASE("a file that does not say what it is is told what it may be, in one line") {
    const TemporaryFolder folder;
    const std::string text = kernel_text("d_qk");
    for (const std::string& bad : {text.substr(text.find('\n') + 1), std::string("- 1\n- 2\n"),
                                   "schema: wrapline/1\n" + text.substr(text.find('\n') + 1)}) {
        const Ran ran = run({"check", written(folder / "bad.yaml", bad)});
        INFO(ran.err);
        CHECK(ran.code == 2);
        CHECK(ran.err.find('\n') == ran.err.size() - 1);
        CHECK(contains(ran.err, "bad.yaml:1:"));
        CHECK(contains(ran.err,
                       "warpline-pipeline/1, warpline-operation/1, warpline-family/1, "
                       "warpline-hardware/1, warpline-study/1, warpline-blocks/1"));
    }
    CHECK(contains(run({"check", written(folder / "bad.yaml", "")}).err, "is empty"));
}

TEST_CASE("check reads every kind of file as what it is") {
    const TemporaryFolder folder;
    CHECK(contains(run({"check", in_tree("hw_specs/b200.yaml")}).out, "a sound specification"));
    CHECK(contains(run({"check", in_tree("pipelines/families/fa4.yaml")}).out, "a sound family"));
    CHECK(contains(run({"check", written(folder / "blocks.yaml",
                                         "schema: warpline-blocks/1\nrows: 256\nblock: 128\n"
                                         "tiles:\n  - full: 2\n    count: 3\n")})
                       .out,
                   "sound block lists of 3 tiles"));
    CHECK(contains(run({"check", written(folder / "study.yaml",
                                         "schema: warpline-study/1\ntitle: t\nspace:\n"
                                         "  head_dim: [64, 128]\n")})
                       .out,
                   "a sound study of 2 points"));
}

TEST_CASE("an architecture is checked without what its GPUs add") {
    for (const char* name : {"sm_80", "sm_90", "sm_100", "sm_103", "sm_120"}) {
        const Ran ran = run({"check", in_tree(std::string("hw_specs/arch/") + name + ".yaml")});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(contains(ran.out, "a sound architecture"));
        CHECK(contains(ran.out, "sm_count, clock.boost"));
    }
    const TemporaryFolder folder;
    const Ran ran = run({"check", written(folder / "arch.yaml",
                                          "schema: warpline-hardware/1\ntitle: t\narch: sm_1\n"
                                          "instructions:\n  ffma:\n    unit: fma\n")});
    CHECK(ran.code == 2);
    CHECK(contains(ran.err, "instruction 'ffma' needs unit, rate and latency"));
}

TEST_CASE(
    "a family's expressions and kernels are looked at, whether or not a problem comes there") {
    const TemporaryFolder folder;
    const std::string text =
        "schema: warpline-family/1\ntitle: t\nsource: s\nrules:\n"
        "  - kernel: fa4_fwd\n  - kernel: fa5_fwd\n    when: d_qk <= 128\n";
    const Ran ran = run({"check", written(folder / "f.yaml", text)});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "a sound family with 2 rules and 0 changes"));
    CHECK(contains(ran.out, "there is no kernel 'fa5_fwd'"));
    const Ran wrong = run(
        {"check", written(folder / "f.yaml", text + "  - kernel: fa4_fwd\n    when: d_kq == 1\n")});
    CHECK(wrong.code == 2);
    CHECK(contains(wrong.err, "f.yaml:9:11: "));
    CHECK(contains(wrong.err, "d_kq"));
}

TEST_CASE("an expression that a comma cuts is told to be quoted") {
    const TemporaryFolder folder;
    std::string text = kernel_text("d_qk");
    const std::string arrivals = "    arrivals:\n      mma: 1\n";
    text.replace(text.find(arrivals), arrivals.size(), "    arrivals: {mma: min(1, 2)}\n");
    const Ran ran = run({"check", written(folder / "cut.yaml", text)});
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK(contains(ran.err,
                   "cut.yaml:20:24: arrivals: this parenthesis is not closed (inside { } or "
                   "[ ] an expression with commas must be quoted)"));
    CHECK_FALSE(contains(ran.err, "arrivals is empty"));
    CHECK_FALSE(contains(ran.err, "known: mma"));
}

TEST_CASE("an empty source is no source") {
    const TemporaryFolder folder;
    std::string text = kernel_text("d_qk");
    text.replace(text.find("source: the test"), 16, "source:");
    const Ran ran = run({"check", written(folder / "s.yaml", text)});
    CHECK(ran.code == 2);
    CHECK(contains(ran.err, "s.yaml:4:1: "));
    CHECK(contains(ran.err, "source is empty"));
}
