// Running another program and reading what it prints.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpline::cli {

struct Finished {
    int status = 0;   ///< of its exit; 128 and more: ended by a signal
    std::string out;  ///< what it wrote to standard output
};

/// Runs the program `arguments` names first (a path, or a name that is looked for on PATH) and
/// waits for it. Its standard error is this process's. Errors (input): it cannot be started.
[[nodiscard]] Result<Finished> run_program(const std::vector<std::string>& arguments);

/// The first executable file `name` in the folders of the environment's PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_on_path(const std::string& name);

}  // namespace warpline::cli
