#include "warpline/explore/changes.hpp"

#include "source_dir.hpp"
#include "warpline/explore/spec_difference.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("a change goes to the GPU or to the kernel by its name") {
    Changes changes;
    add_change(changes, "hw.mufu.ex2", "32/clk");
    add_change(changes, "kv_stages", "2");
    REQUIRE(changes.hardware.size() == 1);
    REQUIRE(changes.parameters.size() == 1);
    CHECK(changes.hardware.front().key == "mufu.ex2");
    CHECK(changes_text(changes) == "hw.mufu.ex2=32/clk kv_stages=2");
    CHECK(check_disjoint(changes));
}

TEST_CASE("one thing changed twice is refused, under whatever name") {
    for (const char* const again : {"hw.mufu.ex2", "hw.mufu.ex2.rate"}) {
        Changes changes;
        add_change(changes, "hw.mufu.ex2", "32/clk");
        add_change(changes, again, "8/clk");
        const auto checked = check_disjoint(changes);
        REQUIRE_FALSE(checked);
        CHECK(checked.error().kind == FailureKind::usage);
    }
    CHECK(full_change_name("hw.smem.width") == "hw.smem.width");
    CHECK(full_change_name("hw.capabilities.fast_ex2") == "hw.capabilities.fast_ex2");
}

TEST_CASE("a capability can be taken away and given") {
    const auto without = load_gpu_spec(source_dir(), "b300", {{"capabilities.fast_ex2", "false"}});
    REQUIRE(without);
    CHECK_FALSE(without->has("fast_ex2"));
    const auto given = load_gpu_spec(source_dir(), "b200", {{"capabilities.fast_ex2", "true"}});
    REQUIRE(given);
    CHECK(given->has("fast_ex2"));
    const auto wrong = load_gpu_spec(source_dir(), "b200", {{"capabilities.fast_ex", "true"}});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().text().find("capabilities.fast_ex2") != std::string::npos);
    CHECK_FALSE(load_gpu_spec(source_dir(), "b200", {{"capabilities.fast_ex2", "1"}}));
}

TEST_CASE("the differences of two GPUs turn one into the other") {
    const GpuSpec b200 = load_gpu_spec(source_dir(), "b200").value();
    const GpuSpec b300 = load_gpu_spec(source_dir(), "b300").value();
    CHECK(spec_differences(b200, b200).empty());
    Changes all;
    for (const SpecDifference& difference : spec_differences(b200, b300)) {
        all = joined(std::move(all), difference.change);
    }
    const auto made = load_gpu_spec(source_dir(), "b200", all.hardware);
    REQUIRE(made);
    CHECK(spec_differences(*made, b300).empty());
    Changes back;  // what needs a capability goes with it
    for (const SpecDifference& difference : spec_differences(b300, b200)) {
        back = joined(std::move(back), difference.change);
    }
    const auto again = load_gpu_spec(source_dir(), "b300", back.hardware);
    REQUIRE(again);
    CHECK(spec_differences(*again, b200).empty());
}
