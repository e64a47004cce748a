// One of four equal sub-partitions stands for all of them.
#include "fa4_like_plan.hpp"
#include "program_writer.hpp"
#include "random_plans.hpp"
#include "reference_simulator.hpp"
#include "schedule_checks.hpp"
#include "warpline/engine/engine.hpp"

#include <doctest/doctest.h>

namespace warpline::test {

namespace {

Schedule run(const RandomCase& random, bool fold) {
    EngineOptions options;
    options.granularity = 1;
    options.fold_sub_partitions = fold;
    options.role_offsets = random.role_offsets;
    auto schedule = simulate(random.plan, random.tiles, random.memory, options);
    REQUIRE(schedule.has_value());
    check_accounts(*schedule);
    return *schedule;
}

}  // namespace

TEST_CASE("equal sub-partitions that share nothing fold exactly") {
    RandomLimits limits;
    limits.shared_units = false;
    limits.clusters = false;
    limits.equal_warps = true;
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        const RandomCase random = random_case(seed, limits);
        const Schedule folded = run(random, true);
        const Schedule whole = run(random, false);
        CHECK(folded.makespan == whole.makespan);
        CHECK(folded.tile_ends == whole.tile_ends);
        CHECK(folded.flops == whole.flops);
        CHECK(folded.events_processed < whole.events_processed);
    }
}

TEST_CASE("an FA4-like plan runs and folds within half a percent of the reference") {
    for (const Arbitration arbitration :
         {Arbitration::greedy_then_oldest, Arbitration::round_robin, Arbitration::oldest_request}) {
        for (const int emulated : {0, 16}) {
            for (const std::int64_t blocks : {1, 2, 12}) {
                CAPTURE(static_cast<int>(arbitration));
                CAPTURE(emulated);
                CAPTURE(blocks);
                Fa4LikeShape shape;
                shape.emulated = emulated;
                RandomCase fixed;
                fixed.plan = fa4_like_plan(shape);
                fixed.plan.machine.arbitration = arbitration;
                fixed.memory = fa4_like_memory();
                fixed.tiles = {{{blocks, 1, 0}, 2}};
                const ReferenceResult reference =
                    reference_simulate(fixed.plan, fixed.tiles, fixed.memory);
                REQUIRE_FALSE(reference.stuck);
                const auto expected = static_cast<double>(reference.makespan);
                CHECK(static_cast<double>(run(fixed, false).makespan) ==
                      doctest::Approx(expected).epsilon(0.005));
                // A warp that keeps its turn locks into a phase that one issue slot of the MMA warp
                // can change: the sub-partitions are then not alike.
                if (arbitration != Arbitration::greedy_then_oldest) {
                    CHECK(static_cast<double>(run(fixed, true).makespan) ==
                          doctest::Approx(expected).epsilon(0.005));
                }
            }
        }
    }
}

TEST_CASE("roles that meet warp by warp fold together or not at all") {
    PlanWriter writer;
    const int work = writer.instruction("fma", Unit::fma, cycles(2), cycles(4));
    const int meet = writer.named_barrier("meet", 64);
    writer.plan().barriers.back().scope = BarrierScope::warp;
    ProgramWriter program;
    program.tiles().issue(work, 5).arrive(at(meet), 32).wait(at(meet)).end();
    writer.role("equal", 0, 4, program);
    writer.role("shifted", 5, 4, program);
    const auto schedule = simulate(writer.plan(), one_tile(1), {});
    REQUIRE(schedule.has_value());
    CHECK(schedule->roles.size() == 8);
}

TEST_CASE("folded warps arrive, copy and multiply for all four") {
    PlanWriter writer;
    const int done = writer.barrier("done", 4 * 32 + 4);
    MmaOp mma;
    mma.steps = 2;
    mma.tensor = cycles(10);
    mma.flops = 1000;
    CopyOp copy;
    copy.bytes = 512;
    ProgramWriter program;
    program.copy(copy, 1).mma(mma).commit(0, at(done)).arrive(at(done), 32).wait(at(done));
    writer.role("four", 0, 4, program, {"mma", "copy"});
    EngineOptions options;
    for (const bool fold : {false, true}) {
        options.fold_sub_partitions = fold;
        const auto schedule = simulate(writer.plan(), one_tile(1), {cycles(10), 0, 64.0}, options);
        REQUIRE(schedule.has_value());
        CHECK(schedule->flops == 4 * 2 * 1000);
        CHECK(schedule->bytes_read == 4 * 512);
    }
}

}  // namespace warpline::test
