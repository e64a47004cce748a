#include "warpline/explore/sweep.hpp"

#include "explore_fixture.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace warpline;

namespace {

Study study_of(const std::string& rest) {
    return parse_study("schema: warpline-study/1\ntitle: t\n" + rest, "study.yaml").value();
}

/// Understands kernel, gpu, seqlen and changes.
Result<Point> simple_point(const Assignments& assignments) {
    Point point = small_point();
    for (const auto& [name, value] : assignments) {
        if (name == "gpu") {
            point.gpu = value;
        } else if (name == "kernel") {
            point.kernel = value;
        } else if (name == "seqlen") {
            point.problem.seqlen_q = point.problem.seqlen_kv = std::stoll(value);
        } else {
            add_change(point.changes, name.substr(4), value);
        }
    }
    return point;
}

std::string text_of(const SweepRow& row) {
    return fmt::format("{} {} {} {}\n", row.index, row.failed.has_value(), row.seconds, row.reason);
}

std::string swept(const Study& study, const SweepRange& range, int threads) {
    std::string out;
    sweep(study, range, shipped_predictor(), simple_point, threads, text_of,
          [&](const std::string& row) {
              out += row;
              return true;
          });
    return out;
}

}  // namespace

TEST_CASE("a sweep is the same whatever the threads, and shards make up the whole") {
    const Study study = study_of(
        "space:\n"
        "  gpu: [b200, b300]\n"
        "  seqlen: [1024, 4096]\n"
        "  set.kv_stages: [2, 3, 32]\n");
    const std::string whole = swept(study, {0, study.size()}, 1);
    CHECK(whole == swept(study, {0, study.size()}, 3));
    std::string parts;
    for (std::int64_t shard = 1; shard <= 5; ++shard) {
        parts += swept(study, shard_of(study.size(), shard, 5), 2);
    }
    CHECK(parts == whole);
}

TEST_CASE("what cannot be is a row with its reason") {
    const Study study = study_of("space: {set.kv_stages: [2, 32]}\n");
    const SweepRow good = answer(study, 0, shipped_predictor(), simple_point);
    CHECK_FALSE(good.failed);
    CHECK(good.seconds ==
          shipped_predictor().predict(changed(small_point(), "kv_stages", "2")).value().seconds);
    const SweepRow bad = answer(study, 1, shipped_predictor(), simple_point);
    CHECK(bad.failed == FailureKind::infeasible);
    CHECK(bad.reason.find("SMEM") != std::string::npos);
}

TEST_CASE("shards differ by one point at most and cover everything") {
    for (const std::int64_t points : {0, 1, 7, 100}) {
        std::int64_t next = 0;
        for (std::int64_t shard = 1; shard <= 6; ++shard) {
            const SweepRange range = shard_of(points, shard, 6);
            CHECK(range.begin == next);
            CHECK(range.end - range.begin >= points / 6);
            CHECK(range.end - range.begin <= points / 6 + 1);
            next = range.end;
        }
        CHECK(next == points);
    }
}

TEST_CASE("names that do not exist are found before anything is computed") {
    const auto refused = [](const std::string& space, const std::string& hint) {
        const auto checked = check_names(study_of(space), shipped_predictor(), simple_point);
        REQUIRE_FALSE(checked);
        INFO(checked.error().text());
        CHECK(checked.error().kind == FailureKind::usage);
        CHECK(checked.error().text().find(hint) != std::string::npos);
    };
    refused("space: {gpu: [b200, b30]}\n", "b300");
    refused("space: {kernel: [fa4_fwd, fa4_fwdd]}\n", "fa4_fwd");
    refused("space: {set.hw.mufu.ex: [32/clk]}\n", "mufu.ex2");
    refused("space: {set.kv_stage: [2]}\n", "kv_stages");
    CHECK(check_names(study_of("space: {set.kv_stages: [2, 99]}\n"), shipped_predictor(),
                      simple_point));
}
