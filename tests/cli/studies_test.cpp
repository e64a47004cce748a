// The subcommands that ask many questions at once, through the command line.
#include "parse_json.hpp"
#include "ran_command.hpp"
#include "source_dir.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
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

namespace {

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string study_in(const TemporaryFolder& folder, const std::string& rest) {
    const std::string path = folder / "study.yaml";
    std::ofstream(path) << "schema: warpline-study/1\ntitle: test\n" << rest;
    return path;
}

void check_refused(const std::vector<std::string>& arguments, int code,
                   const std::string& message) {
    const Ran ran = run(arguments);
    INFO(ran.err);
    CHECK(ran.code == code);
    CHECK(ran.out.empty());
    CHECK(contains(ran.err, message));
}

const char* const small_space =
    "fixed: {kernel: fa4_fwd, batch: 1, seqlen: 2048}\n"
    "space:\n"
    "  gpu: [b200, b300]\n"
    "  set.kv_stages: [2, 3, 32]\n";

}  // namespace

TEST_CASE("whatif answers every shape, and says why where it cannot") {
    const Ran ran = run({"whatif", "fa4_fwd", "--set", "hw.mufu.ex2=32/clk", "--head-dim", "64,160",
                         "--seqlen", "2048", "--batch", "1"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, "b200 against b200 with hw.mufu.ex2=32/clk"));
    CHECK(contains(ran.out, "head dims to 128"));
    const Ran gpus = run({"whatif", "fa4_fwd", "--against", "b300", "--seqlen", "2048"});
    REQUIRE(gpus.code == 0);
    CHECK(contains(gpus.out, "mufu.ex2.rate"));
    CHECK(contains(gpus.out, "all together"));
    check_refused({"whatif", "fa4_fwd"}, 2, "--against");
    check_refused({"whatif", "fa4_fwd", "--set", "a=1", "--against", "b300"}, 2, "--against");
    check_refused(
        {"whatif", "fa4_fwd", "--set", "hw.mufu.ex2=32/clk", "--set", "hw.mufu.ex2.rate=8/clk"}, 2,
        "changed twice");
    check_refused({"whatif", "fa4_fwd", "--set", "hw.mufu.ex=32/clk"}, 2, "did you mean");
    check_refused({"whatif", "fa4_fwd", "--against", "b30"}, 2, "b300");
    check_refused({"whatif", "fa4_fwd", "--against", "b300", "--seqlen", "1,,2"}, 2,
                  "--seqlen has an empty value");
    check_refused({"whatif", "fa4_fwd", "--set", "kv_stages=32"}, 3, "SMEM");
}

TEST_CASE("tune finds, reports and refuses") {
    const Ran ran = run({"tune", "fa4_fwd", "--param", "kv_stages=2,3,32", "--seqlen", "2048"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, "Proved: all 3 points"));
    CHECK(contains(ran.out, "runner-up"));
    check_refused({"tune", "fa4_fwd"}, 2, "--param");
    check_refused({"tune", "fa4_fwd", "--param", "kv_stages=1:2"}, 2, "FROM:TO:STEP");
    check_refused({"tune", "fa4_fwd", "--param", "kv_stagse=1,2"}, 2, "kv_stages");
}

