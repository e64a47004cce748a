// Commands about kernels that run one after the other: the backward of head dim 256.
#include "cli/run_program.hpp"
#include "parse_json.hpp"
#include "ran_command.hpp"
#include "source_dir.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace warpline;
using test::contains;
using test::Ran;
using test::run;

namespace {

/// About the backward of head dim 256 at a small shape.
Ran ask(const std::string& command, const std::vector<std::string>& more = {},
        const std::string& kernel = "fa4_bwd") {
    std::vector<std::string> arguments = {command, kernel,    "--head-dim", "256",     "--seqlen",
                                          "2048",  "--batch", "1",          "--heads", "8"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
}

void check_refused(const Ran& ran, int code, const std::vector<std::string>& parts) {
    INFO(ran.err);
    CHECK(ran.code == code);
    CHECK(ran.out.empty());
    for (const std::string& part : parts) {
        CAPTURE(part);
        CHECK(contains(ran.err, part));
    }
}

}  // namespace

TEST_CASE("fa4_bwd at head dim 256 is answered by the kernels that run there") {
    const Ran asked = ask("predict");
    INFO(asked.err);
    REQUIRE(asked.code == 0);
    for (const char* part : {"fa4_bwd_hd256 on b200", "TFLOP/s counted, ",
                             "Kernels, one after the other", "\n  row_sums", "\n  fa4_bwd_hd256_dq",
                             "\n  fa4_bwd_hd256_dkv", "1.400 times the counted work is executed",
                             "Seven products are executed", "fa4_bwd does not take this problem"}) {
        CAPTURE(part);
        CHECK(contains(asked.out, part));
    }
    const Ran named = ask("predict", {"--quiet"}, "fa4_bwd_hd256");
    CHECK(named.out == ask("predict", {"--quiet"}).out);
    CHECK(contains(run({"predict", "fa4_bwd", "--quiet", "--seqlen", "2048"}).out, "counted   "));
}

TEST_CASE("as JSON, kernels that run one after the other have a format of their own") {
    const auto json = test::parse_json(ask("predict", {"--json"}).out);
    CHECK(json["schema"] == "warpline-operation-prediction/1");
    CHECK(json["executed_flops"].get<double>() / json["counted_flops"].get<double>() ==
          doctest::Approx(1.4));
    double sum = json["launches"][0]["time_ms"];
    for (const auto& kernel : json["kernels"]) {
        CHECK(kernel["prediction"]["schema"] == "warpline-prediction/1");
        sum += kernel["prediction"]["time_ms"].get<double>();
    }
    CHECK(json["time_ms"] == doctest::Approx(sum));
}

TEST_CASE("what shows one schedule asks which kernel is meant, and shows it when it is named") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string file = folder->path() + "/out";
    const std::vector<std::string> which = {
        "runs several kernels, one after the other",
        "name one of them: fa4_bwd_hd256_dq, fa4_bwd_hd256_dkv"};
    check_refused(ask("predict", {"--gantt"}), 2, which);
    check_refused(ask("predict", {"--schedule", file}), 2, which);
    check_refused(ask("trace", {"-o", file}), 2, which);
    check_refused(ask("report", {"-o", file}), 2, which);
    check_refused(ask("plan", {}, "fa4_bwd_hd256"), 2, which);
    CHECK_FALSE(std::ifstream(file).good());
    CHECK(contains(ask("predict", {"--gantt"}, "fa4_bwd_hd256_dq").out, "epilogue"));
    CHECK(ask("trace", {"-o", file}, "fa4_bwd_hd256_dkv").code == 0);
}

TEST_CASE("what the backward of head dim 256 does not take is said, and what was asked") {
    check_refused(ask("predict", {"--deterministic"}), 3,
                  {"has no deterministic mode", "fa4_bwd does not take this problem"});
    check_refused(ask("predict", {"--window", "512"}), 3, {"no windowed backward"});
    check_refused(ask("predict", {"--dtype", "fp8"}), 3, {"bf16, fp16, not fp8"});
    check_refused(ask("predict", {"--gpu", "h200"}), 3, {"tcgen05", "--gpu b100, b200"});
    check_refused(ask("predict", {"--gpu", "h200"}, "fa4_bwd_hd256"), 3,
                  {"tcgen05", "--gpu b100, b200"});
    check_refused(ask("predict", {"--set", "pair=0"}), 2,
                  {"no kernel of fa4_bwd_hd256 has a parameter 'pair'", "runs in its place"});
    check_refused(ask("predict", {"--scores", "normal:1"}), 2, {"does not depend on scores"});
    check_refused(
        run({"predict", "fa4_bwd_hd256", "--gpu", "b300", "--head-dim", "256", "--power"}), 2,
        {"the power of b300 is not known"});
    CHECK(contains(ask("predict", {"--power"}).out, "W leave of 1965 MHz"));
    check_refused(run({"predict", "fa4_bwd_hd256"}), 3, {"head dim 256 only"});
}

