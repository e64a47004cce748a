// warpline validate with and without a GPU: the GPU and the toolkit are scripts on PATH here.
#include "cli/cuda_parts.hpp"
#include "cli/run_program.hpp"
#include "ran_command.hpp"
#include "source_dir.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::contains;
using test::Ran;
using test::run;

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The environment's variable while this lives.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* const now = std::getenv(name)) {
            before_ = now;
        }
        setenv(name, value.c_str(), 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { setenv(name_, before_.c_str(), 1); }

  private:
    const char* name_;
    std::string before_;
};

/// A machine whose programs are scripts in a folder of its own, and nothing else.
class Machine {
  public:
    Machine()
        : folder_(std::move(*cli::TemporaryFolder::make())),
          bin_(fs::path(folder_.path()) / "bin"),
          path_("PATH", bin_.string()),
          compiler_("CUDACXX", (bin_ / "nvcc").string()) {
        fs::create_directory(bin_);
        script("nvcc", "exit 0");
    }

    void script(const std::string& name, const std::string& text) {
        const fs::path file = bin_ / name;
        std::ofstream(file) << "#!/bin/sh\nPATH=/bin:/usr/bin\n" << text << '\n';
        fs::permissions(file, fs::perms::owner_all);
    }
    /// A CMake whose build leaves `program` as warpline_attention.
    void builds(const std::string& program) {
        script("attention", program);
        script("cmake",
               "case $1 in -S) mkdir -p \"$4\";; "
               "--build) cp '" +
                   (bin_ / "attention").string() + "' \"$2/warpline_attention\";; esac");
    }
    [[nodiscard]] fs::path output() const { return fs::path(folder_.path()) / "out"; }
    [[nodiscard]] Ran validate() const {
        return run({"validate", "--quick", "-o", output().string(), "--build",
                    (fs::path(folder_.path()) / "build").string()});
    }

  private:
    cli::TemporaryFolder folder_;
    fs::path bin_;
    Variable path_;
    Variable compiler_;
};

/// Answers check and time as the real one; its timeline is one that is shipped.
std::string attention(int check_status) {
    const std::string measured = source_dir() + "/validate/measured/";
    return "case $1 in check) exit " + std::to_string(check_status) + ";; time) head -2 '" +
           measured +
           "h200_warpline_sm90_fwd.csv' > \"$5\";;"
           " timeline) while [ $# -gt 1 ]; do [ \"$1\" = --csv ] && cp '" +
           measured + "timelines/h200_warpline_sm90_fwd_hd128.csv' \"$2\"; shift; done;; esac";
}

}  // namespace

TEST_CASE("a GPU is read from what nvidia-smi answers") {
    const auto gpu = cli::parse_cuda_gpu("NVIDIA H200, 9.0\nNVIDIA H200, 9.0\n");
    REQUIRE(gpu);
    CHECK(gpu->name == "NVIDIA H200");
    CHECK(gpu->arch == "90a");
    CHECK(cli::parse_cuda_gpu("NVIDIA B300, SXM, 10.3")->arch == "103a");
    for (const char* const bad :
         {"", "No devices were found", "NVIDIA H200, ", "GPU, x.y", ", ."}) {
        CHECK_FALSE(cli::parse_cuda_gpu(bad));
    }
}

TEST_CASE("without a GPU validate says so and compares with what is shipped") {
    const Machine machine;
    const Ran ran = machine.validate();
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "Nothing was measured here: there is no NVIDIA GPU"));
    CHECK(contains(ran.out, "warpline_sm90_fwd"));
    for (const char* const head_dim : {"hd64", "hd128", "hd256"}) {
        CHECK(contains(ran.out, std::string(head_dim) + ".csv: interval of a step"));
    }
    CHECK(contains(read(machine.output() / "report.html"), "<html"));
    CHECK(contains(read(machine.output() / "report.txt"), "consumer[1]"));
    CHECK(contains(read(machine.output() / "comparison.json"), "warpline-comparison/1"));
}

TEST_CASE("a GPU that the CUDA programs are not for is named") {
    Machine machine;
    machine.script("nvidia-smi", "echo 'NVIDIA A100-SXM4-80GB, 8.0'");
    const Ran ran = machine.validate();
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "NVIDIA A100-SXM4-80GB is none of these (80a)"));
}

TEST_CASE("a compiler that does not exist is named") {
    Machine machine;
    machine.script("nvidia-smi", "echo 'NVIDIA H200, 9.0'");
    const Variable compiler("CUDACXX", "/no/such/nvcc");
    const Ran ran = machine.validate();
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "Nothing was measured here: CUDACXX names /no/such/nvcc"));
}

TEST_CASE("with a GPU validate builds, measures, compares and reports") {
    Machine machine;
    machine.script("nvidia-smi", "echo 'NVIDIA H200, 9.0'");
    machine.builds(attention(0));
    const Ran ran = machine.validate();
    INFO(ran.err);
    INFO(ran.out);
    CHECK(contains(ran.out, "Measured on NVIDIA H200 (compute capability 90a)"));
    CHECK(contains(ran.out, "agree with double precision"));
    CHECK(contains(ran.out, "1 row of hd128_full in"));
    CHECK(contains(ran.out, "there is no python3"));
    CHECK(contains(ran.out, "timeline_hd64_full.csv: interval of a step"));
    CHECK(contains(read(machine.output() / "report.html"), "<html"));
    // No microbenchmarks were built, which is said and fails the validation.
    CHECK(ran.code == 1);
}

TEST_CASE("kernels that compute wrong results are not timed, and fail the validation") {
    Machine machine;
    machine.script("nvidia-smi", "echo 'NVIDIA H200, 9.0'");
    machine.builds(attention(1));
    const Ran ran = machine.validate();
    INFO(ran.err);
    CHECK(ran.code == 1);
    CHECK(contains(ran.out, "WRONG"));
    CHECK_FALSE(fs::exists(machine.output() / "hd128_full.csv"));
}

TEST_CASE("programs that do not build are an input error") {
    Machine machine;
    machine.script("nvidia-smi", "echo 'NVIDIA H200, 9.0'");
    machine.script("cmake", "case $1 in --build) echo broken; exit 1;; esac");
    const Ran ran = machine.validate();
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(contains(ran.err, "broken"));
    CHECK(contains(ran.err, "building warpline_attention failed"));
}
