// Reading YAML without surprises: one document, no aliases, anchors or tags, no duplicate or
// unknown keys, and an error that says where and what for everything else.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpline {

/// A node of a parsed document. A plain value: copies share nothing with the parser.
struct YamlNode {
    enum class Kind : std::uint8_t { null, scalar, sequence, map };
    Kind kind = Kind::null;
    SourceLocation where;
    std::string scalar;
    bool quoted = false;          ///< a scalar in quotes
    std::vector<YamlNode> items;  ///< of a sequence
    std::vector<std::pair<std::string, YamlNode>>
        fields;                                 ///< of a map, in file order; keys are unique
    std::vector<SourceLocation> key_locations;  ///< of each field's key

    // Defined where the type is complete: a pair that holds the node inside itself asks about them
    // before it is.
    YamlNode();
    YamlNode(const YamlNode&);
    YamlNode(YamlNode&&) noexcept;
    YamlNode& operator=(const YamlNode&);
    YamlNode& operator=(YamlNode&&) noexcept;
    ~YamlNode();

    [[nodiscard]] const YamlNode* find(std::string_view key) const;
    [[nodiscard]] bool is_map() const { return kind == Kind::map; }
    [[nodiscard]] bool is_sequence() const { return kind == Kind::sequence; }
    [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
};

/// Parses `text`. Errors (input): syntax, more than one document, alias, anchor, tag, duplicate
/// key, a key that is not a scalar, binary content, more than 4 MiB, nesting deeper than 64. All
/// that can be found at once.
[[nodiscard]] Result<YamlNode> parse_yaml(std::string_view text, const std::string& file_name);

/// Bytes that a file may have: 4 MiB.
inline constexpr std::size_t largest_text_file = std::size_t{4} << 20;

/// The bytes of a regular file, at most 4 MiB and one byte, so that the caller sees when it is
/// too large. Errors (input): no such file, not a regular file, unreadable.
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& path);

/// Reads and parses a file; one that cannot be read is an input error.
[[nodiscard]] Result<YamlNode> read_yaml(const std::filesystem::path& path);

/// Collects diagnostics while a document is being interpreted, so that all errors are reported
/// together.
class DiagnosticSink {
  public:
    void error(const SourceLocation& where, std::string message, std::string hint = {});
    [[nodiscard]] bool empty() const { return diagnostics_.empty(); }
    [[nodiscard]] std::size_t size() const { return diagnostics_.size(); }
    /// The failure of everything collected. Precondition: not empty.
    [[nodiscard]] tl::unexpected<Failure> failure(FailureKind kind) const;

    /// Reports every key of `map` that is not in `allowed`, with the nearest allowed name.
    void check_keys(const YamlNode& map, const std::vector<std::string>& allowed,
                    std::string_view what);
    /// The field, or null with an error when it is missing.
    [[nodiscard]] const YamlNode* require(const YamlNode& map, std::string_view key,
                                          std::string_view what);
    /// The text of a scalar field, or nothing with an error when it is missing or not a scalar.
    [[nodiscard]] std::optional<std::string> require_text(const YamlNode& map, std::string_view key,
                                                          std::string_view what);

  private:
    std::vector<Diagnostic> diagnostics_;
};

}  // namespace warpline
