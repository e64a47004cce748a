#include "warpline/pipeline/unknown_constants.hpp"

#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/device/prediction.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::filesystem::path data_dir = source_dir();

std::vector<std::string> unknowns(const std::string& kernel, const std::string& gpu) {
    const auto plan = load_plan(data_dir, kernel, test::gpu(gpu), test::problem(128));
    REQUIRE(plan.has_value());
    return plan->assumptions;
}

bool names(const std::vector<std::string>& list, const std::string& key) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& line) {
        return line.rfind("'" + key + "' of ", 0) == 0;
    });
}

}  // namespace

TEST_CASE("a kernel names the unknown constants it needs, with the values assumed") {
    const auto b100 = unknowns("fa4_fwd", "b100");
    CHECK(names(b100, "sm_count"));
    CHECK(names(b100, "memory.l2_width"));
    CHECK_FALSE(names(b100, "clock.sustained"));  // a prediction may be given a clock
    CHECK_FALSE(names(b100, "clock.boost"));
    const auto line = std::find_if(b100.begin(), b100.end(), [](const std::string& text) {
        return text.rfind("'sm_count'", 0) == 0;
    });
    CHECK(line->find("of b100 is unknown: 148 SMs assumed (not published") != std::string::npos);
    const auto any = [](const std::vector<std::string>& list) {
        return std::any_of(list.begin(), list.end(), [](const std::string& text) {
            return text.find(" is unknown: ") != std::string::npos;
        });
    };
    CHECK(any(b100));
    CHECK_FALSE(any(unknowns("fa4_fwd", "b200")));
    CHECK_FALSE(any(unknowns("fa3_fwd", "h200")));
}

TEST_CASE("unknown constants of what a kernel does not use are not named") {
    const auto lone = unknowns("fa2_fwd", "rtx_5090");
    CHECK(names(lone, "memory.hbm_rate"));
    CHECK(names(lone, "mufu.ex2.latency"));
    for (const char* key : {"tma.issue_interval", "tma.dsmem_width", "sync.remote_arrive"}) {
        CAPTURE(key);
        CHECK_FALSE(names(lone, key));
    }
    const auto rubin = unknowns("fa2_fwd", "rubin");
    CHECK_FALSE(names(rubin, "mma.tcgen05.rate"));
    CHECK_FALSE(names(rubin, "peak.bf16"));
    CHECK(names(unknowns("fa4_fwd", "rubin"), "mma.tcgen05.rate"));
}

TEST_CASE("a prediction says which clock it assumed, unless it was given one") {
    const GpuSpec& spec = test::gpu("b100");
    const AttentionProblem problem = test::problem(128);
    const auto plan = load_plan(data_dir, "fa4_fwd", spec, problem).value();
    const auto assumed = predict(spec, plan, problem);
    REQUIRE(assumed.has_value());
    CHECK(names(assumed->assumptions, "clock.sustained"));
    CHECK(names(assumed->assumptions, "sm_count"));
    PredictOptions options;
    options.clock = ClockHz(1'500'000'000);
    const auto given = predict(spec, plan, problem, options);
    REQUIRE(given.has_value());
    CHECK_FALSE(names(given->assumptions, "clock.sustained"));
    CHECK(names(given->assumptions, "sm_count"));
}
