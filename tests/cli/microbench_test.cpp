#include "ran_command.hpp"
#include "source_dir.hpp"
#include "warpline/validate/micro_rows.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::contains;
using test::Ran;
using test::run;

namespace {

namespace fs = std::filesystem;

/// Sets an environment variable for the life of the object.
class Environment {
  public:
    Environment(const char* name, const std::string& value) : name_(name) {
        const char* const before = std::getenv(name);
        had_ = before != nullptr;
        before_ = had_ ? before : "";
        setenv(name, value.c_str(), 1);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        if (had_) {
            setenv(name_, before_.c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }

  private:
    const char* name_;
    bool had_ = false;
    std::string before_;
};

/// A folder of scripts that stand in for the tools of a machine with a GPU.
class FakeMachine {
  public:
    FakeMachine()
        : root_(fs::temp_directory_path() / ("warpline_gpu_" + std::to_string(getpid()))) {
        fs::create_directories(root_ / "build" / "micro");
    }
    FakeMachine(const FakeMachine&) = delete;
    FakeMachine& operator=(const FakeMachine&) = delete;
    ~FakeMachine() {
        std::error_code ignored;
        fs::remove_all(root_, ignored);
    }
    void script(const std::string& name, const std::string& body) const {
        const fs::path path = root_ / name;
        std::ofstream(path) << "#!/bin/sh\n" << body << '\n';
        fs::permissions(path, fs::perms::owner_all);
    }
    /// A program whose first run prints one value, and whose later runs print another.
    void program(const std::string& name, const std::string& first,
                 const std::string& later) const {
        const std::string seen = at("seen_" + name);
        script("build/micro/" + name,
               "if [ -e " + seen + " ]; then v=" + later + "; else v=" + first + "; : > " + seen +
                   "; fi; echo \"" + name + "_rate,$v,clk,0.5,NVIDIA H200,1980,13.0,\\\"\\\"\"");
    }
    [[nodiscard]] std::string at(const std::string& name) const { return (root_ / name).string(); }

  private:
    fs::path root_;
};

}  // namespace

TEST_CASE("without a compiler or a GPU microbench says what it needs") {
    const FakeMachine machine;
    const Environment path("PATH", machine.at(""));
    const auto refused = [](const std::string& reason) {
        const Ran ran = run({"microbench"});
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CAPTURE(ran.err);
        CHECK(contains(ran.err, reason));
    };
    const Environment compiler("CUDACXX", "/no/such/nvcc");
    refused("there is no NVIDIA GPU to measure: nvidia-smi is not on PATH");
    machine.script("nvidia-smi", "exit 9");
    refused("there is no NVIDIA GPU to measure: nvidia-smi finds none");
    machine.script("nvidia-smi", "echo 'NVIDIA A100-SXM4-80GB, 8.0'");
    refused("NVIDIA A100-SXM4-80GB is none of these (80a)");
    machine.script("nvidia-smi", "echo 'NVIDIA H200, 9.0'");
    refused("CUDACXX names /no/such/nvcc, which does not exist");
}

TEST_CASE("microbench builds for the GPU at hand and merges the passes of every program") {
    const FakeMachine machine;
    machine.script("nvidia-smi", "echo 'NVIDIA H200, 9.0'");
    machine.script("cmake", "echo \"$@\" >> " + machine.at("calls"));
    machine.program("one", "10", "12");
    machine.program("two", "5", "5");
    machine.script("build/micro/other", "echo 'other needs another GPU' >&2; exit 77");
    std::ofstream(machine.at("build/micro/programs.txt")) << "one\nother\ntwo\n";
    const Environment compiler("CUDACXX", "/bin/sh");
    const Environment path("PATH", machine.at(""));
    const std::string table = machine.at("out.csv");
    const Ran ran = run({"microbench", "--build", machine.at("build"), "-o", table});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "2 constants of NVIDIA H200, 2 passes"));
    CHECK(contains(ran.out, "machine instructions not checked"));
    CHECK(contains(ran.err, "skipped other"));
    std::stringstream calls;
    calls << std::ifstream(machine.at("calls")).rdbuf();
    CHECK(contains(calls.str(), "-DWARPLINE_CUDA_ARCHS=90a"));
    CHECK(contains(calls.str(), "--target micro_programs"));
    const auto rows = read_micro_rows(table);
    REQUIRE(rows.has_value());
    CHECK(find_micro_row(*rows, "one_rate")->value == 11);
    CHECK(find_micro_row(*rows, "one_rate")->spread == doctest::Approx(1.5));
    CHECK(find_micro_row(*rows, "two_rate")->spread == doctest::Approx(0.5));
}

TEST_CASE("a program that fails is named, and the others still run") {
    const FakeMachine machine;
    machine.script("nvidia-smi", "echo 'NVIDIA H200, 9.0'");
    machine.script("cmake", "exit 0");
    machine.program("one", "10", "10");
    machine.script("build/micro/bad", "exit 1");
    machine.script("build/micro/odd", "echo nonsense");
    std::ofstream(machine.at("build/micro/programs.txt")) << "bad\nodd\none\n";
    const Environment compiler("CUDACXX", "/bin/sh");
    const Environment path("PATH", machine.at(""));
    const std::vector<std::string> arguments = {
        "microbench", "--build", machine.at("build"), "-o", machine.at("out.csv"), "--passes", "1"};
    const Ran ran = run(arguments);
    CHECK(ran.code == 1);
    CHECK(contains(ran.out, "failed: bad odd"));
    CHECK(read_micro_rows(machine.at("out.csv")).value().size() == 1);
    machine.script("cmake", "echo 'no compiler'; exit 1");
    const Ran unbuilt = run(arguments);
    CHECK(unbuilt.code == 2);
    CHECK(contains(unbuilt.err, "no compiler"));
    CHECK(contains(unbuilt.err, "preparing the CUDA programs failed"));
}

TEST_CASE("microbench --compare and specs --from read tables") {
    const std::string micro = source_dir() + "/validate/measured/micro/";
    const Ran compared =
        run({"microbench", "--compare", micro + "h200.csv", micro + "h200_repeat.csv"});
    CHECK(compared.code == 0);
    CHECK(contains(compared.out, "agree within their stated spreads"));
    const Ran same = run({"microbench", "--compare", micro + "h200.csv", micro + "h200.csv"});
    const std::string all = same.out.substr(0, same.out.find(' '));
    CHECK(contains(same.out, "; " + all + " agree"));
    CHECK(contains(same.out, "apart") == false);
    const Ran drafted = run({"specs", "--from", micro + "h200.csv"});
    CHECK(drafted.code == 0);
    CHECK(contains(drafted.out, "schema: warpline-hardware/1"));
    CHECK(contains(drafted.out, "inherits: sm_90"));
    CHECK(run({"specs", "--from", "/no/such.csv"}).code == 2);
    CHECK(run({"specs", "h200", "--from", micro + "h200.csv"}).code == 2);
    CHECK(run({"microbench", "--passes", "0"}).code == 2);
}
