// The engine against the slow reference simulator, on random pipelines.
#include "random_plans.hpp"
#include "reference_simulator.hpp"
#include "schedule_checks.hpp"
#include "warpline/engine/engine.hpp"

#include <doctest/doctest.h>

namespace warpline::test {

namespace {

EngineOptions exact_options(const RandomCase& random) {
    EngineOptions options;
    options.granularity = 1;
    options.fold_sub_partitions = false;
    options.fold_steady_state = false;
    options.role_offsets = random.role_offsets;
    return options;
}

}  // namespace

TEST_CASE("random pipelines take exactly as long as the reference says") {
    int compared = 0;
    for (std::uint32_t seed = 1; seed <= 800; ++seed) {
        const RandomCase random = random_case(seed);
        CAPTURE(seed);
        const ReferenceResult reference =
            reference_simulate(random.plan, random.tiles, random.memory, random.role_offsets);
        REQUIRE_FALSE(reference.stuck);
        const auto schedule =
            simulate(random.plan, random.tiles, random.memory, exact_options(random));
        REQUIRE(schedule.has_value());
        check_accounts(*schedule);
        if (reference.tied) {
            continue;
        }
        ++compared;
        CHECK(schedule->makespan == reference.makespan);
        CHECK(schedule->tile_ends == reference.tile_ends);
    }
    CHECK(compared >= 300);
    MESSAGE("compared " << compared << " of 800 random pipelines");
}

}  // namespace warpline::test
