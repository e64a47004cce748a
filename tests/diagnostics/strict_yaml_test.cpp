#include "warpline/diagnostics/strict_yaml.hpp"

#include "temporary_folder.hpp"

#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace warpline;

namespace {

std::string error_of(std::string_view text) {
    const auto result = parse_yaml(text, "f");
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().kind == FailureKind::input);
    return result.error().text();
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a document becomes a tree with 1-based places") {
    const auto root = parse_yaml("a: 1\nb:\n  - x: \"2 : 3\"\n  - y\nc:\nd: null\n", "f").value();
    REQUIRE(root.is_map());
    REQUIRE(root.fields.size() == 4);
    CHECK(root.find("a")->scalar == "1");
    CHECK_FALSE(root.find("a")->quoted);
    CHECK(root.find("a")->where.line == 1);
    CHECK(root.find("a")->where.column == 4);
    CHECK(root.key_locations[1].line == 2);
    const YamlNode* list = root.find("b");
    REQUIRE(list->is_sequence());
    REQUIRE(list->items.size() == 2);
    CHECK(list->items[0].find("x")->scalar == "2 : 3");
    CHECK(list->items[0].find("x")->quoted);
    CHECK(list->items[0].find("x")->where.line == 3);
    CHECK(list->items[0].find("x")->where.column == 8);
    CHECK(list->items[1].scalar == "y");
    CHECK(root.find("c")->kind == YamlNode::Kind::null);
    CHECK(root.find("d")->kind == YamlNode::Kind::null);
    CHECK(root.find("e") == nullptr);
    CHECK(root.where.file == "f");
}

TEST_CASE("empty text, a comment and a marked document are one document") {
    CHECK(parse_yaml("", "f").value().kind == YamlNode::Kind::null);
    CHECK(parse_yaml("# nothing\n", "f").value().where.line == 1);
    CHECK(parse_yaml("---\na: 1\n...\n", "f").value().is_map());
    CHECK(parse_yaml("\xEF\xBB\xBF"
                     "a: \"x\"\r\n",
                     "f")
              .value()
              .find("a")
              ->quoted);
}

TEST_CASE("what hides structure or repeats itself is refused, all at once") {
    const std::string text = error_of(
        "a: &x 1\n"
        "b: *x\n"
        "c: !!int 3\n"
        "a: 2\n"
        "? [p, q]\n"
        ": 5\n"
        "d: ! text\n"
        "~: 1\n");
    CHECK(mentions(text, "f:1:4: an anchor"));
    CHECK(mentions(text, "f:2:4: an alias"));
    CHECK(mentions(text, "f:3:4: a tag"));
    CHECK(mentions(text, "f:4:1: duplicate key 'a'"));
    CHECK(mentions(text, "f:5:3: a key that is not a single name"));
    CHECK(mentions(text, "f:7:4: a tag"));
    CHECK(mentions(text, "f:8:1: a key that is not a single name"));
    CHECK(mentions(error_of("{a: q[0]}"), "quote"));
    CHECK(mentions(error_of("a: &x [1]\n"), "an anchor"));
    CHECK(mentions(error_of("a: &x {b: *x}\n"), "an alias"));
    CHECK(mentions(error_of("a: !t {b: 1}\n"), "a tag"));
}

TEST_CASE("a second document is refused where it begins") {
    CHECK(mentions(error_of("a: 1\n---\nb: 2\n"), "f:2:1: a second document"));
    CHECK(mentions(error_of("a: 1\n...\n---\nb: [\n"), "a second document"));
}

TEST_CASE("a syntax error says where") {
    const std::string text = error_of("a: 1\nb: [1, 2\n");
    CHECK(mentions(text, "f:3:1: not valid YAML"));
    CHECK(mentions(error_of("a:\n\t- 1\n"), "not valid YAML"));
    CHECK(mentions(error_of("a: *nothing\n"), "f:1:4"));
}

TEST_CASE("binary content is refused where it begins") {
    CHECK(mentions(error_of(std::string_view("a: 1\nb: \0", 9)), "f:2:4: not a text file"));
    CHECK(mentions(error_of("\x7F"
                            "ELF"),
                   "f:1:1: not a text file"));
    CHECK(mentions(error_of("a: \xFF\xFE"), "not a text file"));
    CHECK(mentions(error_of("a: \xC3"), "not a text file"));
    CHECK(parse_yaml("a: gr\xC3\xBC\xC3\x9F\n", "f").has_value());
}

TEST_CASE("size and depth are bounded on both sides") {
    constexpr std::size_t limit = std::size_t{4} << 20;
    std::string text = "a: 1\n#";
    text.resize(limit, 'x');
    CHECK(parse_yaml(text, "f").has_value());
    text += 'x';
    CHECK(mentions(error_of(text), "larger than 4 MiB"));

    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    CHECK(parse_yaml(nested(64), "f").has_value());
    CHECK(mentions(error_of(nested(65)), "f:1:65: nested deeper than 64 levels"));

    std::string block;
    for (std::size_t depth = 0; depth < 65; ++depth) {
        block += std::string(depth, ' ') + "k:\n";
    }
    CHECK(mentions(error_of(block), "nested deeper"));
}

TEST_CASE("hostile depth of every kind ends in an error, not in a crash") {
    constexpr std::size_t many = 1000000;
    for (const std::string opening :
         {"[", "{", "- ", "? ", "[{", "{a: ", "[a: ", "!t [", "&a [", "*a ["}) {
        std::string text;
        for (std::size_t i = 0; i < many / opening.size(); ++i) {
            text += opening;
        }
        CHECK_FALSE(parse_yaml(text, "f").has_value());
    }
}

TEST_CASE("an alias bomb is refused without being expanded") {
    std::string text = "a0: &a0 [x, x]\n";
    for (int i = 1; i < 40; ++i) {
        text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
    }
    CHECK(mentions(error_of(text), "an alias"));
}

TEST_CASE("files that are not there or not files are input errors") {
    const TemporaryFolder folder;
    CHECK(mentions(read_yaml("/no/such/file.yaml").error().text(), "no such file"));
    CHECK(mentions(read_yaml(folder.path()).error().text(), "not a regular file"));
    const std::string path = folder / "one.yaml";
    std::ofstream(path) << "a: 1\n";
    const auto read = read_yaml(path);
    REQUIRE(read.has_value());
    CHECK(read->find("a")->where.file == path);
}
