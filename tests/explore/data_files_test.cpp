#include "warpline/explore/data_files.hpp"

#include "pipeline/pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "temporary_folder.hpp"

#include <fstream>
#include <thread>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

namespace fs = std::filesystem;

/// A data directory with a specification and a kernel, and one that inherits it.
class Data {
  public:
    Data() {
        fs::create_directories(path() / "pipelines");
        fs::copy(fs::path(source_dir()) / "hw_specs", path() / "hw_specs",
                 fs::copy_options::recursive);
        write("pipelines/base.yaml",
              changed(base_text(), "parameters:\n", "parameters:\n  p: 3\n"));
        write("pipelines/child.yaml",
              "schema: warpline-pipeline/1\ninherits: base\ntitle: child\n");
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path() / name) << text;
    }
    [[nodiscard]] fs::path path() const { return folder_ / ""; }

  private:
    TemporaryFolder folder_;
};

double parameter(DataFiles& files, const std::string& kernel) {
    const auto plan = files.load_plan(kernel, gpu("b200"), problem());
    REQUIRE_MESSAGE(plan.has_value(), plan.error().text());
    return plan->parameters.at("p");
}

}  // namespace

TEST_CASE("specifications and kernels are read again only when a file of theirs has changed") {
    const Data data;
    DataFiles files(data.path());
    const auto child = files.kernel("child");
    REQUIRE_MESSAGE(child.has_value(), child.error().text());
    CHECK((*child)->documents.size() == 2);
    CHECK(*files.kernel("child") == *child);
    const auto b200 = files.gpu("b200");
    CHECK(*files.gpu("b200") == *b200);

    CHECK(parameter(files, "child") == 3);
    data.write("pipelines/base.yaml",
               changed(base_text(), "parameters:\n", "parameters:\n  p: 4\n"));
    CHECK(parameter(files, "child") == 4);
    CHECK(parameter(files, "base") == 4);
    CHECK((*child)->documents.back()->text != (*files.kernel("child"))->documents.back()->text);

    data.write("hw_specs/mine.yaml",
               "schema: warpline-hardware/1\ntitle: mine\ninherits: b200\nconstants:\n"
               "  source: s\n  confidence: D\n  sm_count: 148 SM\n");
    CHECK(files.load_gpu_spec("mine")->sm_count == 148);
    data.write("hw_specs/mine.yaml",
               "schema: warpline-hardware/1\ntitle: mine\ninherits: b200\nconstants:\n"
               "  source: s\n  confidence: D\n  sm_count: 14x SM\n");
    const auto wrong = files.load_gpu_spec("mine");
    REQUIRE_FALSE(wrong.has_value());
    CHECK_MESSAGE(contains(wrong.error().text(), "mine.yaml:7:13: sm_count"), wrong.error().text());
    CHECK(*files.gpu("b200") == *b200);
}

TEST_CASE("what is loaded is what load_gpu_spec() and load_plan() give") {
    DataFiles files(source_dir());
    for (const char* const kernel : {"fa4_fwd", "fa4_bwd", "avo_fwd"}) {
        AttentionProblem asked = problem(128);
        asked.direction =
            std::string(kernel) == "fa4_bwd" ? Direction::backward : Direction::forward;
        for (const std::string id : {"b200", "b300", "b200"}) {
            const auto spec = files.load_gpu_spec(id);
            REQUIRE(spec.has_value());
            CHECK(spec->hash == load_gpu_spec(source_dir(), id)->hash);
            const auto plan = files.load_plan(kernel, *spec, asked);
            REQUIRE_MESSAGE(plan.has_value(), plan.error().text());
            const auto alone = load_plan(source_dir(), kernel, *spec, asked);
            CHECK(plan->hash == alone->hash);
            CHECK(plan->parameters == alone->parameters);
        }
    }
    CHECK(files.kernel("fa5_fwd").error().text() ==
          read_pipeline(source_dir(), "fa5_fwd").error().text());
}

TEST_CASE("threads load from the same files") {
    DataFiles files(source_dir());
    std::vector<std::string> hashes(4);
    std::vector<std::thread> threads;
    for (std::string& hash : hashes) {
        threads.emplace_back([&] {
            for (int i = 0; i < 3; ++i) {
                const auto spec = files.load_gpu_spec("b200");
                const auto plan = files.load_plan("fa4_fwd", *spec, problem(128));
                hash = plan ? plan->hash : plan.error().text();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const auto alone = load_plan(source_dir(), "fa4_fwd", gpu("b200"), problem(128));
    for (const std::string& hash : hashes) {
        CHECK(hash == alone->hash);
    }
}
