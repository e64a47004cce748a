// Two softmax warps of one sub-partition lock into a phase; which one may depend on how they start.
#include "fa4_like_plan.hpp"
#include "program_writer.hpp"
#include "schedule_checks.hpp"
#include "warpline/engine/engine.hpp"

#include <set>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace warpline::test {

namespace {

constexpr Tick tensor_step = cycles(2048);       ///< four MMA chains of eight steps of 64 clk
constexpr Tick mufu_step = cycles(2 * 8 * 128);  ///< 128 exponentials of each of two warps

/// Steady ticks a block, rounded, when the second softmax role starts `offset` later.
Tick steady_block(const KernelPlan& plan, Tick offset) {
    EngineOptions options;
    options.role_offsets = {0, offset};
    const auto schedule = simulate(plan, one_tile(400), fa4_like_memory(), options);
    REQUIRE(schedule.has_value());
    check_accounts(*schedule);
    REQUIRE(schedule->steady.found);
    return schedule->steady.period / schedule->steady.blocks;
}

}  // namespace

TEST_CASE("every start leads to a steady state no faster than the units, under each arbitration") {
    Fa4LikeShape shape;
    shape.rescale_64ths = 0;
    KernelPlan plan = fa4_like_plan(shape);
    const Arbitration policies[] = {Arbitration::greedy_then_oldest, Arbitration::round_robin,
                                    Arbitration::oldest_request};
    for (const Arbitration policy : policies) {
        plan.machine.arbitration = policy;
        CAPTURE(static_cast<int>(policy));
        std::set<Tick> attractors;
        const Tick period = steady_block(plan, 0);
        constexpr int starts = 12;
        for (int i = 0; i < starts; ++i) {
            const Tick block = steady_block(plan, period * i / starts);
            CHECK(block >= tensor_step);
            CHECK(block >= mufu_step);
            attractors.insert(block / ticks_per_cycle);
        }
        std::ostringstream text;
        for (const Tick clocks : attractors) {
            text << ' ' << clocks;
        }
        MESSAGE("arbitration " << static_cast<int>(policy)
                               << ": cycles a block of the steady states reached:" << text.str());
    }
}

}  // namespace warpline::test
