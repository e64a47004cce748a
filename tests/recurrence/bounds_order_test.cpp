// Roofline <= recurrence <= simulated, on pipelines made at random.
#include "plan_builder.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/mechanism.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"

#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace warpline;
using test::cycles;
using test::ProgramBuilder;

namespace {

class RandomPlan {
  public:
    explicit RandomPlan(std::uint32_t seed) : random_(seed) {}

    /// A line of roles that hand items on through rings; each works on every item.
    KernelPlan make() {
        KernelPlan plan = test::small_plan();
        plan.machine.tensor_scope = below(2) == 0 ? UnitScope::sm : UnitScope::sub_partition;
        plan.cluster = below(4) == 0 ? 2 : 1;
        plan.ctas_per_sm = below(4) == 0 ? 2 : 1;
        const int roles = 2 + below(3);
        std::vector<int> warps;
        for (int r = 0; r < roles; ++r) {
            warps.push_back(below(2) == 0 ? 4 : 1);
        }
        std::vector<test::RingIds> rings;
        for (int r = 0; r + 1 < roles; ++r) {
            rings.push_back(test::add_ring(plan, "ring" + std::to_string(r), 1 + below(3),
                                           BarrierKind::mbarrier,
                                           32 * warps[static_cast<std::size_t>(r)],
                                           32 * warps[static_cast<std::size_t>(r) + 1]));
        }
        for (int r = 0; r < roles; ++r) {
            ProgramBuilder builder;
            builder.loop_tiles().loop_blocks();
            if (r > 0) {
                take(builder, rings[static_cast<std::size_t>(r) - 1], 0, true);
            }
            if (r + 1 < roles) {
                take(builder, rings[static_cast<std::size_t>(r)], 1, false);
            }
            work(builder, plan);
            if (r > 0) {
                builder.arrive(rings[static_cast<std::size_t>(r) - 1].empty, 32, 0);
            }
            if (below(3) == 0) {
                builder.when(predicate());
                work(builder, plan);
                builder.end_when();
            }
            if (r + 1 < roles) {
                builder.arrive(rings[static_cast<std::size_t>(r)].full, 32, 1);
            }
            builder.end().end();
            Role& role = test::add_role(plan, "role" + std::to_string(r),
                                        warps[static_cast<std::size_t>(r)], builder.build());
            role.first_warp = 4 * r;
        }
        return plan;
    }

  private:
    int below(std::uint32_t n) { return static_cast<int>(random_() % n); }

    static void take(ProgramBuilder& builder, const test::RingIds& ring, int handle, bool full) {
        builder.take(ring.ring, handle).wait(full ? ring.full : ring.empty, handle);
    }

    Predicate predicate() {
        Predicate result;
        if (below(2) == 0) {
            result.kind = Predicate::Kind::every;
            result.period = 1 + below(4);
        } else {
            result.kind = Predicate::Kind::chance;
            result.chance_64ths = {64, 16 * below(5)};
        }
        return result;
    }

    void work(ProgramBuilder& builder, const KernelPlan& plan) {
        const int operations = 1 + below(3);
        for (int o = 0; o < operations; ++o) {
            switch (below(5)) {
                case 0:
                    builder.issue(test::fma, 1 + below(40), below(4), below(2) == 0);
                    break;
                case 1:
                    builder.op(IssueOp{{{test::fma, 1 + below(20), below(3)},
                                        {test::ex2, 1 + below(10), 0},
                                        {test::lds, below(4), 0}},
                                       true},
                               "woven");
                    break;
                case 2:
                    builder.mma(1 + below(8), cycles(8 + below(60)), 64 * below(80),
                                cycles(below(100)));
                    builder.op(CommitOp{0, {}, At::self}, "commit").drain(below(3));
                    break;
                case 3: {
                    TmemOp tmem;
                    tmem.instructions = 1 + below(4);
                    tmem.port = cycles(below(100));
                    tmem.latency = cycles(below(100));
                    builder.op(AsyncOp{tmem, 0, {}, At::self}, "tmem").drain();
                    break;
                }
                default: {
                    CopyOp copy;
                    copy.bytes = 256 * (1 + below(32));
                    copy.engine = below(2) == 0 ? CopyEngine::tma : CopyEngine::lsu;
                    const int direction = below(plan.cluster == 2 ? 3 : 2);
                    copy.from = direction == 0 ? Space::global : Space::smem;
                    copy.to = direction == 0   ? Space::smem
                              : direction == 1 ? Space::global
                                               : Space::peer_smem;
                    builder.op(AsyncOp{copy, 0, {}, At::self}, "copy");
                    builder.op(CommitOp{0, {}, At::self}, "commit").drain(below(2));
                    break;
                }
            }
        }
    }

    std::mt19937 random_;
};

std::string cycle_text(const RecurrenceBound& bound) {
    std::string text;
    for (const CycleStep& step : bound.critical_cycle) {
        text += step.label + " @" + std::to_string(step.iteration) + " +" +
                std::to_string(step.weight) + " " + step.reason + "\n";
    }
    return text;
}

}  // namespace

namespace {

/// One random pipeline, on a machine without what is in `ideal`.
void check_order(std::uint32_t seed, const std::set<Mechanism>& ideal) {
    CAPTURE(seed);
    const KernelPlan whole = RandomPlan(seed).make();
    const KernelPlan plan = without(whole, ideal);
    const MemoryEnvironment memory = without(test::small_memory(), ideal);
    const Result<RecurrenceBound> bound = recurrence_bound(plan, memory);
    REQUIRE_MESSAGE(bound, bound.error().text());
    const Roofline steady = steady_roofline(plan, memory);
    CHECK(steady.ticks <= bound->ticks_per_block);
    EngineOptions options;
    options.granularity = 1;
    options.ideal = ideal;
    options.fold_sub_partitions = seed % 2 == 0;
    const auto makespan = [&](std::int64_t blocks) {
        const Result<Schedule> schedule =
            simulate(whole, {{{blocks, 1, 0}, 1}}, test::small_memory(), options);
        REQUIRE_MESSAGE(schedule, schedule.error().text());
        CHECK(roofline(plan, {{{blocks, 1, 0}, 1}}, memory).ticks <=
              static_cast<double>(schedule->makespan) + 1e-6);
        return schedule->makespan;
    };
    // Whole periods, from within the steady state.
    const double simulated = static_cast<double>(makespan(360) - makespan(120)) / 240;
    INFO(cycle_text(*bound));
    CHECK(bound->ticks_per_block <= simulated + 1e-6);
}

}  // namespace

TEST_CASE("roofline <= recurrence <= simulated on random pipelines") {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        check_order(seed, {});
    }
}

TEST_CASE("roofline <= recurrence <= simulated with any mechanism switched off") {
    for (const Mechanism mechanism : all_mechanisms()) {
        CAPTURE(mechanism_name(mechanism));
        for (std::uint32_t seed = 1; seed <= 40; ++seed) {
            check_order(seed, {mechanism});
        }
    }
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        check_order(seed, {all_mechanisms().begin(), all_mechanisms().end()});
    }
}
