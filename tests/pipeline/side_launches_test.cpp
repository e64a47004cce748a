#include "warpline/pipeline/side_launches.hpp"

#include "pipeline_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::string section = R"(
launches:
  prepare:
    runs: before
    reads: batch * heads_q * seqlen_q * d_v * 4
    writes: 1024
  convert:
    runs: after
    reads: 100
    cached: 0.25
    instructions: heads_q * 8
  never:
    runs: after
    reads: 0 - 1
    when: 0
)";

}  // namespace

TEST_CASE("launches before and after a kernel are read in order, those that do not run left out") {
    const AttentionProblem problem = test::problem();
    const auto launches_of = [&](const std::string& text) {
        return side_launches(parse_pipeline(text, "k.yaml").value(), test::gpu("b200"), problem)
            .value();
    };
    CHECK(test::errors(test::base_text() + section).empty());
    const auto launches = launches_of(test::base_text() + section);
    REQUIRE(launches.size() == 2);
    CHECK(launches[0].name == "prepare");
    CHECK_FALSE(launches[0].after);
    CHECK(launches[0].bytes_read == static_cast<double>(problem.batch * problem.heads_q *
                                                        problem.seqlen_q * problem.head_dim_v * 4));
    CHECK(launches[0].bytes_written == 1024.0);
    CHECK(launches[0].cached == 0.0);
    CHECK(launches[1].after);
    CHECK(launches[1].cached == 0.25);
    CHECK(launches[0].instructions == 0.0);
    CHECK(launches[1].instructions == static_cast<double>(problem.heads_q * 8));
    CHECK(launches_of(test::base_text()).empty());
}

TEST_CASE("what is wrong with a launch is said") {
    const auto errors = [](std::string_view from, std::string_view to) {
        return test::errors(test::base_text() + test::changed(section, from, to));
    };
    CHECK(test::contains(errors("runs: before", "runs: beside"), "'runs' is 'beside'"));
    CHECK(test::contains(errors("    runs: before\n", ""), "runs"));
    CHECK(test::contains(errors("cached: 0.25", "cached: 2"), "cached is 2"));
    CHECK(test::contains(errors("writes: 1024", "writes: 0 - 1"), "writes is -1 bytes"));
    CHECK(test::contains(errors("heads_q * 8", "0 - 2"), "instructions is -2"));
    CHECK(test::contains(errors("writes: 1024", "write: 1024"), "did you mean 'writes'?"));
}
