#include "warpline/pipeline/operation_file.hpp"

#include "pipeline_fixture.hpp"
#include "source_dir.hpp"
#include "temporary_folder.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/pipeline/design.hpp"
#include "warpline/pipeline/operand_formats.hpp"
#include "warpline/pipeline/resolve.hpp"
#include "warpline/pipeline/storage_plan.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

using namespace warpline;
namespace fs = std::filesystem;

namespace {

AttentionProblem backward(std::int64_t head_dim = 256) {
    AttentionProblem problem = test::problem(head_dim);
    problem.direction = Direction::backward;
    return problem;
}

PipelineSource shipped() {
    return read_pipeline(source_dir(), "fa4_bwd_hd256").value();
}

/// A folder with pipelines of which some name others.
class Folder {
  public:
    Folder() {
        fs::create_directories(pipelines());
        for (const char* kernel : {"fa4_bwd_hd256_dq", "fa4_bwd_hd256_dkv", "fa4_bwd", "fa4_fwd"}) {
            const std::string name = std::string(kernel) + ".yaml";
            fs::copy_file(fs::path(source_dir()) / "pipelines" / name, pipelines() / name);
        }
    }

    [[nodiscard]] Result<PipelineSource> read(const std::string& kernels,
                                              const std::string& more = "") const {
        std::ofstream(pipelines() / "both.yaml")
            << "schema: warpline-operation/1\ntitle: both\nsource: here\ndirection: backward\n"
            << "kernels: " << kernels << "\n"
            << more;
        return read_pipeline(folder_.path(), "both");
    }
    [[nodiscard]] std::string errors(const std::string& kernels,
                                     const std::string& more = "") const {
        const auto source = read(kernels, more);
        return source ? std::string() : source.error().text();
    }

  private:
    [[nodiscard]] fs::path pipelines() const { return folder_.path() / "pipelines"; }

    TemporaryFolder folder_;
};

const std::string two = "[fa4_bwd_hd256_dq, fa4_bwd_hd256_dkv]";

}  // namespace

TEST_CASE("a file that names kernels has them, and needs what they need") {
    const PipelineSource source = shipped();
    REQUIRE(source.parts.size() == 2);
    CHECK(source.parts[0].kernel == "fa4_bwd_hd256_dq");
    CHECK(source.parts[1].kernel == "fa4_bwd_hd256_dkv");
    DiagnosticSink sink;
    CHECK(texts_of(source.root, "requires", sink) ==
          std::vector<std::string>{"tcgen05", "tmem", "tma", "packed_f32"});
    CHECK(operand_formats(source.root, sink) == std::vector<std::string>{"bf16", "fp16"});
    CHECK(sink.empty());
    CHECK(pipeline_direction(source) == Direction::backward);
    CHECK_FALSE(names_kernels(source.parts[0].root));
}

TEST_CASE("an operation has the plans of its kernels and its own launches") {
    const auto operation = make_operation(shipped(), test::gpu("b200"), backward());
    REQUIRE(operation);
    REQUIRE(operation->kernels.size() == 2);
    CHECK(operation->kernels[0].kernel == "fa4_bwd_hd256_dq");
    CHECK(operation->kernels[0].hash ==
          load_plan(source_dir(), "fa4_bwd_hd256_dq", test::gpu("b200"), backward())->hash);
    CHECK(operation->plan.kernel == "fa4_bwd_hd256");
    CHECK(operation->plan.roles.empty());
    CHECK(operation->plan.parameters.at("keys") == 64.0);
    CHECK(operation->plan.hash.size() == 16);
    CHECK(operation->launches.size() == 1);
}

