#include "warpline/diagnostics/strict_yaml.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unordered_set>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace warpline {
namespace {

constexpr std::size_t deepest_nesting = 64;
constexpr std::size_t most_errors = 100;

/// Ends a parse from inside an event: what follows cannot be trusted, or there is too much of it.
struct StopParsing {};

SourceLocation location(const std::string& file, const YAML::Mark& mark) {
    if (mark.is_null()) {
        return {file, 0, 0};
    }
    return {file, mark.line + 1, mark.column + 1};
}

/// Builds the tree from the parser's events. yaml-cpp recurses once a level and reports a
/// collection before it descends into it, so leaving from that event bounds its stack.
class TreeBuilder : public YAML::EventHandler {
  public:
    TreeBuilder(std::string file, std::string_view text, DiagnosticSink& sink)
        : file_(std::move(file)), text_(text), sink_(sink) {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) {
            error(mark, "a second document", "a file holds one document");
            throw StopParsing{};
        }
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        check_properties(mark, "", anchor);
        add(make(YamlNode::Kind::null, mark));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
        error(mark, "an alias (*name)", "write the value out");
        add(make(YamlNode::Kind::null, mark));
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        check_properties(mark, tag, anchor);
        YamlNode node = make(YamlNode::Kind::scalar, mark);
        node.scalar = value;
        node.quoted = tag == "!";
        add(std::move(node));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        check_properties(mark, tag, anchor);
        open(make(YamlNode::Kind::sequence, mark), mark);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        check_properties(mark, tag, anchor);
        open(make(YamlNode::Kind::map, mark), mark);
    }
    void OnMapEnd() override { close(); }

    [[nodiscard]] YamlNode take_root() { return std::move(root_); }

  private:
    /// A collection under construction. A map alternates keys and values.
    struct Open {
        YamlNode node;
        bool has_key = false;
        std::string key;
        SourceLocation key_where;
        std::unordered_set<std::string> keys;
    };

    void error(const YAML::Mark& mark, std::string message, std::string hint = {}) {
        sink_.error(location(file_, mark), std::move(message), std::move(hint));
        if (sink_.size() >= most_errors) {
            throw StopParsing{};
        }
    }

    [[nodiscard]] YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) const {
        YamlNode node;
        node.kind = kind;
        node.where = location(file_, mark);
        return node;
    }

    void check_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        if (anchor != YAML::NullAnchor) {
            error(mark, "an anchor (&name)", "write each value out where it is used");
        }
        // The parser reports "!" for quoted scalars too; only the text tells the two apart.
        const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
        const bool bang = tag == "!" && at < text_.size() && text_[at] == '!';
        if (bang || (!tag.empty() && tag != "?" && tag != "!")) {
            error(mark, "a tag (!name)", "values have no tags here");
        }
    }

    void open(YamlNode node, const YAML::Mark& mark) {
        if (stack_.size() >= deepest_nesting) {
            error(mark, fmt::format("nested deeper than {} levels", deepest_nesting));
            throw StopParsing{};
        }
        stack_.emplace_back();
        stack_.back().node = std::move(node);
    }

    void close() {
        YamlNode node = std::move(stack_.back().node);
        stack_.pop_back();
        add(std::move(node));
    }

    void add(YamlNode node) {
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = stack_.back();
        if (parent.node.is_sequence()) {
            parent.node.items.push_back(std::move(node));
        } else if (parent.has_key) {
            parent.has_key = false;
            parent.node.fields.emplace_back(std::move(parent.key), std::move(node));
            parent.node.key_locations.push_back(std::move(parent.key_where));
        } else {
            add_key(parent, node);
        }
    }

    void add_key(Open& map, const YamlNode& node) {
        map.has_key = true;
        map.key = node.scalar;
        map.key_where = node.where;
        if (!node.is_scalar()) {
            sink_.error(node.where, "a key that is not a single name",
                        "quote a key or value that holds , : [ ] { } or #");
            // Errors are found, so the tree is not returned; a unique name keeps it well formed.
            map.key = fmt::format("\n{}", map.node.fields.size());
        } else if (!map.keys.insert(map.key).second) {
            sink_.error(node.where, fmt::format("duplicate key '{}'", map.key));
        }
    }

    std::string file_;
    std::string_view text_;
    DiagnosticSink& sink_;
    int documents_ = 0;
    std::vector<Open> stack_;
    YamlNode root_;
};

