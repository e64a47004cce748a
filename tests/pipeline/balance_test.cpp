#include "pipeline_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

std::string with(std::string_view from, std::string_view to) {
    return errors(changed(base_text(), from, to));
}

}  // namespace

TEST_CASE("a declared count that the program does not give says who arrives with what") {
    CHECK(with("      mma: 1", "      mma: 32") ==
          "f:78: barrier 'kv_empty' declares 32 arrivals of 'mma' a phase; on a tile of 1 block "
          "'load' waits once, and 'mma' arrives once (1 x 32 = 32 expected; arrive 32 a phase, "
          "or declare 1)");
    CHECK(contains(with("            - consumer_release: k\n              class: mma",
                        "            - consumer_release: k"),
                   "no asynchronous operation") == false);
    CHECK(contains(with("            - consumer_release: k\n              class: mma",
                        "            - consumer_release: k"),
                   "'mma' arrives 32 times"));
    CHECK(contains(with("            - consumer_release: k\n              class: mma\n", ""),
                   "'load' waits once, and 'mma' arrives never"));
}

TEST_CASE("an arrival that nobody declared is an error") {
    const std::string text =
        changed(base_text(), "            - producer_acquire: kv\n              as: slot\n",
                "            - producer_acquire: kv\n              as: slot\n"
                "            - arrive: kv_empty[slot]\n              count: 1\n");
    CHECK(contains(errors(text),
                   "role 'load' arrives on barrier 'kv_empty' (once on a tile of 1 block), which "
                   "does not expect it"));
}

TEST_CASE("roles that get out of step on some tiles are found") {
    // The consumer runs one block fewer.
    const std::string text =
        changed(base_text(), "        - loop: blocks\n          do:\n            - consumer",
                "        - loop: blocks - 1\n          do:\n            - consumer");
    const std::string all = errors(text);
    CHECK(contains(all, "'load' takes 1 slots of ring 'kv', and 'mma' takes 0"));
    CHECK(contains(all, "'load' waits once, and 'mma' arrives never"));
    // Only tiles with more masked blocks show this one.
    const std::string masked =
        changed(base_text(), "            - consumer_release: k\n              class: mma",
                "            - consumer_release: k\n              class: mma\n"
                "              when: not(masked_first >= 2)");
    CHECK(contains(errors(masked), "on a tile of 5 blocks (2 masked)"));
    // Arrivals on tiles without blocks, where nobody waits.
    const std::string empty = one_role(
        "- loop: blocks\n  do:\n    - wait: ready\n"
        "- loop: blocks - 1\n  do:\n    - arrive: ready\n"
        "- arrive: ready");
    CHECK(contains(errors(empty), "on a tile of 0 blocks (0 masked) 'r' waits never"));
}

TEST_CASE("every branch counts, whatever decides it") {
    const std::string text = one_role(
        "- loop: blocks\n  do:\n"
        "    - when: every 2\n      do:\n        - arrive: ready\n      else:\n        - arrive: "
        "ready\n"
        "    - arrive: ready\n      when: chance 0\n"
        "    - wait: ready");
    CHECK(errors(text).empty());
    CHECK_FALSE(
        errors(changed(text, "      else:\n                - arrive: ready\n", "")).empty());
}

TEST_CASE("a pair of CTAs contributes from both, to the one that is named") {
    const auto pair = [](const std::string& count, const std::string& at, const std::string& on) {
        std::string text = base_text();
        text = changed(text, "tiles:\n", "cluster: 2\ntiles:\n");
        text = changed(text, "load: 1", "load: " + count);
        text = changed(text, "signals: kv_full[slot]",
                       "signals: kv_full[slot]\n              at: leader");
        text = changed(text, "- consumer_release: k\n              class: mma",
                       "- consumer_release: k\n              class: mma\n              at: " + at);
        return errors(changed(text, "  mma:\n    warps: 1\n    registers: 64",
                              "  mma:\n    warps: 1\n    registers: 64\n    on: " + on));
    };
    CHECK(pair("2", "all", "leader").empty());
    const std::string one = pair("1", "all", "leader");
    CHECK(contains(one, "barrier 'kv_full' of CTA 0 declares 1 arrivals of 'load' a phase"));
    CHECK(contains(one, "'load' arrives 2 times"));
    CHECK(contains(pair("2", "self", "leader"), "barrier 'kv_empty' of CTA 1"));
    CHECK(contains(pair("2", "leader", "leader"), "barrier 'kv_empty' of CTA 1"));
    CHECK(contains(pair("2", "all", "each"), "arrives"));
}

TEST_CASE("warp-scoped barriers count one warp and want equal roles") {
    std::string text = one_role("- sync: named");
    text = changed(text, "    kind: named\n    arrivals:\n      r: 128",
                   "    kind: named\n    scope: warp\n    arrivals:\n      r: 32\n      other: 32");
    text = changed(text, "program:\n",
                   "program:\n  other:\n    - loop: tiles\n      do:\n        - arrive: named\n");
    const std::string equal =
        changed(text, "roles:\n", "roles:\n  other:\n    warps: 4\n    registers: 64\n");
    CHECK(errors(equal).empty());
    CHECK(contains(errors(changed(equal, "warps: 4", "warps: 2")),
                   "barrier 'named' has one instance a warp, but its roles have 2 and 4 warps"));
}

TEST_CASE("what is unused is a warning") {
    const auto plan = load(one_role("- issue: fadd"));
    REQUIRE(plan.has_value());
    std::string all;
    for (const Diagnostic& warning : plan->warnings) {
        all += warning.text() + "\n";
    }
    CHECK(contains(all, "barrier 'ready' is not used"));
    CHECK(contains(all, "no statement names buffer 'q'"));
    CHECK_FALSE(contains(all, "'out'"));
    const auto arrives = load(one_role("- arrive: ready"));
    REQUIRE(arrives.has_value());
    CHECK(std::any_of(arrives->warnings.begin(), arrives->warnings.end(), [](const Diagnostic& d) {
        return d.message == "barrier 'ready' is never waited for";
    }));
}
