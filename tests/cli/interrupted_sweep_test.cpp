// A sweep in a process of its own, ended at random moments.
#include "temporary_folder.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

constexpr std::int64_t points = 48;
const char* const study_text =
    "schema: warpline-study/1\n"
    "title: interrupted\n"
    "fixed: {kernel: fa4_fwd, gpu: b200, batch: 1}\n"
    "space:\n"
    "  set.emulated: {from: 0, to: 60, step: 4}\n"
    "  seqlen: [1024, 2048, 4096]\n";

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string complete_lines(const std::string& text) {
    return text.substr(0, text.rfind('\n') + 1);
}

/// Rows that are complete, the header apart.
std::int64_t rows_in(const std::string& text) {
    return std::max<std::int64_t>(0, std::count(text.begin(), text.end(), '\n') - 1);
}

/// The program with these arguments, its output in a file.
class Process {
  public:
    Process(std::vector<std::string> arguments, const std::string& output) {
        arguments.insert(arguments.begin(), WARPLINE_PROGRAM);
        std::vector<char*> texts;
        for (std::string& argument : arguments) {
            texts.push_back(argument.data());
        }
        texts.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        REQUIRE(posix_spawn_file_actions_init(&actions) == 0);
        constexpr mode_t permissions = 0600;
        for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
            REQUIRE(posix_spawn_file_actions_addopen(&actions, descriptor, output.c_str(),
                                                     O_WRONLY | O_CREAT | O_APPEND,
                                                     permissions) == 0);
        }
        const int spawned =
            posix_spawn(&id_, WARPLINE_PROGRAM, &actions, nullptr, texts.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        REQUIRE(spawned == 0);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() {
        if (!over()) {
            end(SIGKILL);
        }
    }

    [[nodiscard]] bool over() {
        if (!over_ && ::waitpid(id_, &status_, WNOHANG) == id_) {
            over_ = true;
        }
        return over_;
    }
    void end(int signal) {
        ::kill(id_, signal);
        wait();
    }
    int wait() {
        if (!over_) {
            ::waitpid(id_, &status_, 0);
            over_ = true;
        }
        return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    }

  private:
    pid_t id_ = 0;
    int status_ = 0;
    bool over_ = false;
};

}  // namespace

TEST_CASE("a sweep that is killed at any moment goes on without loss or repetition") {
    const TemporaryFolder folder;
    const std::string study = folder / "study.yaml", whole = folder / "whole.csv";
    const std::string path = folder / "rows.csv", said = folder / "said.txt";
    std::ofstream(study) << study_text;
    REQUIRE(Process({"sweep", study, "--out", whole}, said).wait() == 0);
    const std::string expected = content(whole);
    REQUIRE(rows_in(expected) == points);

    const std::vector<std::string> resume = {"sweep", study, "--out", path, "--resume"};
    std::mt19937 random(3);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    const auto below = [&](int most) {
        return std::uniform_int_distribution<int>(0, most - 1)(random);
    };
    std::string before;
    for (int round = 0; round < 8 && rows_in(before) < points - 6; ++round) {
        Process process(resume, said);
        const std::int64_t enough = rows_in(before) + below(6);
        while (!process.over() && rows_in(content(path)) < enough) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::this_thread::sleep_for(std::chrono::microseconds(below(20'000)));
        process.end(round % 2 == 0 ? SIGKILL : SIGINT);
        const std::string after = complete_lines(content(path));
        CHECK(after.compare(0, before.size(), before) == 0);
        CHECK(expected.compare(0, after.size(), after) == 0);
        before = after;
    }
    const std::string last = folder / "last.txt";
    REQUIRE(Process(resume, last).wait() == 0);
    CHECK(content(path) == expected);
    CHECK(content(last).find(std::to_string(points - rows_in(before)) + " of them new") !=
          std::string::npos);
}
