// The shipped timelines of the project's kernel against their simulation.
#include "cli/compare_timeline.hpp"

#include "source_dir.hpp"
#include "warpline/validate/step_times.hpp"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("simulated steps take what the kernel's own steps take without stamps") {
    cli::Request request;
    request.data_dir = source_dir();
    for (const char* const head_dim : {"64", "128", "256"}) {
        CAPTURE(head_dim);
        const auto comparison = cli::compare_timeline(
            request,
            source_dir() + "/validate/measured/timelines/h200_warpline_sm90_fwd_hd" + head_dim +
                ".csv",
            {});
        REQUIRE(comparison);
        const auto cost = stamp_cost(comparison->measured);
        REQUIRE(cost);
        CHECK(cost->slowdown > 1.0);
        CHECK(cost->stamp > 10.0);
        CHECK(cost->stamp < 40.0);
        const double plain = *comparison->measured_times.interval / cost->slowdown;
        CHECK(*comparison->simulated_times.interval == doctest::Approx(plain).epsilon(0.05));
        const std::string text = timeline_text(*comparison, Style{});
        CAPTURE(text);
        CHECK(text.find("measured with stamps, " + std::to_string(std::lround(plain)) +
                        " without, ") != std::string::npos);
        CHECK(text.find("a step below includes one stamp") != std::string::npos);
    }
}
