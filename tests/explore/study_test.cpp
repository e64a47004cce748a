#include "warpline/explore/study.hpp"

#include <set>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

std::string study_text(const std::string& rest) {
    return "schema: warpline-study/1\ntitle: a study\n" + rest;
}

void check_refused(const std::string& rest, const std::string& message) {
    const auto study = parse_study(study_text(rest), "study.yaml");
    REQUIRE_FALSE(study);
    INFO(study.error().text());
    CHECK(study.error().kind == FailureKind::input);
    CHECK(study.error().text().find(message) != std::string::npos);
    CHECK(study.error().text().find("study.yaml:") != std::string::npos);
}

}  // namespace

TEST_CASE("a space has every combination once, the last axis fastest") {
    const auto study = parse_study(study_text("fixed: {kernel: fa4_fwd}\n"
                                              "space:\n"
                                              "  gpu: [b200, b300]\n"
                                              "  set.emulated: {from: 0, to: 16, step: 8}\n"),
                                   "study.yaml");
    REQUIRE(study);
    CHECK(study->size() == 6);
    CHECK(study->names() == std::vector<std::string>{"kernel", "gpu", "set.emulated"});
    CHECK(study->at(0) ==
          Assignments{{"kernel", "fa4_fwd"}, {"gpu", "b200"}, {"set.emulated", "0"}});
    CHECK(study->at(1)[2].second == "8");
    CHECK(study->at(3)[1].second == "b300");
    std::set<Assignments> all;
    for (std::int64_t i = 0; i < 6; ++i) {
        all.insert(study->at(i));
    }
    CHECK(all.size() == 6);
}

TEST_CASE("a list has the points that it lists") {
    const auto study = parse_study(study_text("fixed: {kernel: fa4_fwd}\n"
                                              "points:\n"
                                              "  - {head_dim: 64, seqlen: 1024}\n"
                                              "  - {head_dim: \"192:128\", seqlen: 8192}\n"),
                                   "study.yaml");
    REQUIRE(study);
    CHECK(study->size() == 2);
    CHECK(study->at(1) ==
          Assignments{{"kernel", "fa4_fwd"}, {"head_dim", "192:128"}, {"seqlen", "8192"}});
}

TEST_CASE("what is wrong with a study is said with its place") {
    check_refused("", "either 'space' or 'points'");
    check_refused("space: {gpu: b200}\npoints: [{gpu: b200}]\n", "either 'space' or 'points'");
    check_refused("space: {gpu: []}\n", "the space is empty");
    check_refused("points: []\n", "the space is empty");
    check_refused("space: {seqlne: 8}\n", "did you mean 'seqlen'?");
    check_refused("space: {kv_stages: 8}\n", "set.NAME");
    check_refused("fixed: {gpu: b200}\nspace: {gpu: [b200]}\n", "twice");
    check_refused("fixed: {set.hw.mufu.ex2: 32/clk}\nspace: {set.hw.mufu.ex2.rate: 8/clk}\n",
                  "twice");
    check_refused("space: {gpu: [b200, b200]}\n", "twice");
    check_refused("space: {batch: {from: 4, to: 1, step: 1}}\n", "range");
    check_refused("points: [{gpu: b200}, {batch: 4}]\n", "other names");
    check_refused("fixed: {gpu: [b200]}\nspace: {batch: 4}\n", "one value");
    CHECK_FALSE(parse_study("schema: warpline-study/2\ntitle: x\nspace: {gpu: b200}\n", "s.yaml"));
    CHECK_FALSE(parse_study("- 1\n", "s.yaml"));
    CHECK_FALSE(read_study("/nonexistent.yaml"));
}

TEST_CASE("spaces of any size are counted") {
    std::string axes = "space:\n";
    for (const char* const name : {"a", "b", "c", "d"}) {
        axes += std::string("  set.") + name + ": {from: 1, to: 1000, step: 1}\n";
    }
    CHECK(parse_study(study_text(axes), "s").value().size() == 1'000'000'000'000);
    for (const char* const name : {"e", "f", "g"}) {
        axes += std::string("  set.") + name + ": {from: 1, to: 1000, step: 1}\n";
    }
    CHECK(parse_study(study_text(axes), "s").value().size() == -1);
}

TEST_CASE("values of an axis on a command line") {
    CHECK(parse_values("2,4").value() == std::vector<std::string>{"2", "4"});
    CHECK(parse_values("0:1:0.25").value() ==
          std::vector<std::string>{"0", "0.25", "0.5", "0.75", "1"});
    CHECK(parse_values("32/clk").value() == std::vector<std::string>{"32/clk"});
    for (const char* const wrong :
         {"", "1,", "1,1", "1:2", "2:1:1", "0:1:0", "0:1:x", "0:1e300:1"}) {
        CHECK_FALSE(parse_values(wrong));
    }
}
