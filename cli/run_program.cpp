#include "cli/run_program.hpp"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the user

namespace warpline::cli {
namespace {

tl::unexpected<Failure> cannot_run(const std::string& program, const std::string& purpose,
                                   const std::string& why) {
    return fail(FailureKind::input,
                fmt::format("{} needs the program {}: {}", purpose, program, why),
                fmt::format("install {}", program));
}

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 65536> buffer{};
    for (;;) {
        const ssize_t count = read(descriptor, buffer.data(), buffer.size());
        if (count <= 0) {
            return text;
        }
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

enum class Errors { discarded, shown };

Result<Finished> run_and_wait(const std::vector<std::string>& arguments, const std::string& purpose,
                              Errors errors) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return cannot_run(arguments.front(), purpose, "no pipe to it can be made");
    }
    std::vector<char*> argv;
    std::vector<std::string> copies = arguments;
    for (std::string& copy : copies) {
        argv.push_back(copy.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (errors == Errors::discarded) {
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    pid_t child = 0;
    const int spawned = posix_spawnp(&child, argv.front(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    Finished finished;
    finished.out = spawned == 0 ? read_all(ends[0]) : std::string();
    close(ends[0]);
    if (spawned != 0) {
        return cannot_run(arguments.front(), purpose, "it was not found");
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) {
        return cannot_run(arguments.front(), purpose, "it was lost");
    }
    constexpr int by_signal = 128;
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
    return finished;
}

}  // namespace

Result<std::string> run_program(const std::vector<std::string>& arguments,
                                const std::string& purpose) {
    auto finished = run_and_wait(arguments, purpose, Errors::discarded);
    if (!finished) {
        return tl::unexpected(finished.error());
    }
    if (finished->status != 0) {
        return cannot_run(arguments.front(), purpose, "it ended with an error");
    }
    return std::move(finished->out);
}

Result<Finished> run_to_end(const std::vector<std::string>& arguments, const std::string& purpose) {
    return run_and_wait(arguments, purpose, Errors::shown);
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

Result<TemporaryFolder> TemporaryFolder::make() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    std::string name = (parent / "warpline-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
        return fail(FailureKind::input, "no temporary folder can be made");
    }
    return TemporaryFolder(std::move(name));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
        std::filesystem::remove_all(path_, ignored);
    }
}

}  // namespace warpline::cli
