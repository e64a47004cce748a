// libyaml's stream of events as values: the only place that knows its C interface.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace warpline {

/// What the parser saw next. Places are 1-based; columns count characters.
struct YamlEvent {
    enum class Kind : std::uint8_t {
        document,  ///< a document begins
        scalar,
        alias,
        sequence_begin,
        sequence_end,
        map_begin,
        map_end,
        stream_end,
        other,   ///< nothing that a tree is made of
        syntax,  ///< not YAML from here on; `value` says why
    };
    Kind kind = Kind::other;
    int line = 0;
    int column = 0;
    std::string value;    ///< of a scalar
    bool quoted = false;  ///< a scalar in quotes or a block scalar
    bool anchor = false;
    bool tag = false;
};

/// Reads a text event by event. Nesting costs memory, never stack.
class YamlEvents {
  public:
    /// Keeps a view of `text`, which is UTF-8.
    explicit YamlEvents(std::string_view text);
    ~YamlEvents();
    YamlEvents(YamlEvents&&) noexcept;
    YamlEvents& operator=(YamlEvents&&) noexcept;
    YamlEvents(const YamlEvents&) = delete;
    YamlEvents& operator=(const YamlEvents&) = delete;

    /// After stream_end or syntax: the same kind again.
    [[nodiscard]] YamlEvent next();

  private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

}  // namespace warpline
