#include "warpline/pipeline/expression.hpp"

#include "pipeline_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

double value_of(std::string_view text) {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("a", 7);
    evaluator.define("tile_kv", 128);
    const auto value = evaluator.number(text);
    REQUIRE_MESSAGE(value.has_value(), std::string(text), ": ", value.error().message);
    return *value;
}

ExpressionError error_of(std::string_view text) {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("a", 7);
    evaluator.define("tile_kv", 128);
    const auto value = evaluator.number(text);
    REQUIRE_MESSAGE(!value.has_value(), std::string(text));
    return value.error();
}

}  // namespace

TEST_CASE("expressions evaluate as written") {
    CHECK(value_of("3") == 3);
    CHECK(value_of("a") == 7);
    CHECK(value_of(" 2 * (a + 1) - 3 ") == 13);
    CHECK(value_of("-a + 1e2") == 93);
    CHECK(value_of("a % 4") == 3);
    CHECK(value_of("2 + a % 4 * 2") == 8);
    CHECK(value_of("-1 % 4") == 3);
    CHECK(value_of("ceil(a / 2) + floor(a / 2)") == 7);
    CHECK(value_of("min(a, 3, 9) + max(a, 3)") == 10);
    CHECK(value_of("a > 6 && a <= 7 ? 1 : 2") == 1);
    CHECK(value_of("a == 7 || 1 / 0 > 3 ? 5 : 6") == 5);
    CHECK(value_of("not(a) + not(0)") == 1);
    CHECK(value_of("not(a != 7) ? 4 : 5") == 4);
    CHECK(value_of("a == 7 ? 1 : 1 / 0") == 1);
    CHECK(value_of(".5 + 0.25") == 0.75);
    CHECK(value_of("floor_pow2(a) + floor_pow2(8)") == 12);
    CHECK(value_of("floor_pow2(0.9)") == 0);
}

TEST_CASE("the machine's constants and capabilities are names") {
    CHECK(value_of("hw.smem.width") == 128);
    CHECK(value_of("hw.mma.tcgen05.rate / 2") == 4096);
    CHECK(value_of("has(tcgen05) + 2 * has(wgmma)") == 1);
    CHECK(value_of("has( tma ) ? 3 : 4") == 3);
    CHECK(error_of("2 * 16384 B").message == "unknown name 'B'");
    CHECK(error_of("2 * 16384 B").hint ==
          "expressions are plain numbers without units: write 16384, not 16384 B");
    CHECK(error_of("hw.smem.widht").hint == "did you mean 'smem.width'?");
    CHECK(error_of("has(tcgen5)").hint == "did you mean 'tcgen05'?");
    CHECK(error_of("has(1)").message == "has() takes one capability");
    CHECK(error_of("has()").message == "has() takes one capability");
}

TEST_CASE("errors say where, what and the nearest name") {
    const auto unknown = error_of("2 * tile_k + 1");
    CHECK(unknown.position == 4);
    CHECK(unknown.message == "unknown name 'tile_k'");
    CHECK(unknown.hint == "did you mean 'tile_kv'?");
    CHECK(error_of("ciel(2)").hint == "did you mean 'ceil'?");
    CHECK(error_of("sin(2)").message == "unknown function 'sin'");
    CHECK(error_of("(2 + 3").position == 0);
    CHECK(error_of("2 + 3)").position == 5);
    CHECK(error_of("").message == "the expression is empty");
    CHECK(error_of("  ").message == "the expression is empty");
    CHECK(error_of("2 +").message == "the expression ends too early");
    CHECK(error_of("2 3").position == 2);
    CHECK(error_of("a tile_kv").message == "cannot read the expression from 'tile_kv' on");
    CHECK(error_of("128KiB").message == "a number must be followed by an operator");
    CHECK(error_of("1.2.3").position == 3);
    CHECK(error_of("ceil(1, 2)").of_value == false);
    CHECK(error_of("min()").of_value == false);
    CHECK(error_of("a ? 1").of_value == false);
    CHECK(error_of("\"a\"").message == "unexpected '\"'");
    CHECK(error_of("_pi").message == "unknown name '_pi'");
}

TEST_CASE("nothing assigns, lists or changes a name") {
    CHECK(error_of("a = 3").position == 2);
    CHECK(error_of("a = 3").hint == "a comparison is written ==");
    CHECK(error_of("a, 3").message == "a comma outside a function's arguments");
    CHECK(error_of("(a, 3)").message == "a comma outside a function's arguments");
    CHECK(error_of("min((a, 3), 2)").message == "a comma outside a function's arguments");
    CHECK(error_of("!a").hint == "negation is written not(x)");
    CHECK(error_of("a += 1").of_value == false);
}

TEST_CASE("a value that is not finite is refused, and says that it is the value") {
    CHECK(error_of("1 / 0").of_value);
    CHECK(error_of("a % 0").of_value);
    CHECK(error_of("0 / 0").of_value);
    CHECK(error_of("1e300 * 1e300").of_value);
    CHECK_FALSE(error_of("1e400").message.empty());
    CHECK(error_of("nan").message == "unknown name 'nan'");
    CHECK(error_of("inf").message == "unknown name 'inf'");
}

TEST_CASE("length and depth are bounded") {
    CHECK(value_of(std::string(64, '(') + "1" + std::string(64, ')')) == 1);
    CHECK(error_of(std::string(65, '(') + "1" + std::string(65, ')')).message ==
          "parentheses are nested too deeply");
    std::string long_sum = "1";
    while (long_sum.size() + 2 <= 1000) {
        long_sum += "+1";
    }
    CHECK(value_of(long_sum) == 500);
    CHECK(contains(error_of(long_sum + "+1").message, "too long"));
}

TEST_CASE("a name can change between evaluations, and cached results follow") {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("x", 2);
    CHECK(*evaluator.number("x * 3") == 6);
    CHECK(*evaluator.number("x * 3") == 6);
    evaluator.define("x", 5);
    CHECK(*evaluator.number("x * 3") == 15);
    evaluator.remove("x");
    CHECK_FALSE(evaluator.number("x * 3").has_value());
    evaluator.define("x", 4);
    CHECK(*evaluator.number("x * 3") == 12);
}

TEST_CASE("tabulate binds names for a while and hides what they meant") {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("x", 100);
    const auto table = evaluator.tabulate("x + y", {"x", "y"}, {1, 2, 3, 4});
    REQUIRE(table.has_value());
    CHECK(*table == std::vector<double>{3, 7});
    CHECK(*evaluator.number("x + 0") == 100);
    CHECK_FALSE(evaluator.number("y + 0").has_value());
    CHECK_FALSE(evaluator.tabulate("1 / y", {"y"}, {1, 0}).has_value());
    CHECK_FALSE(evaluator.defines("y"));
}
