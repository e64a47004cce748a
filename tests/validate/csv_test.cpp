#include "warpline/validate/csv.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

using Fields = std::vector<std::string>;

/// The problem of the record at `line`; every other record must be well formed.
std::string problem_at(std::string_view text, int line) {
    std::string problem;
    const auto records = parse_csv(text, "t.csv");
    REQUIRE(records);
    for (const CsvRecord& record : *records) {
        CHECK(record.problem.empty() == (record.line != line));
        problem += record.problem;
    }
    return problem;
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

TEST_CASE("a record that is not CSV is named with its line, and the ones below it are read") {
    CHECK(problem_at("a\nb\"c\nd\n", 2).find("quote inside") != std::string::npos);
    CHECK(problem_at("a\n\"b\"c\nd\n", 2).find("after a closing quote") != std::string::npos);
    CHECK(problem_at("a\n\"b\nc\nd\n", 2).find("never closed") != std::string::npos);
    // The quote that is left open finds another one two lines below.
    const auto records = parse_csv("x,y\n\"1,2\n3,4\n\"5\",6\n7,8\n", "t.csv").value();
    REQUIRE(records.size() == 5);
    CHECK_FALSE(records[1].problem.empty());
    CHECK(records[2].fields == Fields{"3", "4"});
    CHECK(records[3].fields == Fields{"5", "6"});
    CHECK(records[4].line == 5);
}

TEST_CASE("byte order marks and every kind of line end are taken for what they are") {
    const auto records = parse_csv(
                             "\xEF\xBB\xBF"
                             "a,b\r\n1,2\r3,4\n",
                             "t.csv")
                             .value();
    REQUIRE(records.size() == 3);
    CHECK(records[0].fields == Fields{"a", "b"});
    CHECK(records[1].fields == Fields{"1", "2"});
    CHECK(records[2].fields == Fields{"3", "4"});
    CHECK(records[2].line == 3);
}

TEST_CASE("what is not text is refused") {
    const auto nul = parse_csv(std::string_view("a\0b", 3), "t.csv");
    REQUIRE_FALSE(nul);
    CHECK(nul.error().text().find("t.csv:1: the file holds a NUL") == 0);
    const auto wide = parse_csv(std::string_view("\xFF\xFE"
                                                 "a\0",
                                                 4),
                                "t.csv");
    REQUIRE_FALSE(wide);
    CHECK(wide.error().text().find("save it as UTF-8") != std::string::npos);
}