TEST_CASE("what these kernels do not take is said once") {
    const auto refused = [](AttentionProblem problem, const std::string& gpu = "b200",
                            const std::vector<ParameterOverride>& set = {}) {
        const auto operation = make_operation(shipped(), test::gpu(gpu), problem, set);
        REQUIRE_FALSE(operation);
        CHECK(operation.error().diagnostics.size() == 1);
        return operation.error();
    };
    AttentionProblem problem = backward();
    problem.deterministic = true;
    CHECK(test::contains(refused(problem).text(), "has no deterministic mode"));
    problem = backward();
    problem.mask = {MaskKind::sliding_window, 512};
    CHECK(test::contains(refused(problem).text(), "no windowed backward"));
    CHECK(refused(problem).kind == FailureKind::infeasible);
    CHECK(test::contains(refused(backward(128)).text(), "head dim 256 only"));
    problem = backward();
    problem.dtype = DType::fp8;
    CHECK(test::contains(refused(problem).text(), "bf16, fp16, not fp8"));
    problem.dtype = DType::bf16;
    problem.direction = Direction::forward;
    CHECK(test::contains(refused(problem).text(), "a backward kernel for a forward problem"));
    const Failure unknown = refused(backward(), "b200", {{"key", "64"}});
    CHECK(unknown.kind == FailureKind::usage);
    CHECK(test::contains(unknown.text(), "no kernel of fa4_bwd_hd256 has a parameter 'key'"));
    CHECK(test::contains(unknown.text(), "did you mean 'keys'?"));
    CHECK(test::contains(refused(backward(), "b200", {{"keys", "32"}}).text(), "keys"));
}

TEST_CASE("a file that names kernels is checked with them") {
    const std::string file = source_dir() + "/pipelines/fa4_bwd_hd256.yaml";
    const auto warnings = check_pipeline(file, test::gpu("b200"), backward());
    REQUIRE(warnings);
    CHECK(warnings->empty());
    CHECK_FALSE(check_pipeline(file, test::gpu("b200"), backward(128)));
    CHECK_FALSE(check_pipeline(file, test::gpu("h200"), backward()));
    CHECK_FALSE(check_pipeline(file, test::gpu("b200"), backward(), {{"keys", "32"}}));
}

TEST_CASE("what is of one kernel asks which") {
    const GpuSpec& spec = test::gpu("b200");
    const auto check = [](const auto& result) {
        REQUIRE_FALSE(result);
        CHECK(result.error().kind == FailureKind::usage);
        CHECK(test::contains(result.error().text(), "runs several kernels"));
        CHECK(test::contains(result.error().text(),
                             "name one of them: fa4_bwd_hd256_dq, fa4_bwd_hd256_dkv"));
    };
    check(make_plan(shipped(), spec, backward()));
    check(make_storage_plan(shipped(), spec, backward(), {}));
    check(fit_design(shipped(), spec, backward(), {}));
}

TEST_CASE("what is wrong with a file that names kernels is said, with its place") {
    const Folder folder;
    CHECK(folder.errors(two) == "");
    CHECK(test::contains(folder.errors("[fa4_bwd_hd256_dq]"), "names fewer than two"));
    CHECK(test::contains(folder.errors("fa4_bwd"), "both.yaml:5:10: 'kernels' must be a list"));
    CHECK(test::contains(folder.errors("[fa4_bwd_hd256_dq, fa4_bwd_hd256_dk]"),
                         "no kernel 'fa4_bwd_hd256_dk' (did you mean"));
    CHECK(test::contains(folder.errors("[fa4_bwd_hd256_dq, both]"), "'both' names kernels itself"));
    CHECK(test::contains(folder.errors("[fa4_bwd_hd256_dq, fa4_fwd]"), "of the other direction"));
    CHECK(test::contains(folder.errors("[fa4_bwd_hd256_dq, fa4_bwd]"), "has launches of its own"));
    CHECK(test::contains(folder.errors(two, "roles: {}\n"), "unknown key 'roles'"));
    CHECK(test::contains(folder.errors(two, "requires: [tma]\n"), "unknown key 'requires'"));
    const auto newer = folder.read(two);
    REQUIRE(newer);
    PipelineSource other = *newer;
    other.root.fields.front().second.scalar = "warpline-operation/2";
    const auto refused = make_operation(other, test::gpu("b200"), backward());
    REQUIRE_FALSE(refused);
    CHECK(test::contains(refused.error().text(), "this version reads warpline-operation/1"));
}
