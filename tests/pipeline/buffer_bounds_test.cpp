// Statements that touch more of a buffer than it holds.
#include "pipeline_fixture.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

/// base_text() with a tensor-memory load behind the MMA, and what `from` says replaced.
std::string with(std::string_view from, std::string_view to) {
    const std::string text = changed(base_text(), "            - consumer_release: k\n",
                                     "            - async: tmem_load\n"
                                     "              from: s\n"
                                     "              columns: tile_kv\n"
                                     "              class: ld\n"
                                     "            - consumer_release: k\n");
    return changed(text, from, to);
}

/// Where `part` is in the text, as errors name the line.
std::string line_of(const std::string& text, std::string_view part) {
    const auto at = static_cast<std::ptrdiff_t>(text.find(part));
    return "f:" + std::to_string(1 + std::count(text.begin(), text.begin() + at, '\n')) + ":";
}

/// Asserts that a text is refused with one error, at the line that holds `part`.
void check_refused(const std::string& text, std::string_view part, const std::string& message) {
    const std::string found = errors(text);
    INFO(found);
    CHECK(found.rfind(line_of(text, part), 0) == 0);
    CHECK(contains(found, message));
    CHECK(found.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("what fits into a buffer is loaded") {
    CHECK(errors(base_text()).empty());
    CHECK(errors(with("tile_m: 128", "tile_m: 64")).empty());
}

TEST_CASE("a copy of more bytes than a stage holds is refused") {
    const std::string copy = "              to: kv[slot]\n";
    check_refused(with(copy, copy + "              bytes: 10000000\n"), "to: kv[slot]",
                  "the copy moves 10000000 bytes, and a stage of buffer 'kv' holds 16384: 9983616 "
                  "too many");
    check_refused(with(copy, copy + "              bytes: 16385\n"), "to: kv[slot]", "1 too many");
    CHECK(errors(with(copy, copy + "              bytes: 16384\n")).empty());
}

TEST_CASE("of uneven stages the largest counts") {
    const std::string sizes =
        "    bytes:\n      - 100\n      - 16384\n      - tile_kv * d_qk * element_bytes\n";
    const std::string text = changed(
        with("    bytes: tile_kv * d_qk * element_bytes\n    stages: kv_stages\n", sizes),
        "              to: kv[slot]\n", "              to: kv[slot]\n              bytes: 16384\n");
    CHECK(errors(text).empty());
    check_refused(changed(text, "bytes: 16384\n", "bytes: 16400\n"), "to: kv[slot]", "16 too many");
}

TEST_CASE("an access to more columns than a buffer of tensor memory has is refused") {
    check_refused(
        with("columns: tile_kv\n              class", "columns: 4096\n              class"),
        "from: s", "the access moves 4096 columns, and buffer 's' holds 128: 3968 too many");
}

TEST_CASE("sums of an MMA that do not fit into its buffer are refused") {
    check_refused(
        changed(base_text(), "    columns: tile_kv\nbarriers", "    columns: 64\nbarriers"), "d: s",
        "operand d of the MMA, 128 x 128 elements of 4 B, takes 128 columns, and buffer "
        "'s' holds 64: 64 too many");
}

TEST_CASE("operands of an MMA that do not fit into their buffers are refused, each at its name") {
    const std::string text = with("k: d_qk", "k: 4096");
    const std::string found = errors(text);
    INFO(found);
    CHECK(contains(found, line_of(text, "a: kv[k]")));
    CHECK(contains(found, line_of(text, "b: kv[k]")));
    CHECK(contains(found,
                   "operand a of the MMA, 128 x 4096 elements of 2 B, takes 1048576 bytes, and a "
                   "stage of buffer 'kv' holds 16384: 1032192 too many"));
    // What the statement says of its elements counts, not what the problem has.
    CHECK(errors(with("k: d_qk", "k: d_qk * 2\n              element_bytes: 1")).empty());
}

TEST_CASE("what never runs is not held against a buffer") {
    const std::string dead = changed(base_text(), "            - consumer_release: k\n",
                                     "            - async: tmem_load\n"
                                     "              from: s\n"
                                     "              columns: 4096\n"
                                     "              class: ld\n"
                                     "              when: false\n"
                                     "            - consumer_release: k\n");
    CHECK(errors(dead).empty());
}

TEST_CASE("stages take listed sizes in turn") {
    const std::string copy = "              to: kv[slot]\n";
    const std::string text = changed(base_text(), copy, copy + "              bytes: 16384\n");
    const auto sized = [&](const std::string& sizes) {
        return changed(text, "    bytes: tile_kv * d_qk * element_bytes\n    stages: kv_stages\n",
                       sizes);
    };
    const auto used = [&](const std::string& stages) {
        const auto plan =
            load(sized("    bytes:\n      - 16384\n      - 20000\n    stages: " + stages + "\n"));
        REQUIRE(plan.has_value());
        return plan->budgets.front().used;
    };
    const std::int64_t two = used("2");
    CHECK(used("3") == two + 16384 + 16);  // and the stage's two barriers
    CHECK(used("1") == two - 20000 - 16);
    CHECK(
        contains(errors(sized("    bytes:\n      - 16384\n      - 2\n      - 3\n    stages: 2\n")),
                 "has 2 stages and 3 sizes"));
}

TEST_CASE("a name without an index may stand for every copy") {
    const auto copied = [](const std::string& to, const std::string& bytes) {
        return errors(one_role("- async: copy\n  from: global\n  to: " + to +
                               "\n  class: c\n  signals: done\n  bytes: " + bytes +
                               "\n- wait: done\n"));
    };
    CHECK(copied("q", "4096").empty());
    CHECK(contains(copied("q", "4097"), "buffer 'q' holds 4096: 1 too many"));
    CHECK(copied("q[1]", "2048").empty());
    CHECK(contains(copied("q[1]", "4096"), "a copy of buffer 'q' holds 2048: 2048 too many"));
}