TEST_CASE("block lists may be asked about in every study") {
    const std::vector<std::string> shape = {
        "block_sparse_fwd", "--gpu", "b200",     "--seqlen",      "2048",
        "--batch",          "1",     "--blocks", "scattered:0.25"};
    const auto ask = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, shape.begin(), shape.end());
        const Ran ran = run(arguments);
        INFO(ran.err);
        CHECK(ran.code == 0);
        return ran.out;
    };
    const std::string quarter = ask({"predict", "--quiet"});
    const std::string time = quarter.substr(0, quarter.find("   "));
    CHECK(contains(ask({"whatif", "--set", "hw.mufu.ex2=32/clk"}), time));
    CHECK(contains(ask({"tune", "--param", "emulated=0,16"}), "Proved"));
    CHECK(contains(ask({"predict", "--uncertainty", "-q"}), "clock.sustained"));
    const TemporaryFolder folder;
    const std::string study =
        study_in(folder,
                 "fixed: {kernel: block_sparse_fwd, gpu: b200, batch: 1, seqlen: 2048}\n"
                 "space: {blocks: [\"scattered:0.25\", \"scattered:1\", \"scattered:2\"]}\n");
    const std::string path = folder / "rows.jsonl";
    REQUIRE(run({"sweep", study, "--out", path}).code == 0);
    std::istringstream lines(content(path));
    std::vector<nlohmann::json> rows;
    for (std::string line; std::getline(lines, line);) {
        rows.push_back(test::parse_json(line));
    }
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["ms"].get<double>() < 0.7 * rows[1]["ms"].get<double>());
    CHECK(contains(rows[2]["reason"], "from 0 to 1"));
    check_refused({"tune", "fa4_fwd", "--param", "emulated=0,16", "--blocks", "scattered:0.5"}, 3,
                  "takes no block lists");
}

TEST_CASE("an uncertain prediction has a band") {
    const Ran ran = run({"predict", "fa4_fwd", "--seqlen", "2048", "--uncertainty", "-q"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, "What the specification leaves open"));
    CHECK(contains(ran.out, "clock.sustained"));
}

TEST_CASE("a sweep writes one row a point, and goes on where it stopped") {
    const TemporaryFolder folder;
    const std::string study = study_in(folder, small_space);
    const std::string path = folder / "rows.csv";
    REQUIRE(run({"sweep", study, "--out", path, "--threads", "1"}).code == 0);
    const std::string whole = content(path);
    CHECK(std::count(whole.begin(), whole.end(), '\n') == 7);
    CHECK(contains(whole, "infeasible"));
    check_refused({"sweep", study, "--out", path}, 2, "--resume");
    std::ofstream(path, std::ios::trunc) << whole.substr(0, whole.size() / 2);
    const Ran again = run({"sweep", study, "--out", path, "--resume"});
    INFO(again.err);
    REQUIRE(again.code == 0);
    CHECK(content(path) == whole);
    CHECK(run({"sweep", study, "--out", path, "--resume"}).code == 0);
    CHECK(content(path) == whole);
}

TEST_CASE("a damaged row is found wherever it is, and its file left as it is") {
    const TemporaryFolder folder;
    const std::string study = study_in(folder, small_space);
    for (const std::string& path : {folder / "rows.csv", folder / "rows.jsonl"}) {
        CAPTURE(path);
        REQUIRE(run({"sweep", study, "--out", path}).code == 0);
        const std::string whole = content(path);
        const bool csv = path.ends_with(".csv");
        const std::size_t second = whole.find('\n', csv ? whole.find('\n') + 1 : 0) + 1;
        const std::string line = whole.substr(second, whole.find('\n', second) - second);
        const auto refused = [&](const std::string& damaged, const std::string& message) {
            CAPTURE(damaged);
            const std::string text =
                whole.substr(0, second) + damaged + whole.substr(second + line.size());
            std::ofstream(path, std::ios::trunc | std::ios::binary) << text;
            const std::string where = csv ? "line 3 is " : "line 2 is ";
            check_refused({"sweep", study, "--out", path, "--resume"}, 2, where + message);
            CHECK(content(path) == text);
            check_refused({"sweep", study, "--out", folder / ("m" + path.substr(path.rfind('.'))),
                           "--merge", path},
                          2, "line ");
        };
        const auto changed = [&](const std::string& from, const std::string& to) {
            const std::size_t at = line.find(from);
            REQUIRE(at != std::string::npos);
            return line.substr(0, at) + to + line.substr(at + from.size());
        };
        const std::string ok = csv ? ",ok," : "\"ok\"";
        refused(line.substr(0, line.size() / 2), "damaged");
        refused(changed(ok, csv ? ",okay," : "\"okay\""), "damaged: it holds what no row does");
        refused(changed(ok, ok + "\x07"), "damaged: there are bytes in it");
        refused(changed("2048", "2049"), "damaged: it is not the point that belongs there");
        if (csv) {
            refused(changed(",ok,", ",ok"), "damaged: it has 16 columns in place of 17");
            refused(changed(",ok,", ",ok,x"), "damaged: it holds what no row does");
            refused(changed(",ok,", ",ok,\""), "damaged: it is not CSV");
        } else {
            refused(changed("\"batch\":", "\"batch\""), "damaged: it is not JSON");
            refused(changed("\"ms\"", "\"sm\""), "damaged: it holds what no row does");
            refused(line + " ", "damaged: it holds what no row does");
        }
        const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
        std::string more = whole.substr(last);
        const std::string six = csv ? "6" : "{\"index\":6";
        more.replace(0, six.size(), six);
        std::ofstream(path, std::ios::trunc | std::ios::binary) << whole << more;
        check_refused({"sweep", study, "--out", path, "--resume"}, 2,
                      "damaged: there are 6 points, and this is one more");
    }
}

