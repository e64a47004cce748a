// Pipeline files that are other files with different parameters.
#include "warpline/pipeline/inheritance.hpp"

#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "temporary_folder.hpp"

#include <fstream>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

/// A folder of pipelines that is removed at the end.
class Folder {
  public:
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }

  private:
    TemporaryFolder folder_;
};

const std::string& parent_text() {
    static const std::string text =
        changed(base_text(), "parameters:\n",
                "parameters:\n  width:\n    meaning: something\n    at_least: 2\n    at_most: 8\n"
                "    cases:\n      - when: causal\n        is: 4\n      - is: 3\n  plain: 5\n"
                "  twice: 2 * width\n");
    return text;
}

const std::string child_head = "schema: warpline-pipeline/1\ninherits: parent\n";

Result<KernelPlan> plan_of(const std::string& file,
                           const std::vector<ParameterOverride>& set = {}) {
    return load_plan(source_dir(), file, gpu("b200"), problem(), set);
}

std::string problems_of(const std::string& file, const std::vector<ParameterOverride>& set = {}) {
    const auto plan = plan_of(file, set);
    return plan ? "" : plan.error().text();
}

}  // namespace

TEST_CASE("a file that inherits is its parent with other values") {
    const Folder folder;
    const std::string parent = folder.write("parent.yaml", parent_text());
    const std::string child = folder.write(
        "child.yaml", child_head +
                          "title: another\nparameters:\n  width: 6\n  plain:\n    "
                          "cases:\n      - when: causal\n        is: 1\n      - is: 7\n");
    REQUIRE_MESSAGE(plan_of(parent), problems_of(parent));
    REQUIRE_MESSAGE(plan_of(child), problems_of(child));
    const KernelPlan before = *plan_of(parent);
    const KernelPlan after = *plan_of(child);
    CHECK(before.parameters.at("width") == 3);
    CHECK(after.parameters.at("width") == 6);
    CHECK(after.parameters.at("twice") == 12);
    CHECK(after.parameters.at("plain") == 7);
    CHECK(after.title == "another");
    CHECK(after.kernel == "child");
    CHECK(after.roles.size() == before.roles.size());
    CHECK(after.hash != before.hash);
    CHECK(plan_of(child, {{"width", "2"}})->parameters.at("twice") == 4);
    CHECK(contains(problems_of(child, {{"width", "9"}}), "at most 8"));  // the parent's limit
}

TEST_CASE("a grandchild inherits from both, and a change far up changes its hash") {
    const Folder folder;
    static_cast<void>(folder.write("parent.yaml", parent_text()));
    static_cast<void>(folder.write("child.yaml", child_head + "parameters:\n  width: 6\n"));
    const std::string grandchild =
        folder.write("grandchild.yaml",
                     "schema: warpline-pipeline/1\ninherits: child.yaml\nassumptions:\n"
                     "  - The youngest's.\nparameters:\n  plain: 8\n");
    REQUIRE_MESSAGE(plan_of(grandchild), problems_of(grandchild));
    const KernelPlan before = *plan_of(grandchild);
    CHECK(before.parameters.at("width") == 6);
    CHECK(before.parameters.at("plain") == 8);
    CHECK(before.assumptions.back() == "The youngest's.");
    static_cast<void>(folder.write("parent.yaml", parent_text() + "# a remark\n"));
    CHECK(plan_of(grandchild)->hash != before.hash);
}

TEST_CASE("what a file that inherits says wrong is reported where it stands") {
    const Folder folder;
    static_cast<void>(folder.write("parent.yaml", parent_text()));
    const auto of = [&](const std::string& text) {
        return problems_of(folder.write("child.yaml", child_head + text));
    };
    const std::string misspelt = of("parameters:\n  widht: 6\n");
    CHECK(contains(misspelt, "child.yaml:4:3"));
    CHECK(contains(misspelt, "did you mean 'width'?"));
    CHECK(contains(of("roles: {}\n"), "roles"));
    CHECK(contains(of("parameters: 3\n"), "must be a map"));
    CHECK(contains(of("parameters:\n  width: 9\n"), "child.yaml:4:10"));
    CHECK(contains(of("checks:\n  - that: width > 3\n    message: too narrow\n"), "too narrow"));
    CHECK(contains(
        problems_of(folder.write("child.yaml", "schema: warpline-pipeline/1\ninherits: fa4_fwt\n")),
        "did you mean 'fa4_fwd'?"));
    static_cast<void>(folder.write("a.yaml", "schema: warpline-pipeline/1\ninherits: b\n"));
    CHECK(
        contains(problems_of(folder.write("b.yaml", "schema: warpline-pipeline/1\ninherits: a\n")),
                 "inherits itself"));
}

TEST_CASE("a kernel of the user's may inherit a shipped one") {
    const Folder folder;
    const std::string mine = folder.write("mine.yaml",
                                          "schema: warpline-pipeline/1\ninherits: fa4_fwd\ntitle: "
                                          "mine\nparameters:\n  emulated: 8\n");
    const auto plan = plan_of(mine);
    REQUIRE_MESSAGE(plan, problems_of(mine));
    CHECK(plan->parameters.at("emulated") == 8);
    CHECK(plan->roles.size() > 4);
}
