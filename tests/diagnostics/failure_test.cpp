#include "warpline/diagnostics/failure.hpp"

#include "warpline/diagnostics/strict_yaml.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("a diagnostic prints what it knows and leaves out the rest") {
    CHECK(Diagnostic{{"a.yaml", 3, 7}, "bad", "try b"}.text() == "a.yaml:3:7: bad (try b)");
    CHECK(Diagnostic{{"a.yaml", 3, 0}, "bad", ""}.text() == "a.yaml:3: bad");
    CHECK(Diagnostic{{"a.yaml", 0, 0}, "bad", ""}.text() == "a.yaml: bad");
    CHECK(Diagnostic{{"", 4, 2}, "bad", ""}.text() == "line 4:2: bad");
    CHECK(Diagnostic{{}, "bad", "so"}.text() == "bad (so)");
}

TEST_CASE("a failure prints one diagnostic a line") {
    Failure failure{FailureKind::usage, {{{}, "one", ""}, {{}, "two", ""}}};
    CHECK(failure.text() == "one\ntwo");
}

TEST_CASE("fail makes a result with one diagnostic") {
    const Result<int> result = fail(FailureKind::infeasible, "too large", "at most 3", {"f", 1, 2});
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().kind == FailureKind::infeasible);
    REQUIRE(result.error().diagnostics.size() == 1);
    CHECK(result.error().text() == "f:1:2: too large (at most 3)");
}

TEST_CASE("the nearest name tolerates small slips only") {
    const std::vector<std::string> names = {"b200", "b300", "h100_sxm", "h200", "head_dim"};
    CHECK(nearest_name("b20", names) == "b200");
    CHECK(nearest_name("b2000", names) == "b200");
    CHECK(nearest_name("B200", names) == "b200");
    CHECK(nearest_name("h100_smx", names) == "h100_sxm");
    CHECK(nearest_name("haed_dim", names) == "head_dim");
    CHECK(nearest_name("quux", names).empty());
    CHECK(nearest_name("", names).empty());
    CHECK(nearest_name("x", {"y"}).empty());
    CHECK(nearest_name("x", {}).empty());
    CHECK(nearest_name(std::string(1000000, 'b'), names).empty());
}

TEST_CASE("a sink keeps each problem once and reports them in file order") {
    DiagnosticSink sink;
    CHECK(sink.empty());
    sink.error({"f", 9, 1}, "late");
    sink.error({"f", 2, 5}, "early");
    sink.error({"f", 9, 1}, "late");
    CHECK(sink.size() == 2);
    CHECK(sink.failure(FailureKind::input).value().text() == "f:2:5: early\nf:9:1: late");
}

TEST_CASE("a sink checks the keys of a map") {
    const auto map = parse_yaml("warps: 4\nregistrs: 3\nfoo: [1]\n", "f").value();
    DiagnosticSink sink;
    sink.check_keys(map, {"warps", "registers"}, "a role");
    REQUIRE(sink.size() == 2);
    CHECK(sink.failure(FailureKind::input).value().text() ==
          "f:2:1: unknown key 'registrs' in a role (did you mean 'registers'?)\n"
          "f:3:1: unknown key 'foo' in a role (known: warps, registers)");

    DiagnosticSink required;
    CHECK(required.require_text(map, "warps", "a role") == "4");
    CHECK(required.empty());
    CHECK_FALSE(required.require_text(map, "foo", "a role").has_value());
    CHECK(required.require(map, "on", "a role") == nullptr);
    CHECK(required.require(*map.find("foo"), "on", "foo") == nullptr);
    CHECK(required.size() == 3);
}
