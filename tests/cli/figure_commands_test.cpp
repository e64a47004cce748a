#include "cli/run_program.hpp"
#include "parse_json.hpp"
#include "ran_command.hpp"
#include "reports/trace_checker.hpp"
#include "source_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <doctest/doctest.h>

using namespace warpline;
using test::contains;
using test::Ran;
using test::run;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

const std::vector<std::string> trace = {"trace", "fa4_fwd", "--seqlen", "4096"};
const std::string timeline =
    source_dir() + "/validate/measured/timelines/h200_warpline_sm90_fwd_hd128.csv";

}  // namespace

TEST_CASE("a trace is written where it was asked for, and what it holds is said") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string file = folder->path() + "/trace.json";
    const Ran folded = run(with(trace, {"-o", file}));
    INFO(folded.err);
    REQUIRE(folded.code == 0);
    CHECK(contains(folded.out, "estimated"));
    CHECK(contains(folded.out, "folded:"));
    CHECK(contains(folded.out, "SM cycle"));
    const auto events = test::parse_json(content(file))["traceEvents"].size();
    CHECK(contains(run(with(trace, {"-o", file, "--time", "us"})).out, "microseconds"));
    REQUIRE(run(with(trace, {"-o", file, "--all-iterations"})).code == 0);
    CHECK(test::parse_json(content(file))["traceEvents"].size() > events);
    REQUIRE(run(with(trace, {"-o", file, "--cta", "0", "--cycles", "5000:6000"})).code == 0);
    CHECK(test::parse_json(content(file))["traceEvents"].size() < events);
}

TEST_CASE("a measured timeline stands beside the simulated one, as a process of its own") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string file = folder->path() + "/trace.json";
    const Ran ran = run({"trace", "--measured", timeline, "-o", file, "--cycles", "0:20000"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const auto written = test::parse_json(content(file));
    std::map<int, std::size_t> slices;
    int measured = -1;
    for (const auto& event : written["traceEvents"]) {
        if (event["ph"] == "X") {
            ++slices[event["pid"]];
        } else if (event["name"] == "process_name" && contains(event["args"]["name"], "measured")) {
            measured = event["pid"];
        }
    }
    CHECK(slices.size() == 3);  // warps, units, measured
    CHECK(slices[measured] > 50);
    CHECK(contains(written["otherData"]["title"], "warpline_sm90_fwd on h200"));
}

TEST_CASE("every shipped timeline makes a trace that keeps the format's rules") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string file = folder->path() + "/trace.json";
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(timeline).parent_path())) {
        INFO(entry.path().string());
        const Ran ran =
            run({"trace", "--measured", entry.path().string(), "-o", file, "--cycles", "0:30000"});
        REQUIRE_MESSAGE(ran.code == 0, ran.err);
        const std::string text = content(file);
        for (const std::string& violation : test::trace_violations(text)) {
            FAIL_CHECK(violation);
        }
        CHECK(contains(text, "measured, from its first stamp"));
        ++files;
    }
    CHECK(files == 3);
}

TEST_CASE("requests for traces and reports that cannot be met are refused") {
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
        const Ran ran = run(arguments);
        INFO(ran.err);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(contains(ran.err, message));
    };
    refused(trace, "output");
    refused({"trace", "-o", "/dev/null"}, "KERNEL");
    refused(with(trace, {"-o", "/dev/null", "--measured", timeline}), "--measured");
    refused({"trace", "-o", "/dev/null", "--measured", "/nonexistent/t.csv"}, "/nonexistent/t.csv");
    refused({"report", "fa4_fwd", "-o", "/dev/null", "--change", "nothing=1"}, "nothing");
    for (const char* window : {"5", ":", "a:b", "9:1", "5:5", "-1:5", "1:2:3"}) {
        refused(with(trace, {"-o", "/dev/null", "--cycles", window}), "--cycles");
    }
    refused(with(trace, {"-o", "/dev/null", "--cta", "2"}), "--cta");
    refused(with(trace, {"-o", "/dev/null", "--time", "years"}), "years");
    refused(with(trace, {"-o", "/nonexistent/x"}), "/nonexistent/x");
    refused({"report", "fa4_fwd"}, "output");
    refused({"report", "fa4_fwd", "-o", "/dev/null", "--against", "b20"}, "b200");
}

