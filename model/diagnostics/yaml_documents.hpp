// YAML files that were read, parsed once for everyone.
#pragma once

#include "warpline/diagnostics/strict_yaml.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace warpline {

/// A file as it was when it was read.
struct YamlDocument {
    std::filesystem::path file;
    std::string text;
    YamlNode root;
};

/// Whether the file still holds what it held then.
[[nodiscard]] bool is_current(const YamlDocument& document);

/// Keeps documents for as long as it lives. A file is read each time it is asked for, and parsed
/// again only when its bytes are others than before. Safe to use from several threads.
class YamlDocuments {
  public:
    /// Errors: those of read_text() and parse_yaml(), which are not kept.
    [[nodiscard]] Result<std::shared_ptr<const YamlDocument>> read(
        const std::filesystem::path& file);

  private:
    std::mutex mutex_;
    std::map<std::filesystem::path, std::shared_ptr<const YamlDocument>> known_;
};

}  // namespace warpline
