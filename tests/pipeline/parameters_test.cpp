#include "pipeline_fixture.hpp"
#include "warpline/diagnostics/fingerprint.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

TEST_CASE("parameters resolve in order, by cases, and can be set") {
    const std::string text = changed(base_text(), "  kv_stages:\n", R"(  half: tile_kv / 2
  emulated:
    cases:
      - when: has(fast_ex2)
        is: 0
      - when: d_qk == 64
        is: half + 1
      - is: 1 / 0
  kv_stages:
)");
    const auto plan = load(text);
    REQUIRE_MESSAGE(plan.has_value(), errors(text));
    CHECK(plan->parameters.at("half") == 64);
    CHECK(plan->parameters.at("emulated") == 65);
    const std::string narrow = changed(text, "a: kv[k]", "a: s");  // fewer keys than queries
    CHECK(load(narrow, {{"tile_kv", "64"}})->parameters.at("half") == 32);
    CHECK(load(narrow, {{"tile_kv", "32"}, {"tile_kv", "96"}})->parameters.at("half") == 48);
    CHECK(load(text, {{"kv_stages", "tile_kv / 64"}})->parameters.at("kv_stages") == 2);
    CHECK(load(text, {}, "b300")->parameters.at("emulated") == 0);
}

TEST_CASE("the hash follows text and parameters, and nothing else") {
    const auto plan = load(base_text());
    REQUIRE(plan.has_value());
    CHECK(plan->hash.size() == 16);
    CHECK(plan->hash == load(base_text(), {}, "b300")->hash);
    CHECK(plan->hash != load(base_text(), {{"kv_stages", "2"}})->hash);
    CHECK(plan->hash != load(base_text() + "# more\n")->hash);
}

TEST_CASE("the hash is of the text and of every digit of each parameter, in the file's order") {
    const std::string text = changed(base_text(), "  tile_m: 128\n", R"(  tile_m: 128
  share: 0.1
  none: 0
  below: -2
  negative_none: none / below
  huge: 1e20
)");
    const auto plan = load(text);
    REQUIRE_MESSAGE(plan.has_value(), errors(text));
    CHECK(plan->hash == fingerprint(text + "\ntile_m=128\nshare=0.10000000000000001\nnone=0\n"
                                           "below=-2\nnegative_none=-0\nhuge=1e+20\n"
                                           "tile_kv=128\nkv_stages=3"));
}

TEST_CASE("overrides that cannot be are usage errors") {
    const auto unknown = load(base_text(), {{"kv_stage", "2"}});
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().kind == FailureKind::usage);
    CHECK(unknown.error().text() ==
          "--set: the kernel has no parameter 'kv_stage' (did you mean 'kv_stages'?)");
    const auto outside = load(base_text(), {{"tile_kv", "40"}});
    REQUIRE_FALSE(outside.has_value());
    CHECK(outside.error().kind == FailureKind::usage);
    CHECK(outside.error().text() ==
          "--set: parameter tile_kv is 40 and must be a multiple of 32, at least 32, at most 256");
    CHECK(errors(base_text(), {{"tile_kv", "288"}}) ==
          "--set: parameter tile_kv is 288 and must be a multiple of 32, at least 32, at most 256");
    CHECK(errors(base_text(), {{"kv_stages", "two"}}) == "--set: kv_stages: unknown name 'two'");
    CHECK(load(base_text(), {{"kv_stages", "2"}}).has_value());
    CHECK_FALSE(load(base_text(), {{"kv_stages", "1"}}).has_value());
}

TEST_CASE("a value of the file outside its limits is infeasible") {
    const auto plan = load(changed(base_text(), "value: 128", "value: d_qk / 4"));
    REQUIRE_FALSE(plan.has_value());
    CHECK(plan.error().kind == FailureKind::infeasible);
    CHECK(contains(plan.error().text(), "f:8:5: parameter tile_kv is 16 and must be"));
}

TEST_CASE("errors in parameters name line and column") {
    const auto with = [](std::string_view line) {
        return errors(changed(base_text(), "  tile_m: 128", line));
    };
    CHECK(with("  tile_m: 12 8") ==
          "f:6:14: parameter 'tile_m': cannot read the expression from '8' on");
    CHECK(with("  tile_m: \"12 8\"") ==
          "f:6:15: parameter 'tile_m': cannot read the expression from '8' on");
    CHECK(
        contains(with("  tile_m: tile_kv"), "f:6:11: parameter 'tile_m': unknown name 'tile_kv'"));
    CHECK(contains(with("  d_qk: 3\n  tile_m: 128"), "f:6:3: the name 'd_qk' is taken"));
    CHECK(contains(with("  blocks: 3\n  tile_m: 128"), "f:6:3: the name 'blocks' is taken"));
    CHECK(contains(with("  tile-m: 128"), "f:6:3: 'tile-m' is not a name"));
    CHECK(contains(with("  tile_m:\n    valu: 128"), "did you mean 'value'?"));
    CHECK(contains(with("  tile_m:\n    meaning: x"), "needs either 'value' or 'cases'"));
    CHECK(contains(with("  tile_m: [1]"), "f:6:11: parameter 'tile_m' must be a single value"));
    CHECK(contains(with("  tile_m:"), "parameter 'tile_m' is empty"));
    CHECK(contains(with("  tile_m:\n    cases:\n      - when: 1\n        is: 128"),
                   "the last case must not have a 'when'"));
    CHECK(contains(with("  tile_m:\n    cases:\n      - is: 1\n      - is: 128"),
                   "only the last case may lack a 'when'"));
    CHECK(contains(with("  tile_m:\n    cases:\n      - when: 1\n        is: 128\n      - is: x"),
                   "f:10:13: parameter 'tile_m': unknown name 'x'"));
    CHECK(contains(with("  tile_m:\n    value: 128\n    multiple_of: 0"),
                   "multiple_of must be positive"));
}