TEST_CASE("a report of two GPUs, with its tables") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string page = folder->path() + "/report.html";
    const Ran ran = run({"report", "fa4_fwd", "--seqlen", "2048", "--against", "b300", "-o", page,
                         "--tables", folder->path() + "/tables"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const std::string html = content(page);
    CHECK(contains(html, "fa4_fwd on b200 and b300"));
    CHECK(contains(html, "--against b300"));
    CHECK(contains(html, "b300 against b200"));
    const std::string units = content(folder->path() + "/tables/units.csv");
    CHECK(units.rfind("case,unit,", 0) == 0);
    CHECK(contains(units, "\nb300,"));
    const std::string beside = content(folder->path() + "/tables/beside.csv");
    CHECK(beside.rfind("quantity,unit,b200,b300,second over first\n", 0) == 0);
    CHECK(contains(beside, "\nclock,MHz,1710,1768,"));
    // What each difference brings; with another change beside it nothing is attributed.
    CHECK(contains(html, "data-figure=\"effects\""));
    CHECK(contains(content(folder->path() + "/tables/effects.csv"), "\nmufu.ex2.rate,"));
    REQUIRE(run({"report", "fa4_fwd", "--seqlen", "2048", "--against", "b300", "--change",
                 "emulated=0", "-o", page})
                .code == 0);
    CHECK_FALSE(contains(content(page), "data-figure=\"effects\""));
}

TEST_CASE("a what-if over shapes has a page and tables, too") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string page = folder->path() + "/whatif.html";
    const Ran ran = run({"whatif", "fa4_fwd", "--against", "b300", "--seqlen", "1024,2048",
                         "--report", page, "--tables", folder->path()});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, "b200 against b300"));
    const std::string html = content(page);
    CHECK(contains(html, "geometric mean over 2 shapes"));
    CHECK(contains(html, "--against b300"));
    CHECK(contains(content(folder->path() + "/shapes.csv"), "\nfa4_fwd,128,2048,full,"));
}

TEST_CASE("a report sets a change of design beside the design") {
    const auto folder = cli::TemporaryFolder::make();
    REQUIRE(folder);
    const std::string page = folder->path() + "/report.html";
    const Ran ran = run({"report", "fa4_fwd", "--seqlen", "2048", "--set", "emulated=16",
                         "--change", "emulated=0", "--change", "hw.mufu.ex2=32/clk", "-o", page,
                         "--tables", folder->path()});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(content(page), "b200 with emulated=0, hw.mufu.ex2=32/clk against b200"));
    const std::string beside = content(folder->path() + "/beside.csv");
    CHECK(contains(beside, "b200 with emulated=0"));
    CHECK(contains(beside, "\nclock,MHz,1710,1710,1\n"));
}

TEST_CASE("the chart of the steady state is coloured on a terminal, and 80 columns wide") {
    const std::vector<std::string> question = {"predict", "fa4_fwd", "--seqlen",
                                               "2048",    "--quiet", "--gantt"};
    CHECK(contains(run(question, true).out, "\x1b[30;48;5;"));
    const std::string plain = run(question).out;
    CHECK_FALSE(contains(plain, "\x1b"));
    std::istringstream lines(plain.substr(plain.find('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
        CHECK(display_width(line) <= 80);
    }
}

TEST_CASE("programs are run without a shell, and failures say what was wanted") {
    const auto echoed = cli::run_program({"echo", "$HOME; `id`"}, "this");
    REQUIRE(echoed);
    CHECK(*echoed == "$HOME; `id`\n");
    for (const char* program : {"no-such-program", "false"}) {
        const auto failed = cli::run_program({program}, "that");
        REQUIRE_FALSE(failed);
        CHECK(contains(failed.error().text(), std::string("that needs the program ") + program));
    }
}

TEST_CASE("a temporary folder goes with its owner") {
    std::string path;
    {
        const auto folder = cli::TemporaryFolder::make();
        REQUIRE(folder);
        path = folder->path();
        CHECK(fs::is_directory(path));
    }
    CHECK_FALSE(fs::exists(path));
}
