#include "warpline/recurrence/least_times.hpp"

#include "plan_builder.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using test::cycles;

namespace {

Tick issue_time(std::vector<IssuePart> parts, bool results_needed = true) {
    return least_issue_time(test::small_plan(), IssueOp{std::move(parts), results_needed});
}

}  // namespace

TEST_CASE("independent instructions go at the unit's interval") {
    CHECK(issue_time({{test::fma, 1, 0}}) == cycles(4));
    CHECK(issue_time({{test::fma, 10, 0}}) == cycles(9 * 2 + 4));
    CHECK(issue_time({{test::ex2, 10, 0}}) == cycles(9 * 8 + 20));
    CHECK(issue_time({{test::fma, 10, 0}}, false) == cycles(9 * 2 + 1));
}

TEST_CASE("dependence chains go at latency over chains") {
    CHECK(issue_time({{test::fma, 10, 1}}) == cycles(9 * 4 + 4));
    CHECK(issue_time({{test::fma, 10, 2}}) == cycles(9 * 2 + 4));
    CHECK(issue_time({{test::ex2, 6, 2}}) == cycles(2 * 20 + 8 + 20));
    CHECK(issue_time({{test::ex2, 3, 100}}) == cycles(2 * 8 + 20));
}

TEST_CASE("parts are woven by position and the last issue is followed by every latency") {
    // fma at 1/4, 3/4; ex2 at 1/2: fma 0, ex2 1, fma 2 and then 4 + 20.
    CHECK(issue_time({{test::fma, 2, 0}, {test::ex2, 1, 0}}) == cycles(2 + 24));
    // Ties go in the order of the parts: ex2 0, fma 1.
    CHECK(issue_time({{test::ex2, 1, 0}, {test::fma, 1, 0}}) == cycles(1 + 24));
    CHECK(issue_time({}) == 0);
    CHECK(issue_time({{test::fma, 0, 0}}) == 0);
}

TEST_CASE("sequences too long to issue one by one are bounded by their unit") {
    const Tick long_one = issue_time({{test::ex2, 1'000'000, 0}}, false);
    CHECK(long_one == cycles((1'000'000 - 1) * 8));
}

TEST_CASE("asynchronous operations") {
    const KernelPlan plan = test::small_plan();
    const MemoryEnvironment memory = test::small_memory();
    const auto times = [&](OpBody body) {
        return least_times(plan, {std::move(body), "op", 0}, memory);
    };
    SUBCASE("an MMA chain goes at the slower of tensor core and operand fetch") {
        MmaOp mma;
        mma.steps = 8;
        mma.tensor = cycles(64);
        mma.smem_bytes = 4096;
        mma.first_operand = cycles(100);
        mma.completion = cycles(30);
        mma.issue_slots = 3;
        CHECK(times(AsyncOp{mma, 0, {}, At::self}).service == cycles(8 * 3 + 100 + 8 * 64));
        CHECK(times(AsyncOp{mma, 0, {}, At::self}).after == cycles(30));
        mma.smem_bytes = 16384;
        CHECK(times(AsyncOp{mma, 0, {}, At::self}).service == cycles(8 * 3 + 8 * 128));
    }
    SUBCASE("a copy from memory takes the latency and its bytes") {
        CopyOp copy;
        copy.bytes = 16384;
        CHECK(times(AsyncOp{copy, 0, {}, At::self}).service == cycles(1 + 300 + 256));
        copy.l2_hit = false;
        CHECK(times(AsyncOp{copy, 0, {}, At::self}).service == cycles(1 + 700 + 256));
        copy.from = Space::smem;
        copy.to = Space::peer_smem;
        CHECK(times(AsyncOp{copy, 0, {}, At::self}).service == cycles(1 + 200 + 128));
        copy.to = Space::global;
        CHECK(times(AsyncOp{copy, 0, {}, At::self}).service == cycles(1 + 256));
        CHECK(times(AsyncOp{copy, 0, {}, At::self}).after == cycles(50));
    }
}
