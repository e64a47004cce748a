#include "warpline/roofline/roofline.hpp"

#include "../recurrence/plan_builder.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using test::cycles;
using test::ProgramBuilder;

namespace {

double demand(const Roofline& roofline, Unit unit) {
    return cycles_from_ticks(
        static_cast<Tick>(roofline.demand[static_cast<std::size_t>(unit)].ticks));
}

Program loop_over_blocks(const ProgramBuilder& body) {
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks();
    for (const Op& op : body.build()) {
        builder.op(op.body, op.label);
    }
    return builder.end().end().build();
}

const std::vector<TileRun> three_tiles{{{10, 1, 0}, 3}};

}  // namespace

TEST_CASE("warps of one sub-partition share its pipes, others do not") {
    KernelPlan plan = test::small_plan();
    test::add_role(plan, "math", 5, loop_over_blocks(ProgramBuilder().issue(test::ex2, 7)));
    const Roofline result = roofline(plan, three_tiles, test::small_memory());
    // Warps 0 and 4 are on sub-partition 0.
    CHECK(demand(result, Unit::xu) == 2 * 30 * 7 * 8);
    CHECK(demand(result, Unit::issue) == 2 * 30 * 7);
    CHECK(demand(result, Unit::fma) == 0);
    CHECK(result.bound == Unit::xu);
    CHECK(result.ticks == static_cast<double>(cycles(2 * 30 * 7 * 8)));
}

TEST_CASE("resident CTAs all ask the same SM") {
    KernelPlan plan = test::small_plan();
    plan.ctas_per_sm = 2;
    test::add_role(plan, "math", 4, loop_over_blocks(ProgramBuilder().issue(test::fma, 10)));
    CHECK(demand(roofline(plan, three_tiles, test::small_memory()), Unit::fma) == 2 * 30 * 10 * 2);
}

TEST_CASE("an MMA needs the tensor core and the SMEM port of every SM taking part") {
    KernelPlan plan = test::small_plan();
    plan.cluster = 2;
    MmaOp mma;
    mma.steps = 8;
    mma.tensor = cycles(64);
    mma.smem_bytes = 4096;
    mma.pair = true;
    Role& role = test::add_role(
        plan, "mma", 1, loop_over_blocks(ProgramBuilder().op(AsyncOp{mma, 0, {}, At::self})));
    role.leader_only = true;
    const Roofline leader = roofline(plan, three_tiles, test::small_memory());
    CHECK(demand(leader, Unit::tensor) == 30 * 8 * 64);
    CHECK(demand(leader, Unit::smem) == 30 * 8 * 32);
    plan.roles.front().leader_only = false;
    CHECK(demand(roofline(plan, three_tiles, test::small_memory()), Unit::tensor) ==
          2 * 30 * 8 * 64);
}

TEST_CASE("the scope of the tensor core decides who shares it") {
    KernelPlan plan = test::small_plan();
    test::add_role(plan, "mma", 4, loop_over_blocks(ProgramBuilder().mma(2, cycles(32))));
    CHECK(demand(roofline(plan, three_tiles, test::small_memory()), Unit::tensor) ==
          4 * 30 * 2 * 32);
    plan.machine.tensor_scope = UnitScope::sub_partition;
    CHECK(demand(roofline(plan, three_tiles, test::small_memory()), Unit::tensor) == 30 * 2 * 32);
}

TEST_CASE("copies load the path they take") {
    KernelPlan plan = test::small_plan();
    plan.cluster = 2;
    CopyOp copy;
    copy.bytes = 16384;
    const auto with = [&](Space from, Space to) {
        copy.from = from;
        copy.to = to;
        plan.roles.clear();
        test::add_role(plan, "load", 1,
                       loop_over_blocks(ProgramBuilder().op(AsyncOp{copy, 0, {}, At::self})));
        plan.roles.front().leader_only = true;
        return roofline(plan, {{{1, 1, 0}, 1}}, test::small_memory());
    };
    SUBCASE("a fill uses the port only where fills share it") {
        CHECK(demand(with(Space::global, Space::smem), Unit::smem) == 128);
        CHECK(demand(with(Space::global, Space::smem), Unit::memory) == 256);
        CHECK(demand(with(Space::global, Space::smem), Unit::tma) == 2);
        plan.machine.tma.fill_shares_port = false;
        CHECK(demand(with(Space::global, Space::smem), Unit::smem) == 0);
        CHECK(demand(with(Space::smem, Space::global), Unit::smem) == 128);
    }
    SUBCASE("to the peer: a pass through each port, no memory") {
        CHECK(demand(with(Space::smem, Space::peer_smem), Unit::smem) == 128);
        CHECK(demand(with(Space::smem, Space::peer_smem), Unit::memory) == 0);
        plan.roles.front().leader_only = false;
        CHECK(demand(roofline(plan, {{{1, 1, 0}, 1}}, test::small_memory()), Unit::smem) == 256);
    }
    SUBCASE("a multicast reads once and fills every SM") {
        with(Space::global, Space::cluster_smem);
        plan.roles.front().leader_only = false;
        const Roofline both = roofline(plan, {{{1, 1, 0}, 1}}, test::small_memory());
        CHECK(demand(both, Unit::memory) == 256);
        CHECK(demand(both, Unit::smem) == 256);
    }
}

TEST_CASE("loads from shared memory take their bytes through the port") {
    KernelPlan plan = test::small_plan();
    test::add_role(plan, "math", 4, loop_over_blocks(ProgramBuilder().issue(test::lds, 3)));
    CHECK(demand(roofline(plan, {{{1, 1, 0}, 1}}, test::small_memory()), Unit::smem) == 4 * 3 * 4);
}

TEST_CASE("the steady step leaves out prologue, masked blocks and epilogue") {
    KernelPlan plan = test::small_plan();
    Predicate masked;
    masked.kind = Predicate::Kind::masked;
    Predicate chance;
    chance.kind = Predicate::Kind::chance;
    chance.chance_64ths = {64, 40, 8};
    ProgramBuilder builder;
    builder.loop_tiles().issue(test::fma, 1000).loop_blocks(-1).issue(test::fma, 10);
    builder.when(masked).issue(test::fma, 500).end_when();
    builder.when(chance).issue(test::ex2, 16).end_when();
    builder.end().issue(test::fma, 1000).end();
    test::add_role(plan, "math", 4, builder.build());
    const Roofline steady = steady_roofline(plan, test::small_memory());
    CHECK(demand(steady, Unit::fma) == 20);
    CHECK(demand(steady, Unit::xu) == 16);  // an eighth of 16 * 8
    CHECK(steady.bound == Unit::fma);
}
