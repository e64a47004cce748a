#include "cli/run_program.hpp"
#include "parse_json.hpp"
#include "ran_command.hpp"
#include "source_dir.hpp"
#include "temporary_folder.hpp"
#include "warpline/pipeline/mechanism_meaning.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::contains;
using test::Ran;
using test::run;
namespace fs = std::filesystem;

namespace {

/// A request that is refused: its code, one message, and nothing on standard output.
void check_refused(const std::vector<std::string>& arguments, int code,
                   const std::string& message) {
    const Ran ran = run(arguments);
    INFO(ran.err);
    CHECK(ran.code == code);
    CHECK(ran.out.empty());
    CHECK(ran.err.rfind("error: ", 0) == 0);
    CHECK(contains(ran.err, message));
}

}  // namespace

TEST_CASE("help and version are answers") {
    CHECK(run({"--help"}).code == 0);
    CHECK(contains(run({"--help"}).out, "predict"));
    CHECK(contains(run({"predict", "--help"}).out, "--head-dim"));
    CHECK(run({"--version"}).out.rfind("warpline ", 0) == 0);
}

TEST_CASE("usage errors are 2, with one message and no output") {
    check_refused({}, 2, "subcommand");
    check_refused({"fly"}, 2, "fly");
    check_refused({"predict"}, 2, "kernel");
    check_refused({"predict", "fa4_fwd", "--no-such"}, 2, "--no-such");
    check_refused({"predict", "fa4_fwd", "--batch"}, 2, "--batch");
    check_refused({"predict", "fa4_fwd", "--batch", "nan"}, 2, "--batch must be a whole number");
    check_refused({"predict", "fa4_fwd", "--batch", "-1"}, 2, "--batch");
    check_refused({"predict", "fa4_fwd", "--batch", ""}, 2, "--batch");
    check_refused({"predict", "fa4_fwd", "--seqlen", "2147483648"}, 2, "--seqlen");
    check_refused({"predict", "fa4_fwd", "--seqlen-q", "0"}, 2, "--seqlen-q");
    check_refused({"predict", "fa4_fwd", "--seqlen", "1", "--seqlen-q", "2"}, 2, "both lengths");
    check_refused({"predict", "fa4_fwd", "--varlen", "1,2", "--batch", "2"}, 2, "--varlen");
    check_refused({"predict", "fa4_fwd", "--mask", "none"}, 2, "--mask must be");
    check_refused({"predict", "fa4_fwd", "--mask", "full", "--window", "8"}, 2, "contradict");
    check_refused({"predict", "fa4_fwd", "--clock", "fast"}, 2, "1755MHz");
    check_refused({"predict", "fa4_fwd", "--ideal", "smem_contentio"}, 2, "smem_contention?");
    check_refused({"predict", "fa4_fwd", "--granularity", "0"}, 2, "--granularity");
    check_refused({"predict", "fa4_fwd", "--set", "kv_stages"}, 2, "NAME=VALUE");
    check_refused({"predict", "fa4_fwd", "--color", "sometimes"}, 2, "sometimes");
    check_refused({"predict", "fa4_fwd", "--heads", "16", "--heads-kv", "3"}, 2, "heads");
}

TEST_CASE("an empty argument is refused, and said where") {
    check_refused({"specs", ""}, 2, "the argument after specs is empty");
    check_refused({"predict", "fa4_fwd", "--json", ""}, 2, "after --json");
    check_refused({"predict", "fa4_fwd", "--schedule="}, 2, "--schedule= has no value");
    check_refused({"predict", "--json", "fa4_fwd", "--gpu", "b200"}, 2,
                  "--json took 'fa4_fwd' as its FILE");
}

TEST_CASE("an option is not taken for the name of a file") {
    check_refused({"predict", "fa4_fwd", "--schedule", "-q"}, 2,
                  "--schedule took '-q' as its FILE: a file of that name is written ./-q");
    check_refused({"report", "fa4_fwd", "-o", "--change"}, 2, "--output took '--change'");
    check_refused({"compare", "x.csv", "--golden=--csv"}, 2, "--golden took '--csv'");
    check_refused({"validate", "--build", "-o"}, 2, "--build took '-o' as its DIR");
    check_refused({"--data-dir", "--color", "specs"}, 2, "--data-dir took '--color' as its DIR");
    CHECK(
        contains(run({"predict", "fa4_fwd", "--seqlen", "1024", "--schedule", "-"}).out, "role,"));
}

