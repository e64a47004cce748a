#include "warpline/pipeline/family.hpp"

#include "pipeline_fixture.hpp"
#include "source_dir.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::string text = R"(schema: warpline-family/1
title: A family
source: written for this test
rules:
  - unmodelled: no 8-bit inputs
    when: fp8
  - kernel: wide
    direction: forward
    arch: [sm_100, sm_103]
    when: d_qk > 128
  - kernel: special
    version: [ablation, "fork *"]
  - kernel: narrow
    direction: forward
    set:
      always: 1
history:
  - before: 2026-02-28
    kernel: narrow
    set:
      pair: 0
      stages: 2
    why: older
  - before: 2026-03-20
    kernel: narrow
    when: causal
    set:
      stages: 3
    why: old
)";

KernelChoice chosen(const AttentionProblem& problem, const KernelBuild& build = {},
                    const std::string& gpu = "b200") {
    const auto family = parse_family(text, "f.yaml");
    REQUIRE(family);
    const auto choice = choose_kernel(*family, test::gpu(gpu), problem, build);
    REQUIRE(choice);
    return *choice;
}

std::string value_of(const KernelChoice& choice, const std::string& name) {
    for (const ParameterOverride& parameter : choice.set) {
        if (parameter.name == name) {
            return parameter.expression;
        }
    }
    return {};
}

}  // namespace

TEST_CASE("the first rule that holds names the kernel") {
    AttentionProblem problem = test::problem(256);
    CHECK(chosen(problem).kernel == "wide");
    CHECK(chosen(problem, {}, "h100_sxm").kernel == "narrow");
    problem = test::problem(64);
    CHECK(chosen(problem).kernel == "narrow");
    CHECK(value_of(chosen(problem), "always") == "1");
    CHECK(chosen(problem, {"ablation", ""}).kernel == "special");
    CHECK(chosen(problem, {"ablation 2", ""}).kernel == "narrow");
    CHECK(chosen(problem, {"fork 2.11", ""}).kernel == "special");
    CHECK(chosen(problem, {"fork", ""}).kernel == "narrow");
    const auto family = parse_family(text, "f.yaml").value();
    problem.direction = Direction::backward;
    const auto none = choose_kernel(family, test::gpu("b200"), problem);
    REQUIRE_FALSE(none);
    CHECK(none.error().text() == "f has no kernel for this on sm_100");
    problem.dtype = DType::fp8;
    CHECK(choose_kernel(family, test::gpu("b200"), problem).error().text() == "no 8-bit inputs");
}

TEST_CASE("the history says what a build did before each change") {
    AttentionProblem problem = test::problem(64);
    problem.mask.kind = MaskKind::causal;
    CHECK(chosen(problem).because.empty());
    CHECK(chosen(problem, {"", "2026-03-20"}).because.empty());
    const KernelChoice march = chosen(problem, {"", "2026-03"});  // stands for the 15th
    CHECK(march.because == std::vector<std::string>{"old"});
    CHECK(value_of(march, "stages") == "3");
    const KernelChoice early = chosen(problem, {"", "2026-02-27"});
    CHECK(early.because == std::vector<std::string>{"older", "old"});
    CHECK(value_of(early, "stages") == "2");  // the first entry decides
    CHECK(value_of(early, "pair") == "0");
    CHECK(chosen(problem, {"", "2026-02-28"}).because == std::vector<std::string>{"old"});
}

TEST_CASE("dates are days or months of the calendar, and nothing else") {
    CHECK(parse_build_date("2024-02-29")->number() == 20240229);
    CHECK(parse_build_date("2026-03")->number() == 20260315);
    for (const char* wrong :
         {"", "2026", "2026-3", "2026-13", "2026-02-29", "2026-04-31", "2026-00-01", "2026/03/01",
          "2026-03-1", "2026-03-011", "-026-03", "march"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_build_date(wrong));
    }
}

TEST_CASE("all errors of a family file are reported, with their places") {
    const auto wrong = parse_family(R"(schema: warpline-family/2
title: x
source: y
rules:
  - kernel: a
    unmodelled: b
    direction: up
  - kernell: c
  - text
  - kernel: d
    in_place_of: e
    set:
      f: 1
history:
  - before: soon
    kernel: a
    set: 3
)",
                                    "f.yaml");
    REQUIRE_FALSE(wrong);
    const std::string all = wrong.error().text();
    for (const char* part :
         {"f.yaml:1:9: schema is", "f.yaml:5:5: a rule has either", "direction is 'up'",
          "did you mean 'kernel'?", "f.yaml:9:5: an item of 'rules'",
          "f.yaml:13:7: 'set' beside 'in_place_of'", "'soon' is not a date", "'set' must be a map",
          "why"}) {
        CAPTURE(part);
        CHECK(all.find(part) != std::string::npos);
    }
    const auto family = parse_family(
        "schema: warpline-family/1\ntitle: x\nsource: y\nrules:\n  - kernel: a\n    when: d_qk <\n",
        "f.yaml");
    REQUIRE(family);
    const auto choice = choose_kernel(*family, test::gpu("b200"), test::problem());
    REQUIRE_FALSE(choice);
    CHECK(choice.error().kind == FailureKind::input);
    CHECK(choice.error().diagnostics.front().where.line == 6);
}

