#include "warpline/engine/fifo.hpp"

#include <vector>

#include <doctest/doctest.h>

using warpline::Fifo;

TEST_CASE("a queue gives what it was given, in order, however it is mixed") {
    Fifo<int> queue;
    int given = 0;
    int taken = 0;
    for (int round = 1; round <= 40; ++round) {
        for (int i = 0; i < round; ++i) {
            queue.push_back(given++);
        }
        for (int i = 0; i < (round * 7) % 11 && !queue.empty(); ++i) {
            REQUIRE(queue.front() == taken++);
            queue.pop_front();
        }
        REQUIRE(queue.size() == static_cast<std::size_t>(given - taken));
        const std::vector<int> left(queue.begin(), queue.end());
        for (std::size_t i = 0; i < left.size(); ++i) {
            REQUIRE(left[i] == taken + static_cast<int>(i));
            REQUIRE(queue[i] == left[i]);
        }
    }
    CHECK(given == 820);
    CHECK(taken > 100);
}
