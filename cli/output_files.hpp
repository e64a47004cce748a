// Files that are there in full or not at all.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <string>
#include <vector>

namespace warpline::cli {

struct OutputFile {
    std::string path;
    std::string text;
};

/// Writes every text to a temporary file beside its target, then renames all of them; what exists
/// and is not a regular file (a device, a pipe) is written directly. Errors (input): a path that
/// cannot be written, or one that is named twice; then no target has been touched unless a rename
/// itself failed.
[[nodiscard]] Result<void> write_files(const std::vector<OutputFile>& files);

/// write_files(), but for a file whose path is "-": its text is returned, for standard output, in
/// place of `text`. Errors: also usage when two paths are "-".
[[nodiscard]] Result<std::string> deliver(std::vector<OutputFile> files, std::string text);

}  // namespace warpline::cli
