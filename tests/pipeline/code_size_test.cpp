// Machine code counted by hand: what stands once, and what stands in versions.
#include "warpline/pipeline/code_size.hpp"

#include "engine/program_writer.hpp"

#include <doctest/doctest.h>

namespace warpline::test {

namespace {

constexpr std::int64_t instruction = 16;

/// One role: 10 instructions a tile, then a loop over blocks of 100, of which 7 only where masked.
PlanWriter with_loop() {
    PlanWriter writer;
    const int fma = writer.instruction("fma", Unit::fma, cycles(1), 0);
    Predicate masked;
    masked.kind = Predicate::Kind::masked;
    writer.role("worker", 0, 4,
                ProgramWriter()
                    .tiles()
                    .issue(fma, 10)
                    .blocks()
                    .issue(fma, 93)
                    .when(masked)
                    .issue(fma, 7)
                    .end()
                    .end()
                    .end());
    return writer;
}

}  // namespace

TEST_CASE("code outside the loop over blocks stands once, each version of the loop by itself") {
    PlanWriter writer = with_loop();
    const CodeSize size = code_size(writer.plan());
    CHECK(size.once == 10 * instruction);
    CHECK(size.version == (93 + 1) * instruction);  // the condition is tested in each
    CHECK(size.masked_part == 7 * instruction);
}

TEST_CASE("a tile passes through as many versions as it has blocks for") {
    const CodeSize size{1000, 100, 10};
    CHECK(size.passed_in({0, 0, 0}) == 1000);
    CHECK(size.passed_in({1, 0, 0}) == 1100);
    CHECK(size.passed_in({2, 0, 0}) == 1200);  // the first block's version, and the others'
    CHECK(size.passed_in({50, 0, 0}) == 1200);
    CHECK(size.passed_in({1, 1, 0}) == 1110);
    CHECK(size.passed_in({50, 1, 0}) == 1210);  // the first is the masked one
    CHECK(size.passed_in({50, 2, 0}) == 1320);
    CHECK(size.passed_in({50, 9, 0}) == 1320);  // no more than two masked versions
    CHECK(size.passed_in({2, 1, 1}) == 1220);
}

TEST_CASE("constant loops are written out, and copies of a role share their code") {
    PlanWriter writer;
    const int fma = writer.instruction("fma", Unit::fma, cycles(1), 0);
    const auto program = [&] { return ProgramWriter().loop({5, 0, 0, 0}).issue(fma, 20).end(); };
    writer.role("worker", 0, 4, program());
    const std::int64_t alone = code_size(writer.plan()).once;
    CHECK(alone == 5 * 20 * instruction);
    writer.role("worker", 4, 4, program());
    CHECK(code_size(writer.plan()).once == 2 * alone);
    writer.plan().roles[0].copy = 0;
    writer.plan().roles[1].copy = 1;
    CHECK(code_size(writer.plan()).once == alone);
}

}  // namespace warpline::test
