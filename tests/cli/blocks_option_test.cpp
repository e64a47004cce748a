// --blocks: which blocks of scores a block-sparse kernel visits.
#include "cli/parse.hpp"
#include "parse_json.hpp"
#include "ran_command.hpp"
#include "source_dir.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::contains;
using test::Ran;
using test::run;

namespace {

Ran sparse(const std::string& blocks, const std::string& kernel = "block_sparse_fwd") {
    return run({"predict", kernel, "--seqlen", "2048", "--batch", "1", "--heads", "8", "--quiet",
                "--blocks", blocks});
}

}  // namespace

TEST_CASE("block lists come from a file or a density") {
    const TemporaryFolder folder;
    const std::string path = folder / "lists.yaml";
    std::ofstream(path) << "schema: warpline-blocks/1\nrows: 256\nblock: 128\n"
                           "tiles:\n  - {full: 2, masked: 2, count: 8}\n";
    const Ran listed = sparse(path);
    CHECK_MESSAGE(listed.code == 0, listed.err);
    CHECK(contains(listed.out, "TFLOP/s"));
    CHECK(sparse("scattered:0.5").code == 0);
    CHECK(sparse("scattered:0").code == 0);
    CHECK(cli::parse_blocks("scattered:1", 100, 1000).value() == BlockLists{128, 128, {{8, 0, 1}}});
}

TEST_CASE("timelines are of the listed blocks") {
    const TemporaryFolder folder;
    const std::string lists = folder / "lists.yaml";
    std::ofstream(lists) << "schema: warpline-blocks/1\nrows: 256\nblock: 128\n"
                            "tiles:\n  - {full: 3, count: 8}\n";
    // Score MMAs of the tile: one a block for each of its two halves.
    const auto steps = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {
            "trace", "block_sparse_fwd", "--seqlen",        "2048", "--batch", "1", "--heads", "8",
            "-o",    folder / "t.json",  "--all-iterations"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Ran ran = run(arguments);
        REQUIRE_MESSAGE(ran.code == 0, ran.err);
        std::ifstream file(folder / "t.json");
        const nlohmann::json trace = test::parse_json(file);
        const auto& events = trace["traceEvents"];
        return std::count_if(events.begin(), events.end(), [](const nlohmann::json& event) {
            return event["ph"] == "X" && event["cat"] == "unit" &&
                   event["name"].get<std::string>().rfind("QK", 0) == 0;
        });
    };
    CHECK(steps({"--blocks", lists}) == 6);
    CHECK(steps({"--blocks", "scattered:1"}) == 32);
    CHECK(steps({}) == 32);
    const Ran report =
        run({"report", "block_sparse_fwd", "--seqlen", "2048", "--batch", "1", "--heads", "8",
             "--blocks", lists, "-o", folder / "r.html", "--tables", folder / "tables"});
    REQUIRE_MESSAGE(report.code == 0, report.err);
    const Ran schedule = run({"predict", "block_sparse_fwd", "--seqlen", "2048", "--quiet",
                              "--blocks", lists, "--schedule", folder / "s.csv"});
    CHECK_MESSAGE(schedule.code == 0, schedule.err);
    CHECK(run({"report", "block_sparse_fwd", "--blocks", "no_such_file.yaml", "-o",
               folder / "r.html"})
              .code == 2);
}

TEST_CASE("what --blocks cannot mean is refused") {
    const auto refused = [](const Ran& ran, int code, const std::string& message) {
        INFO(ran.err);
        CHECK(ran.code == code);
        CHECK(ran.out.empty());
        CHECK(contains(ran.err, message));
    };
    refused(sparse("no_such_file.yaml"), 2, "no_such_file.yaml");
    refused(sparse("scattered:1.5"), 2, "must be from 0 to 1");
    refused(sparse("scattered:"), 2, "must be from 0 to 1");
    refused(sparse("scattered:nan"), 2, "must be from 0 to 1");
    refused(sparse("scattered:0.5x"), 2, "must be from 0 to 1");
    refused(sparse("scattered:0.5", "fa4_fwd"), 3, "takes no block lists");
    refused(run({"predict", "block_sparse_fwd", "--mask", "causal", "--blocks", "scattered:0.5"}),
            3, "the block lists are the mask");
    refused(
        run({"predict", "block_sparse_fwd", "--seqlen", "2147483647", "--blocks", "scattered:0.5"}),
        2, "2^24");
}
