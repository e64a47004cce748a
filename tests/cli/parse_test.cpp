#include "cli/parse.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::cli;

TEST_CASE("counts are whole numbers in range and nothing else") {
    CHECK(parse_count("1", "--batch", 1, 10) == 1);
    CHECK(parse_count("10", "--batch", 1, 10) == 10);
    CHECK(parse_count("007", "--batch", 1, 10) == 7);
    for (const char* text :
         {"", "0", "11", "-1", "+1", " 1", "1 ", "1.0", "1e3", "nan", "inf", "0x10", "1,000", "1k",
          "9223372036854775808", "99999999999999999999999999"}) {
        INFO(text);
        const auto value = parse_count(text, "--batch", 1, 10);
        REQUIRE_FALSE(value);
        CHECK(value.error().kind == FailureKind::usage);
        CHECK(value.error().diagnostics.front().message.find("--batch must be a whole number") ==
              0);
    }
}

TEST_CASE("head dims are one number, or two") {
    CHECK(parse_head_dim("128") == std::pair<std::int64_t, std::int64_t>{128, 128});
    CHECK(parse_head_dim("192:128") == std::pair<std::int64_t, std::int64_t>{192, 128});
    for (const char* text : {"", ":", "128:", ":128", "1:2:3", "0", "128,64", "65537"}) {
        INFO(text);
        CHECK_FALSE(parse_head_dim(text));
    }
}

TEST_CASE("sequence lists") {
    const auto list = parse_varlen("1024,512:4096,7:0");
    REQUIRE(list);
    REQUIRE(list->size() == 3);
    CHECK(list->at(0).kv == 1024);
    CHECK(list->at(1).q == 512);
    CHECK(list->at(1).kv == 4096);
    CHECK(list->at(2).kv == 0);
    for (const char* text : {"", ",", "1,", "0", "0:5", "1:2:3", "2147483648", "a"}) {
        INFO(text);
        CHECK_FALSE(parse_varlen(text));
    }
}

TEST_CASE("types and assignments") {
    CHECK(parse_dtype("fp8") == DType::fp8);
    CHECK(parse_dtype("nvfp4") == DType::nvfp4);
    CHECK(parse_dtype("mxfp8") == DType::mxfp8);
    CHECK_FALSE(parse_dtype("fp32"));
    CHECK(parse_assignment("a=b=c") == std::pair<std::string, std::string>{"a", "b=c"});
    for (const char* text : {"", "a", "=b", "a=", "="}) {
        CHECK_FALSE(parse_assignment(text));
    }
}

TEST_CASE("messages show a hostile argument harmlessly") {
    const auto value = parse_count("\x1b[2J", "--batch", 1, 10);
    REQUIRE_FALSE(value);
    CHECK(value.error().text().find('\x1b') == std::string::npos);
}
