// What `warpline check` says of files that are no pipelines.
#pragma once

#include "cli/session.hpp"
#include "warpline/diagnostics/strict_yaml.hpp"

#include <string>

namespace warpline::cli {

/// What a file is, by its schema.
enum class FileKind { pipeline, operation, family, specification, study, block_lists };

/// Errors (input): no schema, or one of no kind that is known; with those that are.
[[nodiscard]] Result<FileKind> kind_of_file(const YamlNode& root, const std::string& file);

/// A GPU's specification, or an architecture's, which lacks what only a GPU has.
[[nodiscard]] Result<std::string> check_spec(const Request& request, const std::string& file);

/// A family's rules and history; `gpu` is one that their expressions are tried on.
[[nodiscard]] Result<std::string> check_family(const Request& request, const std::string& file,
                                               const std::string& gpu);

[[nodiscard]] Result<std::string> check_study(const std::string& file);
[[nodiscard]] Result<std::string> check_block_lists(const std::string& file);

}  // namespace warpline::cli