TEST_CASE("shards one after the other are the whole, as lines of JSON too") {
    const TemporaryFolder folder;
    const std::string study = study_in(folder, small_space);
    const std::string all = folder / "all.jsonl";
    REQUIRE(run({"sweep", study, "--out", all}).code == 0);
    std::string joined;
    for (const char* const shard : {"1/4", "2/4", "3/4", "4/4"}) {
        const std::string part = folder / ("part" + std::string(1, shard[0]) + ".jsonl");
        REQUIRE(run({"sweep", study, "--out", part, "--shard", shard}).code == 0);
        joined += content(part);
    }
    CHECK(joined == content(all));
    std::istringstream lines(joined);
    int index = 0;
    for (std::string line; std::getline(lines, line); ++index) {
        const auto row = test::parse_json(line);
        CHECK(row["index"] == index);
        CHECK((row["status"] == "ok") == row.contains("ms"));
        CHECK((row["status"] == "ok") != row.contains("reason"));
    }
    CHECK(index == 6);
}

TEST_CASE("the files of all shards are merged into the whole, and only those") {
    const TemporaryFolder folder;
    const std::string study = study_in(folder, small_space);
    for (const std::string& ending : {std::string(".csv"), std::string(".jsonl")}) {
        const std::string all = folder / ("all" + ending);
        REQUIRE(run({"sweep", study, "--out", all}).code == 0);
        std::vector<std::string> parts;
        for (const char* const shard : {"3/3", "1/3", "2/3"}) {
            parts.push_back(folder / ("part" + std::string(1, shard[0]) + ending));
            REQUIRE(run({"sweep", study, "--out", parts.back(), "--shard", shard}).code == 0);
        }
        const std::string merged = folder / ("merged" + ending);
        const auto merge = [&](std::vector<std::string> files) {
            std::vector<std::string> arguments = {"sweep", study, "--out", merged, "--merge"};
            arguments.insert(arguments.end(), files.begin(), files.end());
            return arguments;
        };
        check_refused(merge({parts[0], parts[1]}), 2, "points 2 to 3 are in none");
        check_refused(merge({parts[0], parts[1], parts[2], parts[1]}), 2, "in another file");
        check_refused(merge({parts[0], study, parts[2]}), 2, "study.yaml");
        const std::string second = content(parts[2]);
        std::ofstream(parts[2], std::ios::trunc) << second.substr(0, second.size() - 3);
        check_refused(merge(parts), 2, "--resume");
        std::ofstream(parts[2], std::ios::trunc) << second;
        CHECK_FALSE(std::filesystem::exists(merged));
        const Ran ran = run(merge(parts));
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        CHECK(content(merged) == content(all));
        check_refused(merge(parts), 2, "results in it already");
    }
}

