// The example that the language's page shows must be what it says.
#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "warpline/recurrence/recurrence.hpp"

#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

std::string example() {
    std::ifstream file(source_dir() + "/pipelines/README.md");
    REQUIRE(file.is_open());
    const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string fence = "```yaml\n";
    const std::size_t begin = page.find(fence) + fence.size();
    const std::size_t end = page.find("```", begin);
    REQUIRE(end != std::string::npos);
    return page.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("the worked example loads on every GPU it names, without a warning") {
    for (const char* id : {"b200", "h100_sxm"}) {
        for (const std::int64_t head_dim : {64, 128}) {
            const auto source = parse_pipeline(example(), "small_fwd.yaml");
            REQUIRE(source.has_value());
            const auto plan = make_plan(*source, gpu(id), problem(head_dim));
            REQUIRE_MESSAGE(plan.has_value(), plan.error().text());
            CHECK(plan->warnings.empty());
            CHECK(plan->roles.size() == 2);
        }
    }
}

TEST_CASE("where a role of four warps begins does not change whether the loop settles") {
    const auto bound = [](const std::string& text) {
        const auto source = parse_pipeline(text, "small_fwd.yaml");
        REQUIRE(source.has_value());
        const GpuSpec spec = gpu("h100_sxm");
        const auto plan = make_plan(*source, spec, problem(64));
        REQUIRE_MESSAGE(plan.has_value(), plan.error().text());
        return recurrence_bound(*plan, idle_memory(spec));
    };
    const auto aligned = bound(example());
    REQUIRE(aligned.has_value());
    for (const char* first : {"1", "2", "3", "5"}) {
        const auto shifted = bound(
            changed(changed(example(), "  compute:\n    warps: 4",
                            std::string("  compute:\n    first_warp: ") + first + "\n    warps: 4"),
                    "  load:\n    warps: 1", "  load:\n    first_warp: 0\n    warps: 1"));
        REQUIRE_MESSAGE(shifted.has_value(), shifted.error().text());
        CHECK(shifted->ticks_per_block >= aligned->ticks_per_block);
        CHECK(shifted->ticks_per_block < 1.2 * aligned->ticks_per_block);
    }
}

TEST_CASE("the worked example's limits answer as the page promises") {
    const auto source = parse_pipeline(example(), "small_fwd.yaml");
    CHECK_FALSE(make_plan(*source, gpu("b200"), problem(72)).has_value());
    CHECK_FALSE(make_plan(*source, gpu("a100_sxm"), problem(64)).has_value());
    const auto over =
        make_plan(*source, gpu("b200"), problem(128), {{"tile_kv", "128"}, {"kv_stages", "16"}});
    REQUIRE_FALSE(over.has_value());
    CHECK(over.error().kind == FailureKind::infeasible);
    CHECK(contains(over.error().text(), "fits with tile_kv = 48, or kv_stages = 6"));
}
