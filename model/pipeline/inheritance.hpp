// A pipeline file that is another one with different parameters: follows `inherits`, lays the
// child over its parent.
#pragma once

#include "warpline/diagnostics/strict_yaml.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace warpline {

/// The parent's id or file name, or an empty text; also for a file of another schema, whose
/// `inherits` means something else. Errors (to `sink`): not a text.
[[nodiscard]] std::string parent_of(const YamlNode& child, DiagnosticSink& sink);

/// The file that `parent` stands for: a name ending in .yaml relative to `child`; an id beside
/// `child`, then in `data_dir`/pipelines. Empty when there is none.
[[nodiscard]] std::filesystem::path find_parent(const std::string& parent,
                                                const std::filesystem::path& child,
                                                const std::filesystem::path& data_dir);

/// `parent` with what `child` says otherwise: title and source instead; notes, assumptions and
/// checks in addition; of a parameter, its value or cases, and each limit or meaning given. Every
/// place keeps the file it was written in. Errors (to `sink`): another key; a parameter that the
/// parent does not have.
[[nodiscard]] YamlNode inherit(YamlNode parent, const YamlNode& child, DiagnosticSink& sink);

}  // namespace warpline
