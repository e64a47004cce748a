#include "warpline/diagnostics/yaml_events.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>
#include <yaml.h>

namespace warpline {
namespace {

/// An event that libyaml allocated, for as long as it is looked at.
class OwnedEvent {
  public:
    OwnedEvent() = default;
    ~OwnedEvent() { yaml_event_delete(&event_); }
    OwnedEvent(const OwnedEvent&) = delete;
    OwnedEvent& operator=(const OwnedEvent&) = delete;
    OwnedEvent(OwnedEvent&&) = delete;
    OwnedEvent& operator=(OwnedEvent&&) = delete;

    [[nodiscard]] yaml_event_t* get() { return &event_; }

  private:
    yaml_event_t event_{};
};

void set_place(YamlEvent& out, const yaml_mark_t& mark) {
    out.line = static_cast<int>(mark.line) + 1;
    out.column = static_cast<int>(mark.column) + 1;
}

template <typename Start>
YamlEvent collection(YamlEvent::Kind kind, const Start& start) {
    YamlEvent out;
    out.kind = kind;
    out.anchor = start.anchor != nullptr;
    out.tag = start.tag != nullptr;
    return out;
}

// The library hands events over as a tagged union.
// NOLINTBEGIN(cppcoreguidelines-pro-type-union-access)
YamlEvent scalar(const yaml_event_t& event) {
    const auto& data = event.data.scalar;
    YamlEvent out = collection(YamlEvent::Kind::scalar, data);
    out.value.assign(data.value, data.value + data.length);
    out.quoted = data.style != YAML_PLAIN_SCALAR_STYLE;
    return out;
}

YamlEvent translate(const yaml_event_t& event) {
    YamlEvent out;
    switch (event.type) {
        case YAML_SCALAR_EVENT:
            out = scalar(event);
            break;
        case YAML_SEQUENCE_START_EVENT:
            out = collection(YamlEvent::Kind::sequence_begin, event.data.sequence_start);
            break;
        case YAML_MAPPING_START_EVENT:
            out = collection(YamlEvent::Kind::map_begin, event.data.mapping_start);
            break;
        case YAML_SEQUENCE_END_EVENT:
            out.kind = YamlEvent::Kind::sequence_end;
            break;
        case YAML_MAPPING_END_EVENT:
            out.kind = YamlEvent::Kind::map_end;
            break;
        case YAML_ALIAS_EVENT:
            out.kind = YamlEvent::Kind::alias;
            break;
        case YAML_DOCUMENT_START_EVENT:
            out.kind = YamlEvent::Kind::document;
            break;
        case YAML_STREAM_END_EVENT:
            out.kind = YamlEvent::Kind::stream_end;
            break;
        case YAML_NO_EVENT:
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
    }
    set_place(out, event.start_mark);
    return out;
}
// NOLINTEND(cppcoreguidelines-pro-type-union-access)

}  // namespace

struct YamlEvents::Parser {
    explicit Parser(std::string_view source) : text(source) {
        if (yaml_parser_initialize(&state) == 0) {
            throw std::bad_alloc();
        }
        yaml_parser_set_encoding(&state, YAML_UTF8_ENCODING);
        // The library reads bytes where the text has characters.
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        yaml_parser_set_input_string(&state, reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size());
    }
    ~Parser() { yaml_parser_delete(&state); }
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;
    Parser(Parser&&) = delete;
    Parser& operator=(Parser&&) = delete;

    [[nodiscard]] YamlEvent syntax_error() const {
        YamlEvent out;
        out.kind = YamlEvent::Kind::syntax;
        const std::string problem = state.problem == nullptr ? "out of memory" : state.problem;
        out.value = state.context == nullptr
                        ? problem
                        : fmt::format("{} {} that begins in line {}", problem, state.context,
                                      state.context_mark.line + 1);
        set_place(out, state.problem_mark);
        if (state.error == YAML_READER_ERROR) {  // these know a position in the text only
            const auto before = text.substr(0, std::min(state.problem_offset, text.size()));
            out.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
            out.column = static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1;
        }
        return out;
    }

    std::string_view text;
    yaml_parser_t state{};
    YamlEvent last;  ///< stream_end or syntax, once it was seen
};

YamlEvents::YamlEvents(std::string_view text) : parser_(std::make_unique<Parser>(text)) {}
YamlEvents::~YamlEvents() = default;
YamlEvents::YamlEvents(YamlEvents&&) noexcept = default;
YamlEvents& YamlEvents::operator=(YamlEvents&&) noexcept = default;

YamlEvent YamlEvents::next() {
    if (parser_->last.kind != YamlEvent::Kind::other) {
        return parser_->last;
    }
    OwnedEvent event;
    YamlEvent out = yaml_parser_parse(&parser_->state, event.get()) == 0 ? parser_->syntax_error()
                                                                         : translate(*event.get());
    if (out.kind == YamlEvent::Kind::stream_end || out.kind == YamlEvent::Kind::syntax) {
        parser_->last = out;
    }
    return out;
}

}  // namespace warpline
