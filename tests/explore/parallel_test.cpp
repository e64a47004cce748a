#include "warpline/explore/parallel.hpp"

#include <atomic>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("every index is worked on once, whatever the threads") {
    for (const int threads : {0, 1, 3}) {
        std::vector<std::atomic<int>> seen(1000);
        for_each_index(1000, threads, [&](std::int64_t i) { ++seen[static_cast<std::size_t>(i)]; });
        for (const auto& count : seen) {
            CHECK(count == 1);
        }
    }
    for_each_index(0, 2, [](std::int64_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("a stream keeps its order and holds few texts at a time") {
    for (const int threads : {1, 4}) {
        std::int64_t next = 10;
        std::atomic<std::int64_t> made = 0;
        std::int64_t most_ahead = 0;
        stream_in_order(
            10, 2000, threads,
            [&](std::int64_t i) {
                ++made;
                return std::to_string(i);
            },
            [&](const std::string& text) {
                CHECK(text == std::to_string(next));
                ++next;
                most_ahead = std::max(most_ahead, made.load() - (next - 10));
                return true;
            });
        CHECK(next == 2000);
        CHECK(most_ahead <= 8 * 4);
    }
}

TEST_CASE("a stream ends when it is told to") {
    std::int64_t taken = 0;
    stream_in_order(
        0, 1000000, 2, [](std::int64_t i) { return std::to_string(i); },
        [&](const std::string&) { return ++taken < 5; });
    CHECK(taken == 5);
}
