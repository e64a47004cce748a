#include "warpline/diagnostics/yaml_documents.hpp"

#include <utility>

namespace warpline {

bool is_current(const YamlDocument& document) {
    const auto now = read_text(document.file);
    return now && *now == document.text;
}

Result<std::shared_ptr<const YamlDocument>> YamlDocuments::read(const std::filesystem::path& file) {
    auto text = read_text(file);
    if (!text) {
        return tl::unexpected(std::move(text.error()));
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = known_.find(file);
        if (known != known_.end() && known->second->text == *text) {
            return known->second;
        }
    }
    // Not under the lock: two threads may both parse it, and find the same.
    auto root = parse_yaml(*text, file.string());
    if (!root) {
        return tl::unexpected(std::move(root.error()));
    }
    auto fresh = std::make_shared<const YamlDocument>(
        YamlDocument{file, std::move(*text), std::move(*root)});
    const std::lock_guard<std::mutex> lock(mutex_);
    known_[file] = fresh;
    return fresh;
}

}  // namespace warpline