TEST_CASE("studies answer kernels that run one after the other") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string study = folder->path() + "/study.yaml";
    std::ofstream(study) << "schema: warpline-study/1\ntitle: test\nspace:\n  kernel: [fa4_bwd]\n"
                            "  gpu: [b200]\n  head_dim: [128, 256]\n  seqlen: [1024]\n"
                            "  batch: [1]\n";
    const std::string rows = folder->path() + "/rows.csv";
    const Ran swept = run({"sweep", study, "--out", rows});
    INFO(swept.err);
    REQUIRE(swept.code == 0);
    std::ifstream file(rows);
    std::string header, narrow, wide;
    std::getline(file, header);
    std::getline(file, narrow);
    std::getline(file, wide);
    CAPTURE(wide);
    CHECK(contains(header, "step_roofline,step_recurrence,step_simulated,bound_by"));
    CHECK(contains(wide, ",ok,"));
    CHECK(contains(wide, ",,,,"));  // no step in common
    CHECK_FALSE(contains(narrow, ",,,,"));
    const Ran page = run({"report", "--sweep", rows, "-o", folder->path() + "/page.html"});
    CHECK(page.code == 0);
    const Ran whatif = ask("whatif", {"--set", "hw.mufu.ex2=32/clk"});
    INFO(whatif.err);
    CHECK(whatif.code == 0);
    CHECK(contains(whatif.out, "exponential unit"));
    CHECK(ask("whatif", {"--against", "b300"}).code == 0);
}

TEST_CASE("measured rows of the family are compared with the kernels of their build") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string file = folder->path() + "/rows.csv";
    const std::string rest = "bf16,bwd,256,256,1,8,8,2048,2048,full,,,1\n";
    std::ofstream(file) << "source,gpu,sm_clock_mhz,clock_evidence,kernel,version,built,dtype,"
                           "direction,head_dim_qk,head_dim_v,batch,heads_q,heads_kv,seqlen_q,"
                           "seqlen_kv,mask,window,deterministic,time_ms\n"
                           "made up,b200,1710,stated,fa4,,,"
                        << rest << "made up,b200,1710,stated,fa4,,2026-03," << rest
                        << "made up,b200,1710,stated,fa4_bwd_hd256,,," << rest;
    const Ran compared = run({"compare", file, "--json"});
    INFO(compared.err);
    REQUIRE(compared.code == 0);
    const auto json = test::parse_json(compared.out);
    REQUIRE(json["rows"].size() == 3);
    const auto asked = test::parse_json(ask("predict", {"--json", "--clock", "1710MHz"}).out);
    for (const std::size_t row : {0U, 2U}) {
        CHECK(json["rows"][row]["predicted_by"] == "fa4_bwd_hd256");
        CHECK(json["rows"][row]["predicted_time_ms"] == asked["time_ms"]);
    }
    CHECK(contains(json["rows"][1]["status"].get<std::string>(),
                   "no kernels for head dim 256 on Blackwell before 2026-04-23"));
}

TEST_CASE("a file that names kernels is checked with each of them") {
    const std::string file = source_dir() + "/pipelines/fa4_bwd_hd256.yaml";
    const Ran checked = run({"check", file, "--head-dim", "256"});
    INFO(checked.err);
    REQUIRE(checked.code == 0);
    CHECK(contains(checked.out, "a sound list of kernels for bwd"));
    CHECK(contains(checked.out, "\nfa4_bwd_hd256_dq\n  roles 4"));
    CHECK(contains(checked.out, "\nfa4_bwd_hd256_dkv\n  roles 3"));
    const std::string kernels = run({"kernels"}).out;
    CHECK(contains(kernels, "\nfa4_bwd_hd256          backward   b100, b200, b300"));
}
