#include "warpline/pipeline/condition.hpp"

#include "pipeline_fixture.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

Condition condition(std::string_view text) {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("n", 4);
    const auto result = evaluate_condition(evaluator, text);
    REQUIRE_MESSAGE(result.has_value(), std::string(text), ": ", result.error().message);
    return *result;
}

ExpressionError refused(std::string_view text) {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("n", 4);
    const auto result = evaluate_condition(evaluator, text);
    REQUIRE_MESSAGE(!result.has_value(), std::string(text));
    return result.error();
}

bool meant(std::string_view text, std::int64_t i, std::int64_t n, const TileClass& tile) {
    const Condition c = condition(text);
    if (c.all.empty()) {
        return c.value;
    }
    const bool all = std::all_of(c.all.begin(), c.all.end(),
                                 [&](const Predicate& p) { return holds(p, i, n, tile); });
    return all != c.negate;
}

}  // namespace

TEST_CASE("words about the innermost loop") {
    const TileClass tile{10, 2, 1};
    CHECK(meant("first", 0, 10, tile));
    CHECK_FALSE(meant("first", 1, 10, tile));
    CHECK(meant("first n", 3, 10, tile));
    CHECK(meant("not first 1", 1, 10, tile));
    CHECK(meant("last", 9, 10, tile));
    CHECK(meant("first masked_first + 1", 2, 10, tile));
    CHECK_FALSE(meant("last masked_last", 8, 10, tile));
    CHECK(meant("every 3 offset n - 3", 4, 10, tile));
    CHECK_FALSE(meant("every 2", 5, 10, tile));
    CHECK(meant("masked", 1, 10, tile));
    CHECK(meant("not masked", 2, 10, tile));
    CHECK(condition("chance 0.25").all.front().chance_64ths == std::vector<int>{16});
    CHECK(needs_loop(condition("first")));
    CHECK_FALSE(needs_loop(condition("blocks >= 2")));
}

TEST_CASE("comparisons of tile quantities agree with arithmetic for every small tile") {
    for (std::int64_t b = 0; b < 6; ++b) {
        for (std::int64_t f = 0; f < 4; ++f) {
            const TileClass tile{b, f, 1};
            CHECK(meant("blocks >= 2", 0, 1, tile) == (b >= 2));
            CHECK(meant("blocks > masked_first", 0, 1, tile) == (b > f));
            CHECK(meant("3 > blocks", 0, 1, tile) == (b < 3));
            CHECK(meant("blocks <= masked_first + 1", 0, 1, tile) == (b <= f + 1));
            CHECK(meant("blocks == 3", 0, 1, tile) == (b == 3));
            CHECK(meant("blocks != 3", 0, 1, tile) == (b != 3));
            CHECK(meant("not(blocks == 3)", 0, 1, tile) == (b != 3));
            CHECK(meant("not blocks >= 2", 0, 1, tile) == (b < 2));
            CHECK(meant("(blocks >= 2)", 0, 1, tile) == (b >= 2));
            CHECK(meant("blocks >= 2 && masked_first >= 1", 0, 1, tile) == (b >= 2 && f >= 1));
            CHECK(meant("not(blocks >= 2 && masked_first >= 1)", 0, 1, tile) ==
                  !(b >= 2 && f >= 1));
            CHECK(meant("n == 4 && blocks >= 2", 0, 1, tile) == (b >= 2));
            CHECK(meant("n == 3 && blocks >= 2", 0, 1, tile) == false);
            CHECK(meant("not(n == 3 && blocks >= 2)", 0, 1, tile) == true);
        }
    }
}

TEST_CASE("constant conditions settle at once") {
    CHECK(condition("n == 4").all.empty());
    CHECK(condition("n == 4").value);
    CHECK_FALSE(condition("not(n == 4)").value);
    CHECK(condition("has(tcgen05) || n > 9").value);
    CHECK(condition("chance 1").value);
    CHECK_FALSE(condition("chance 0").value);
    CHECK(condition("chance 0").all.empty());
}

TEST_CASE("a chance may depend on the index and keeps its last value") {
    const auto shares = condition("chance 1 / (index + 1)").all.front().chance_64ths;
    REQUIRE(shares.size() > 4);
    CHECK(shares[0] == 64);
    CHECK(shares[1] == 32);
    CHECK(shares[3] == 16);
    CHECK(condition("chance index < 2 ? 0.5 : 0.25").all.front().chance_64ths ==
          std::vector<int>{32, 32, 16});
}

TEST_CASE("what cannot be a condition says why, and where") {
    CHECK(refused("first bloks").position == 6);
    CHECK(refused("blocks + 1").message == "a condition on the tile must be a comparison");
    CHECK(refused("blocks >= 2 || n > 9").message ==
          "a condition on the tile must be a comparison");
    CHECK(refused("n > 1 && blocks >= nn").position == 19);
    CHECK(refused("every 0").of_value);
    CHECK(refused("every 2 offset 2").position == 15);
    CHECK(refused("chance 2").of_value);
    CHECK(refused("chance 1 - index").of_value);
    CHECK(refused("blocks != 3 && n == 4 && masked_first >= 1").position == 0);
    CHECK(refused("1 <= blocks <= 3").message ==
          "must be linear in blocks, masked_first and masked_last");
    CHECK(refused("").message == "the expression is empty");
    CHECK(refused("not").message == "unknown name 'not'");
}
