#include "warpline/diagnostics/fingerprint.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("a fingerprint is FNV-1a in 16 hex digits") {
    CHECK(fingerprint("") == "cbf29ce484222325");
    CHECK(fingerprint("a") == "af63dc4c8601ec8c");
    CHECK(fingerprint("foobar") == "85944171f73967e8");
}

TEST_CASE("a fingerprint does not depend on the pieces that a text comes in") {
    Fingerprint pieces;
    CHECK(pieces.text() == fingerprint(""));
    pieces.add("foo");
    pieces.add("");
    pieces.add("bar");
    CHECK(pieces.text() == fingerprint("foobar"));
}