/// Length of the UTF-8 character at `at`, or 0 when the bytes there are none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned lead = byte(at);
    const std::size_t length = lead < 0x80U                     ? 1
                               : lead >= 0xC2U && lead <= 0xDFU ? 2
                               : lead >= 0xE0U && lead <= 0xEFU ? 3
                               : lead >= 0xF0U && lead <= 0xF4U ? 4
                                                                : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

/// Where the first character is that no text file holds, if there is one.
std::optional<SourceLocation> find_binary(std::string_view text, const std::string& file) {
    SourceLocation here{file, 1, 1};
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        const auto c = static_cast<unsigned char>(text[i]);
        const bool control = (c < 0x20U && c != '\t' && c != '\n' && c != '\r') || c == 0x7FU;
        if (length == 0 || control) {
            return here;
        }
        i += length;
        here.column = c == '\n' ? 1 : here.column + static_cast<int>(length);
        here.line += c == '\n' ? 1 : 0;
    }
    return std::nullopt;
}

void parse_into(TreeBuilder& builder, std::string_view text, const std::string& file,
                DiagnosticSink& sink) {
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const StopParsing&) {
        // What made it stop is in the sink.
    } catch (const YAML::Exception& syntax) {
        sink.error(location(file, syntax.mark), fmt::format("not valid YAML: {}", syntax.msg),
                   "indent with spaces, and quote a value that holds , : [ ] { } or #");
    }
}

}  // namespace

YamlNode::YamlNode() = default;
YamlNode::YamlNode(const YamlNode&) = default;
YamlNode::YamlNode(YamlNode&&) noexcept = default;
YamlNode& YamlNode::operator=(const YamlNode&) = default;
YamlNode& YamlNode::operator=(YamlNode&&) noexcept = default;
YamlNode::~YamlNode() = default;

const YamlNode* YamlNode::find(std::string_view key) const {
    for (const auto& [name, value] : fields) {
        if (name == key) {
            return &value;
        }
    }
    return nullptr;
}

Result<YamlNode> parse_yaml(std::string_view text, const std::string& file_name) {
    if (text.size() > largest_text_file) {
        return fail(FailureKind::input, "larger than 4 MiB", {}, {file_name, 0, 0});
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.substr(0, byte_order_mark.size()) == byte_order_mark) {
        text.remove_prefix(byte_order_mark.size());
    }
    if (const auto where = find_binary(text, file_name)) {
        return fail(FailureKind::input, "not a text file: a control character or invalid UTF-8", {},
                    *where);
    }
    DiagnosticSink sink;
    TreeBuilder builder(file_name, text, sink);
    parse_into(builder, text, file_name, sink);
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    YamlNode root = builder.take_root();
    if (root.where.line == 0) {
        root.where = {file_name, 1, 1};
    }
    return root;
}

Result<std::string> read_text(const std::filesystem::path& path) {
    const std::string name = path.string();
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (error || !std::filesystem::exists(status)) {
        return fail(FailureKind::input, "no such file", {}, {name, 0, 0});
    }
    // A directory or a device can be opened and then never ends or never begins.
    if (!std::filesystem::is_regular_file(status)) {
        return fail(FailureKind::input, "not a regular file", {}, {name, 0, 0});
    }
    // A file may grow or be a pseudo-file that claims to be empty, so its size is a hint only.
    const auto size = std::filesystem::file_size(path, error);
    const std::size_t more = 1 + (error ? 0 : static_cast<std::size_t>(size));
    std::ifstream stream(path, std::ios::binary);
    std::string text;
    while (stream.good() && text.size() <= largest_text_file) {
        const std::size_t before = text.size();
        text.resize(std::min(2 * before + more, largest_text_file + 1));
        stream.read(&text[before], static_cast<std::streamsize>(text.size() - before));
        text.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
    if (!stream.is_open() || stream.bad()) {
        return fail(FailureKind::input, "cannot be read", {}, {name, 0, 0});
    }
    return text;
}

Result<YamlNode> read_yaml(const std::filesystem::path& path) {
    const auto text = read_text(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_yaml(*text, path.string());
}

}  // namespace warpline
