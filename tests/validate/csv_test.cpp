#include "warpline/validate/csv.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

using Fields = std::vector<std::string>;

std::string error_of(std::string_view text, int line) {
    const auto records = parse_csv(text, "t.csv");
    REQUIRE_FALSE(records);
    CHECK(records.error().kind == FailureKind::input);
    const Diagnostic& first = records.error().diagnostics.front();
    CHECK(first.where.file == "t.csv");
    CHECK(first.where.line == line);
    return first.message;
}

}  // namespace

TEST_CASE("fields are split at commas, and empty ones kept") {
    const auto records = parse_csv("a,b,c\r\n\n1,,\n,\"\",x", "t.csv").value();
    REQUIRE(records.size() == 3);
    CHECK(records[0].fields == Fields{"a", "b", "c"});
    CHECK(records[1].fields == Fields{"1", "", ""});
    CHECK(records[1].line == 3);
    CHECK(records[2].fields == Fields{"", "", "x"});
    CHECK(parse_csv("", "t.csv")->empty());
}

TEST_CASE("quoted fields hold commas, quotes and line ends, which count as lines") {
    const auto records = parse_csv("\"a,\"\"b\"\"\nc\",d\ne,f\n", "t.csv").value();
    REQUIRE(records.size() == 2);
    CHECK(records[0].fields == Fields{"a,\"b\"\nc", "d"});
    CHECK(records[1].line == 3);
}

TEST_CASE("what is not CSV is refused with its line") {
    CHECK(error_of("a\nb\"c\n", 2).find("quote inside") != std::string::npos);
    CHECK(error_of("a\n\"b\"c\n", 2).find("after a closing quote") != std::string::npos);
    CHECK(error_of("a\n\"b\nc\n", 2).find("never closed") != std::string::npos);
    CHECK(error_of("a\rb\n", 1).find("carriage return") != std::string::npos);
    CHECK(error_of(std::string_view("a\0b", 3), 1).find("NUL") != std::string::npos);
}