TEST_CASE("what a broken file holds is left out of a list, and said") {
    const TemporaryFolder folder;
    for (const char* name : {"hw_specs", "pipelines"}) {
        fs::copy(fs::path(source_dir()) / name, folder.path() / name, fs::copy_options::recursive);
    }
    const auto list = [&](const char* what) { return run({"--data-dir", folder / "", what}); };
    CHECK(list("specs").code == 0);
    CHECK(list("kernels").code == 0);

    std::ofstream(folder / "hw_specs/broken.yaml") << "a: [b\n";
    std::ofstream(folder / "hw_specs/arch/sm_90.yaml") << "title: nothing else\n";
    std::ofstream(folder / "pipelines/broken_op.yaml")
        << "schema: warpline-operation/1\ntitle: both\nsource: here\ndirection: backward\n"
           "kernels: [fa4_bwd, fa4_bwdd]\n";
    const Ran specs = list("specs");
    CHECK(specs.code == 2);
    CHECK(contains(specs.out, "\nb200 "));
    CHECK_FALSE(contains(specs.out, "broken"));
    CHECK(contains(specs.err, "error: not listed: GPU broken, GPU h100_sxm, GPU h200\n"));
    CHECK(contains(specs.err, "broken.yaml:2:1: not valid YAML"));
    const std::string inherited = "sm_90.yaml:1:1: ";
    CHECK(contains(specs.err, inherited));
    CHECK(specs.err.find(inherited) == specs.err.rfind(inherited));

    const Ran kernels = list("kernels");
    CHECK(kernels.code == 2);
    CHECK(contains(kernels.out, "\nfa4_fwd "));
    CHECK(contains(kernels.out, " b200,"));
    CHECK(contains(kernels.err, "GPU h200, kernel broken_op\n"));
    CHECK(contains(kernels.err, "broken_op.yaml:5:"));
    CHECK(contains(kernels.err, "there is no kernel 'fa4_bwdd'"));

    std::ofstream(folder / "pipelines/broken_op.yaml") << "a: [b\n";
    fs::remove_all(folder / "hw_specs/arch");
    const Ran none = list("specs");
    CHECK(none.code == 2);
    CHECK(none.out.empty());
}

TEST_CASE("names that do not exist are 2, with the nearest that does") {
    check_refused({"predict", "fa4_fwdd"}, 2, "did you mean 'fa4_fwd'?");
    check_refused({"predict", "fa4_fwd", "--gpu", "b20"}, 2, "b200");
    check_refused({"specs", "b20"}, 2, "b200");
    check_refused({"check", "/nonexistent.yaml"}, 2, "/nonexistent.yaml");
    check_refused({"check", "x"}, 2, ".yaml");
    check_refused({"compare", "/nonexistent.csv"}, 2, "/nonexistent.csv");
    check_refused({"compare"}, 2, "--timeline");
    check_refused({"compare", "--timeline", "/nonexistent.csv"}, 2, "/nonexistent.csv");
    check_refused({"--data-dir", "/nonexistent", "specs"}, 2, "/nonexistent");
}

TEST_CASE("what cannot be is 3") {
    check_refused({"predict", "fa4_fwd", "--head-dim", "7"}, 3, "head dim");
    check_refused({"predict", "fa4_fwd", "--gpu", "h100_sxm"}, 3, "tcgen05");
    check_refused({"predict", "fa4_fwd", "--gpu", "h100_sxm"}, 3, "--gpu b100, b200");
}

TEST_CASE("messages are harmless whatever the arguments") {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"\x1b[2J"},
                                                      {"predict", "\x1b[2J"},
                                                      {"predict", "fa4_fwd", "--gpu", "\x1b[2J"},
                                                      {"explain", "b200", "\x1b[2J"}}) {
        const Ran ran = run(arguments);
        CHECK(ran.code == 2);
        CHECK_FALSE(contains(ran.err, "\x1b"));
    }
}

