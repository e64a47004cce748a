// Other programs that help with an output when they are there.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpline::cli {

/// Runs `arguments` (the first is looked up in PATH) without a shell, waits, and returns what it
/// wrote to standard output. Errors: input when it cannot be run, or ends with an error; `purpose`
/// says what it was wanted for.
[[nodiscard]] Result<std::string> run_program(const std::vector<std::string>& arguments,
                                              const std::string& purpose);

struct Finished {
    int status = 0;   ///< of its exit; 128 and more: a signal ended it
    std::string out;  ///< what it wrote to standard output
};

/// Runs `arguments` like run_program(), but leaves its standard error where this process's goes,
/// and takes any end for an answer. Errors: input when it cannot be run.
[[nodiscard]] Result<Finished> run_to_end(const std::vector<std::string>& arguments,
                                          const std::string& purpose);

/// The first executable file `name` in the folders of the environment's PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_on_path(const std::string& name);

/// A folder of its own for files on their way, removed with what is in it.
class TemporaryFolder {
  public:
    /// Errors: input when none can be made.
    [[nodiscard]] static Result<TemporaryFolder> make();
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
        other.path_.clear();
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

}  // namespace warpline::cli