TEST_CASE("every shipped family loads, and sets parameters that its kernels have") {
    const std::filesystem::path root = source_dir();
    const std::vector<std::string> kernels = list_kernels(root);
    CHECK(list_families(root).size() >= 3);
    for (const std::string& id : list_families(root)) {
        CAPTURE(id);
        const auto family = load_family(root, id);
        REQUIRE(family);
        CHECK_FALSE(family->rules.empty());
        for (const FamilyRule& rule : family->rules) {
            CAPTURE(rule.in_place_of);
            CHECK((rule.in_place_of.empty() ||
                   std::binary_search(kernels.begin(), kernels.end(), rule.in_place_of)));
        }
        for (const FamilyChange& change : family->history) {
            CAPTURE(change.why);
            if (!std::binary_search(kernels.begin(), kernels.end(), change.kernel)) {
                continue;
            }
            const auto source = read_pipeline(root, change.kernel);
            REQUIRE(source);
            const YamlNode* const parameters = source->root.find("parameters");
            REQUIRE((parameters != nullptr || change.set.empty()));
            for (const ParameterOverride& parameter : change.set) {
                CHECK(parameters->find(parameter.name) != nullptr);
            }
        }
    }
    const auto unknown = load_family(root, "fa9");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().text().find("fa4") != std::string::npos);
}

TEST_CASE("an entry of the history can say that nothing models a build") {
    const std::string start = R"(schema: warpline-family/1
title: x
source: y
rules:
  - kernel: late
history:
  - before: 2026-04-23
    kernel: late
    unmodelled: there was none
)";
    const auto family = parse_family(start, "f.yaml");
    REQUIRE(family);
    const auto built = [&](const std::string& date) {
        return choose_kernel(*family, test::gpu("b200"), test::problem(), {"", date});
    };
    REQUIRE_FALSE(built("2026-04-22"));
    CHECK(built("2026-04-22").error().text() == "there was none");
    CHECK(built("2026-04-23")->kernel == "late");
    CHECK(built("")->kernel == "late");
    const auto both = parse_family(start + "    why: it changed\n", "f.yaml");
    REQUIRE_FALSE(both);
    CHECK(test::contains(both.error().text(), "f.yaml:10:10: 'why' beside 'unmodelled'"));
}

TEST_CASE("FlashAttention-4's backward of head dim 256 is modelled since there is one") {
    const auto family = load_family(source_dir(), "fa4").value();
    AttentionProblem problem = test::problem(256);
    problem.direction = Direction::backward;
    const auto chosen_by = [&](const std::string& gpu, const std::string& built) {
        return choose_kernel(family, test::gpu(gpu), problem, {"", built});
    };
    for (const char* gpu : {"b200", "gb300"}) {
        CHECK(chosen_by(gpu, "")->kernel == "fa4_bwd_hd256");
        CHECK(chosen_by(gpu, "2026-05")->kernel == "fa4_bwd_hd256");
        REQUIRE_FALSE(chosen_by(gpu, "2026-04"));
        CHECK(test::contains(chosen_by(gpu, "2026-04").error().text(), "before 2026-04-23"));
    }
    CHECK(chosen_by("h200", "2026-03")->kernel == "fa4_sm90_bwd");
    problem.head_dim_qk = problem.head_dim_v = 128;
    CHECK(chosen_by("b200", "2026-04")->kernel == "fa4_bwd");
}

TEST_CASE("a kernel answers in place of one that does not take the problem, where a rule says so") {
    const auto families = readable_families(source_dir());
    CHECK(families.size() == list_families(source_dir()).size());
    AttentionProblem problem = test::problem(256);
    const auto other = [&](const std::string& kernel, const std::string& gpu = "b200") {
        return kernel_in_place_of(families, kernel, test::gpu(gpu), problem).value_or("none");
    };
    CHECK(other("fa4_fwd") == "fa4_fwd_hd256");
    CHECK(other("fa4_bwd") == "none");
    CHECK(other("cudnn_fwd") == "none");
    CHECK(other("fa4_fwd", "h200") == "none");
    problem.direction = Direction::backward;
    CHECK(other("fa4_bwd") == "fa4_bwd_hd256");
    CHECK(other("fa4_bwd_hd256") == "none");
    problem.head_dim_qk = problem.head_dim_v = 160;
    CHECK(other("fa4_bwd") == "none");
    problem.head_dim_qk = problem.head_dim_v = 128;
    CHECK(other("fa4_bwd") == "none");
    CHECK(other("fa4_bwd_hd256") == "none");  // who names it, means it
}