TEST_CASE("a prediction, in every form") {
    const std::vector<std::string> question = {"predict",  "fa4_fwd", "--gpu",   "b200",
                                               "--seqlen", "2048",    "--batch", "1"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments = question;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    };
    const Ran summary = with({});
    INFO(summary.err);
    REQUIRE(summary.code == 0);
    CHECK(summary.err.empty());
    CHECK(contains(summary.out, "fa4_fwd on b200"));
    CHECK(contains(summary.out, "three answers"));
    CHECK_FALSE(contains(summary.out, "\x1b"));
    CHECK(contains(with({"--color", "always"}).out, "\x1b[1m"));

    CHECK(contains(summary.out, "Nearest measurements, and the model's error on them"));

    const std::string quiet = with({"--quiet"}).out;
    CHECK(std::count(quiet.begin(), quiet.end(), '\n') == 1);

    const auto json = test::parse_json(with({"--json"}).out);
    CHECK(json["schema"] == "warpline-prediction/1");
    CHECK(json["problem"]["seqlen_q"] == 2048);
    CHECK(json["utilization"] > 0.0);
    CHECK(json["utilization"] <= 1.0);
    REQUIRE(json["nearest_measured"].size() == 3);
    CHECK(json["nearest_measured"][0]["gpu"] == "b200");
    CHECK(json["nearest_measured"][0]["problem"]["head_dim_qk"] == 128);

    CHECK(contains(with({"--gantt"}).out, "tensor"));
    CHECK(with({"--schedule", "/nonexistent/x.csv"}).code == 2);
    CHECK(with({"--schedule", "/nonexistent/x.csv"}).out.empty());
}

TEST_CASE("color auto is what the session says") {
    CHECK(contains(run({"specs"}, true).out, "\x1b[1m"));
    CHECK_FALSE(contains(run({"specs", "--color", "never"}, true).out, "\x1b"));
}

TEST_CASE("specs, explain and kernels answer") {
    CHECK(contains(run({"specs"}).out, "b200"));
    CHECK(contains(run({"specs", "b200"}).out, "mufu.ex2"));
    const Ran explained = run({"explain", "b200", "mufu.ex2"});
    CHECK(contains(explained.out, "confidence"));
    CHECK(contains(explained.out, "softmax, scale decision"));
    CHECK(run({"explain", "b200", "hw.bar.latency"}).out ==
          run({"explain", "b200", "bar.latency"}).out);
    const std::string kernels = run({"kernels"}).out;
    CHECK(contains(kernels, "fa4_fwd"));
    CHECK(contains(kernels, "h100_sxm, h200"));
    CHECK(contains(kernels,
                   "a100_sxm, b100, b200, b300, gb200, gb300, h100_sxm, h200, rtx_5090, "
                   "rtx_pro_6000, rubin"));
}

TEST_CASE("every shipped pipeline passes its check on a GPU that can run it") {
    CHECK(run({"check", source_dir() + "/pipelines/fa4_fwd.yaml"}).code == 0);
    CHECK(run({"check", source_dir() + "/hw_specs/b200.yaml"}).code == 0);
    CHECK(run({"check", source_dir() + "/pipelines/cudnn_fwd.yaml"}).code == 0);
    for (const char* head_dim : {"64", "128", "256"}) {
        for (const char* mask : {"full", "causal"}) {
            CAPTURE(head_dim);
            CHECK(run({"check", source_dir() + "/pipelines/warpline_sm90_fwd.yaml", "--gpu", "h200",
                       "--head-dim", head_dim, "--mask", mask})
                      .code == 0);
        }
    }
}

TEST_CASE("a shipped timeline is compared with its simulation") {
    const Ran ran =
        run({"compare", "--timeline",
             source_dir() + "/validate/measured/timelines/h200_warpline_sm90_fwd_hd128.csv"});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "interval of a step"));
    CHECK(contains(ran.out, "consumer[1] after copy 0"));
    CHECK(contains(ran.out, "softmax"));
}