TEST_CASE("scores say how often a kernel rescales") {
    const auto ms = [](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"predict", "fa4_fwd", "--seqlen", "4096", "--json",
                                              "--mask",  "causal",  "--batch",  "1"};
        arguments.insert(arguments.begin() + 2, more.begin(), more.end());
        const Ran ran = run(arguments);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        const auto prediction = test::parse_json(ran.out);
        return std::pair<double, double>(
            prediction["time_ms"].get<double>(),
            prediction["provenance"]["parameters"]["rescale_probability"].get<double>());
    };
    const auto never = ms({});
    const auto calm = ms({"--scores", "normal:1"});
    const auto wild = ms({"--scores", "rising:10"});
    const auto always = ms({"--set", "rescale_probability=1"});
    CHECK(calm.second == 0.0);
    CHECK(calm.first == never.first);
    CHECK(wild.second == doctest::Approx(1.0));
    CHECK(wild.first == always.first);
    CHECK(wild.first > never.first);
    check_refused({"predict", "fa4_fwd", "--scores", "gauss:1"}, 2, "gauss");
    check_refused({"predict", "fa2_fwd", "--gpu", "h200", "--scores", "normal:1"}, 2,
                  "rescale_threshold");
    check_refused({"predict", "fa4_fwd", "--scores", "normal:1", "--set", "rescale_probability=1"},
                  2, "--scores and --set");
}

TEST_CASE("rows do not depend on the number of threads") {
    const TemporaryFolder folder;
    const std::string study = study_in(folder,
                                       "fixed: {kernel: fa4_fwd, batch: 1}\n"
                                       "space:\n"
                                       "  set.emulated: {from: 0, to: 32, step: 8}\n"
                                       "  mask: [full, causal]\n"
                                       "  seqlen: [512, 2048, 8192]\n");
    std::vector<std::string> contents;
    for (const char* const threads : {"1", "2", "7"}) {
        const std::string path = folder / ("rows" + std::string(threads) + ".csv");
        REQUIRE(run({"sweep", study, "--out", path, "--threads", threads}).code == 0);
        contents.push_back(content(path));
    }
    CHECK(std::count(contents[0].begin(), contents[0].end(), '\n') == 31);
    CHECK(contents[0] == contents[1]);
    CHECK(contents[0] == contents[2]);
}

TEST_CASE("a disk that is full loses no finished row") {
    const TemporaryFolder folder;
    const std::string study = study_in(folder, small_space);
    // CSV has a header, which cannot be written; lines of JSON fail at the first row.
    std::filesystem::create_symlink("/dev/full", folder / "full.csv");
    std::filesystem::create_symlink("/dev/full", folder / "full.jsonl");
    check_refused({"sweep", study, "--out", folder / "full.csv"}, 2, "No space left");
    check_refused({"sweep", study, "--out", folder / "full.jsonl"}, 2, "No space left");
    check_refused({"sweep", study, "--out", folder / "full.jsonl"}, 2, "0 of 6 points");
}

TEST_CASE("sweeps that make no sense are refused before anything is written") {
    const TemporaryFolder folder;
    const std::string out = folder / "rows.csv";
    const auto refused = [&](const std::string& rest, const std::string& message) {
        check_refused({"sweep", study_in(folder, rest), "--out", out}, 2, message);
        CHECK_FALSE(std::filesystem::exists(out));
    };
    refused("space: {}\n", "no points");
    refused("space: {gpu: []}\n", "empty");
    refused("space: {gpu: [b200]}\n", "names no kernel");
    refused("fixed: {kernel: fa4_fwd}\nspace: {set.hw.mufu.ex: [32/clk]}\n", "did you mean");
    refused(
        "fixed: {kernel: fa4_fwd}\n"
        "space:\n"
        "  batch: {from: 1, to: 1000000, step: 1}\n"
        "  heads: {from: 1, to: 1000000, step: 1}\n",
        "1000000000000 points");
    const std::string study = study_in(folder, small_space);
    check_refused({"sweep", study, "--out", folder / "rows.txt"}, 2, ".jsonl");
    check_refused({"sweep", study, "--out", "/nonexistent/rows.csv"}, 2, "cannot be written");
    check_refused({"sweep", study, "--out", out, "--shard", "5/4"}, 2, "--shard");
    check_refused({"sweep", study, "--out", out, "--shard", "1"}, 2, "I/N");
    check_refused({"sweep", study, "--out", out, "--limit", "0"}, 2, "--limit");
    check_refused({"sweep", "/nonexistent.yaml", "--out", out}, 2, "/nonexistent.yaml");
}
