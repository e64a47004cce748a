#include "warpline/pipeline/affine.hpp"

#include "pipeline_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

Affine affine(std::string_view text) {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("n", 4);
    const auto result = evaluate_affine(evaluator, text);
    REQUIRE_MESSAGE(result.has_value(), std::string(text));
    return *result;
}

std::string refused(std::string_view text) {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("n", 4);
    const auto result = evaluate_affine(evaluator, text);
    REQUIRE_MESSAGE(!result.has_value(), std::string(text));
    return result.error().message;
}

}  // namespace

TEST_CASE("linear expressions of the tile are found exactly") {
    const TileClass tile{10, 3, 2};
    CHECK(affine("blocks").at(tile) == 10);
    CHECK(affine("blocks - 1").at(tile) == 9);
    CHECK(affine("2 * (blocks - masked_first) + n").at(tile) == 18);
    CHECK(affine("blocks - masked_first - masked_last").at(tile) == 5);
    CHECK(affine("n * 3").at(tile) == 12);
    CHECK(affine("(blocks * n + n) / n").blocks == 1);
    CHECK(affine("n > 3 ? blocks : masked_last").at(tile) == 10);
    CHECK(is_constant(affine("n + 1")));
    CHECK_FALSE(is_constant(affine("blocks")));
    CHECK(is_constant(affine("blocks - blocks + 3")));
}

TEST_CASE("what is not linear or not whole is refused") {
    const std::string linear = "must be linear in blocks, masked_first and masked_last";
    for (const char* text :
         {"blocks * blocks", "min(blocks, 3)", "max(blocks - 1, 0)", "floor(blocks / 2)",
          "blocks % 2", "blocks > 3", "min(blocks, 1000)", "blocks * masked_first",
          "max(blocks, 2147480000)", "blocks % 8192", "min(masked_last, 5)"}) {
        CHECK_MESSAGE(refused(text) == linear, text);
    }
    CHECK(refused("blocks / 2") == "must have whole coefficients, one is 0.5");
    CHECK(refused("n / 8") == "must be a whole number, is 0.5");
    CHECK(refused("bloks + 1") == "unknown name 'bloks'");
    CHECK(refused("1 / blocks") == "the value is infinite");
}