TEST_CASE("compare answers in JSON, fits clocks, and fails only when it is asked to") {
    const std::string file = source_dir() + "/validate/measured/b200_avo_mha.csv";
    const Ran json = run({"compare", "--json", file, "--fit-clock"});
    CHECK(json.code == 0);
    const auto value = test::parse_json(json.out);
    CHECK(value["schema"] == "warpline-comparison/1");
    CHECK(value["rows"].size() == 24);
    std::size_t used = 0;
    for (const auto& row : value["rows"]) {
        used += row["status"].get<std::string>().rfind("unused", 0) != 0 ? 1U : 0U;
    }
    CHECK(used >= 8);
    const Ran strict = run({"compare", file, "--fail-above", "0.01%"});
    CHECK(strict.code == 1);
    CHECK_FALSE(strict.out.empty());
    CHECK(run({"compare", file, "--fail-above", "90%"}).code == 0);
    CHECK(contains(run({"compare", file, "--split", "test"}).out, "calibration row"));
    check_refused({"compare", file, "--fail-above", "much"}, 2, "such as 10%");
    check_refused({"compare", file, "--fit-clock", "--clock", "1GHz"}, 2, "contradict");
    check_refused({"compare", "--json"}, 2, "tables of measured kernels");
}

TEST_CASE("an unknown option is a usage error of every command") {
    for (const char* const command : {"compare", "predict", "plan", "whatif", "specs"}) {
        const Ran ran = run({command, "--bogus", "x"});
        CHECK_MESSAGE(ran.code == 2, command);
        CHECK_MESSAGE(ran.err.find("internal") == std::string::npos, ran.err);
        CHECK_MESSAGE(ran.err.find("--bogus") != std::string::npos, ran.err);
    }
}

TEST_CASE("plan ranks designs, or says which budget is over and what would fit") {
    const std::vector<std::string> few = {"--seqlen", "1024",  "--set",
                                          "pair=0",   "--set", "kv_stages=2"};
    const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), few.begin(), few.end());
        return arguments;
    };
    const Ran one = run(with({"plan", "fa4_fwd", "--head-dim", "192:160", "--top", "3", "--json"}));
    INFO(one.err);
    REQUIRE(one.code == 0);
    const auto plan = test::parse_json(one.out);
    CHECK(plan["designs"].size() == 3);
    CHECK(plan["problem"] == "fwd bf16 b4 h16 s1024 d192/160 full");
    CHECK(plan["designs"][0]["time_ms"] <= plan["designs"][1]["time_ms"]);
    check_refused(with({"plan", "fa4_fwd", "--head-dim", "512"}), 3,
                  "TMEM columns: at least 544 columns needed, 512 available, 32 over");
    check_refused({"plan", "fa4_fwd", "--head-dim", "1025"}, 2, "must be between 1 and 1024");
    check_refused({"plan", "fa4_fwd", "--top", "0"}, 2, "--top");
    check_refused({"plan", "fa4_fwd", "--gpu", "h200"}, 3, "--gpu b100, b200");
}

TEST_CASE("an empty file is said to be empty") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string file = folder->path() + "/empty.yaml";
    for (const char* text : {"", "\n\n", "# nothing yet\n"}) {
        CAPTURE(text);
        std::ofstream(file) << text;
        check_refused({"check", file}, 2, "empty.yaml is empty");
        check_refused({"check", file}, 2, "'schema: warpline-hardware/1'");
        check_refused({"check", file}, 2, "'schema: warpline-pipeline/1'");
    }
}

TEST_CASE("what --ideal switches off is listed, and documented as it is listed") {
    const Ran listed = run({"mechanisms"});
    REQUIRE(listed.code == 0);
    std::ifstream readme(source_dir() + "/model/engine/README.md");
    const std::string text{std::istreambuf_iterator<char>(readme), {}};
    for (const Mechanism mechanism : all_mechanisms()) {
        const std::string name(mechanism_name(mechanism));
        const std::string meaning(mechanism_meaning(mechanism));
        CAPTURE(name);
        CHECK(contains(listed.out, "\n" + name + " "));
        CHECK(contains(listed.out, "  " + meaning + "\n"));
        CHECK(contains(text, "| `" + name + "` | " + meaning + " |"));
    }
    CHECK(contains(run({"predict", "--help"}).out, "warpline mechanisms"));
    CHECK(contains(run({"predict", "fa4_fwd", "--ideal", "luck"}).err, "warpline mechanisms"));
}
