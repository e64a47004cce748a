#include "pipeline_fixture.hpp"
#include "temporary_folder.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

TEST_CASE("the head of a file is checked") {
    const auto with = [](std::string_view from, std::string_view to) {
        return errors(changed(base_text(), from, to));
    };
    CHECK(contains(with("schema: warpline-pipeline/1", "schema: warpline-pipeline/9"),
                   "f:1:9: unknown schema 'warpline-pipeline/9'"));
    CHECK(contains(with("title: base\n", ""), "the file lacks 'title'"));
    CHECK(contains(with("direction: forward", "direction: forwards"),
                   "f:3:12: direction is 'forwards'"));
    CHECK(contains(with("parameters:", "paramters:"), "did you mean 'parameters'?"));
    CHECK(contains(with("requires: [tcgen05, tma]", "requires: [tcgen5]"),
                   "no GPU has a capability 'tcgen5' (did you mean 'tcgen05'?)"));
    CHECK(contains(with("that: d_qk", "taht: d_qk"), "did you mean 'that'?"));
}

TEST_CASE("a request that cannot be met names the requirement") {
    const auto lacking = load(base_text(), {}, "h100_sxm");
    REQUIRE_FALSE(lacking.has_value());
    CHECK(lacking.error().kind == FailureKind::infeasible);
    CHECK(contains(lacking.error().text(), "requires 'tcgen05', which h100_sxm does not have"));

    const auto check = load(changed(base_text(), "d_qk % 8 == 0", "d_qk >= 128"));
    REQUIRE_FALSE(check.has_value());
    CHECK(check.error().kind == FailureKind::infeasible);
    CHECK(check.error().text() == "f:17:11: head dims must be multiples of 8");

    const auto direction = load(changed(base_text(), "direction: forward", "direction: backward"));
    REQUIRE_FALSE(direction.has_value());
    CHECK(direction.error().kind == FailureKind::usage);
    CHECK(contains(direction.error().text(), "a backward kernel for a forward problem"));
}

TEST_CASE("all errors of a file come at once, in order") {
    std::string text = changed(base_text(), "space: smem", "space: smm");
    text = changed(text, "loop: kv", "loop: k");
    text = changed(text, "class: mma", "clas: mma");
    text = changed(text, "signals: kv_full[slot]", "signals: kv_ful[slot]");
    const std::string all = errors(text);
    CHECK(contains(all, "f:22:9: loop is 'k'"));
    CHECK(contains(all, "f:25:12: unknown space 'smm'"));
    CHECK(contains(all, "f:62:24: no barrier 'kv_ful' (did you mean 'kv_full'?)"));
    CHECK(contains(all, "f:77:15: unknown key 'clas' in 'async: mma'"));
    CHECK(all.find("f:22:") < all.find("f:25:"));
    CHECK(all.find("f:62:") < all.find("f:77:"));
}

TEST_CASE("what is no pipeline file ends in one clear error") {
    for (const std::string& text :
         {std::string("\0\1\2", 3), std::string("- a\n- b\n"), std::string("42"), std::string(""),
          std::string("a: &x [1]\nb: *x\n"), std::string("a: {b: q[0]}\n"),
          std::string(100'000, '['), std::string("schema: [a\n")}) {
        const auto plan = load(text);
        REQUIRE_FALSE(plan.has_value());
        CHECK(plan.error().kind == FailureKind::input);
        CHECK_FALSE(plan.error().diagnostics.empty());
    }
    CHECK(
        contains(errors("schema: x\n#" + std::string(std::size_t{5} << 20, 'x')), "larger than 4"));
}

TEST_CASE("sections of the wrong shape are errors, not crashes") {
    for (const char* key :
         {"parameters", "checks", "tiles", "buffers", "barriers", "roles", "procedures", "program",
          "assumptions", "notes", "requires", "cluster"}) {
        for (const char* value : {" 3", " [1, 2]", "", " {a: 1}", " {a: {b: [c]}}", " [[[]]]"}) {
            std::string text = "schema: warpline-pipeline/1\ntitle: x\ndirection: forward\n";
            text += std::string(key) + ":" + value + "\n";
            CHECK_FALSE(load(text).has_value());
        }
    }
}

TEST_CASE("kernels are listed and unknown ones suggest the nearest") {
    const TemporaryFolder temporary;
    const auto& folder = temporary.path();
    std::filesystem::create_directories(folder / "pipelines");
    std::ofstream(folder / "pipelines" / "base_fwd.yaml") << base_text();
    std::ofstream(folder / "pipelines" / "notes.txt") << "not a kernel";
    CHECK(list_kernels(folder) == std::vector<std::string>{"base_fwd"});
    const auto plan = load_plan(folder, "base_fwd", gpu("b200"), problem());
    REQUIRE(plan.has_value());
    CHECK(plan->kernel == "base_fwd");
    const auto unknown = load_plan(folder, "bas_fwd", gpu("b200"), problem());
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().kind == FailureKind::usage);
    CHECK(unknown.error().text() == "unknown kernel 'bas_fwd' (did you mean 'base_fwd'?)");
    CHECK_FALSE(load_plan(folder, "nothing.yaml", gpu("b200"), problem()).has_value());
    const auto path = folder / "pipelines" / "base_fwd.yaml";
    AttentionProblem backward = problem();
    backward.direction = Direction::backward;
    CHECK(check_pipeline(path, gpu("b200"), backward)->empty());
    std::filesystem::remove_all(folder);
    CHECK(list_kernels(folder).empty());
}
