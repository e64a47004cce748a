#include "cli/subprocess.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;

namespace warpline::cli {
namespace {

/// A pipe whose ends are closed with it.
struct Pipe {
    std::array<int, 2> ends{-1, -1};

    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    [[nodiscard]] bool open() { return pipe(ends.data()) == 0; }
    void close_end(std::size_t end) {
        if (ends.at(end) >= 0) {
            close(ends.at(end));
            ends.at(end) = -1;
        }
    }
};

struct FileActions {
    posix_spawn_file_actions_t actions{};

    FileActions() { posix_spawn_file_actions_init(&actions); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
};

std::string read_all(int from) {
    std::string text;
    std::array<char, 4096> buffer{};
    while (true) {
        const ssize_t got = read(from, buffer.data(), buffer.size());
        if (got > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            return text;
        }
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int by_signal = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
}

}  // namespace

Result<Finished> run_program(const std::vector<std::string>& arguments) {
    const auto cannot = [&](int error) {
        return fail(FailureKind::input,
                    fmt::format("{} cannot be run: {}", arguments.front(), std::strerror(error)));
    };
    Pipe out;
    if (!out.open()) {
        return cannot(errno);
    }
    FileActions files;
    posix_spawn_file_actions_adddup2(&files.actions, out.ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&files.actions, out.ends[0]);
    posix_spawn_file_actions_addclose(&files.actions, out.ends[1]);
    std::vector<std::string> copies = arguments;
    std::vector<char*> argv;
    for (std::string& copy : copies) {
        argv.push_back(copy.data());
    }
    argv.push_back(nullptr);
    pid_t child = 0;
    const int error =
        posix_spawnp(&child, argv.front(), &files.actions, nullptr, argv.data(), environ);
    if (error != 0) {
        return cannot(error);
    }
    out.close_end(1);
    Finished finished;
    finished.out = read_all(out.ends[0]);
    finished.status = wait_for(child);
    return finished;
}

std::optional<std::filesystem::path> find_on_path(const std::string& name) {
    const char* const variable = std::getenv("PATH");
    std::string_view rest = variable == nullptr ? "" : variable;
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        const std::filesystem::path path = std::filesystem::path(rest.substr(0, colon)) / name;
        std::error_code error;
        if (std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0) {
            return path;
        }
        rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
    }
    return std::nullopt;
}

}  // namespace warpline::cli
