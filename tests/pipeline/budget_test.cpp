#include "pipeline_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

Failure failure(const std::string& text, const std::vector<ParameterOverride>& set = {}) {
    const auto plan = load(text, set);
    REQUIRE_FALSE(plan.has_value());
    return plan.error();
}

const Budget& budget(const KernelPlan& plan, std::string_view name) {
    for (const Budget& candidate : plan.budgets) {
        if (candidate.name == name) {
            return candidate;
        }
    }
    FAIL("no such budget");
    return plan.budgets.front();
}

}  // namespace

TEST_CASE("budgets add up buffers, barriers, columns, registers and threads") {
    const auto plan = load(base_text());
    REQUIRE(plan.has_value());
    CHECK(budget(*plan, "SMEM").used == 3 * 128 * 64 * 2 + 2 * 3 * 8);
    CHECK(budget(*plan, "SMEM").limit == 232448);
    CHECK(budget(*plan, "TMEM columns").used == 128);
    CHECK(budget(*plan, "registers").used == 2 * 32 * 64);
    CHECK(budget(*plan, "threads").used == 64);
}

TEST_CASE("shared memory fits to the byte, and says what would fit") {
    // 14 stages of 16 KiB and 28 barriers: 229600 bytes. 3072 more do not fit, 2848 do.
    const std::string text =
        changed(base_text(), "  s:\n", "  pad:\n    space: smem\n    bytes: 2848\n  s:\n");
    CHECK(load(text, {{"kv_stages", "14"}}).has_value());
    const auto over = failure(changed(text, "2848", "2849"), {{"kv_stages", "14"}});
    CHECK(over.kind == FailureKind::infeasible);
    CHECK(
        over.text() ==
        "f:24:3: SMEM: 232449 B needed, 232448 available, 1 over (kv 229376 + pad 2849 + barriers "
        "224) (fits with tile_kv = 96, or kv_stages = 13)");
}

TEST_CASE("tensor memory is allocated in powers of two") {
    const auto columns = [](const char* count) {
        return load(changed(changed(base_text(), "n: tile_kv", "n: 16"), "columns: tile_kv",
                            std::string("columns: ") + count));
    };
    CHECK(budget(*columns("16"), "TMEM columns").used == 32);
    CHECK(budget(*columns("129"), "TMEM columns").used == 256);
    CHECK(budget(*columns("512"), "TMEM columns").used == 512);
    const auto over = columns("513");
    REQUIRE_FALSE(over.has_value());
    CHECK(contains(over.error().text(),
                   "TMEM columns: 1024 columns needed, 512 available, 512 over"));
}

TEST_CASE("CTAs that share an SM share its storage") {
    const std::string two = changed(base_text(), "tiles:\n", "ctas_per_sm: 2\ntiles:\n");
    const auto plan = load(two);
    REQUIRE_MESSAGE(plan.has_value(), errors(two));
    CHECK(budget(*plan, "SMEM").used == 2 * (49152 + 48 + 1024));
    CHECK(budget(*plan, "SMEM").limit == 233472);
    CHECK(budget(*plan, "TMEM columns").used == 256);
    CHECK(budget(*plan, "threads").used == 128);
    CHECK(contains(errors(changed(two, "columns: tile_kv", "columns: 300")),
                   "TMEM columns: 1024 columns needed"));
    CHECK(contains(errors(changed(base_text(), "tiles:\n", "ctas_per_sm: 33\ntiles:\n")),
                   "33 CTAs on an SM, 32 is the most"));
}

TEST_CASE("a kernel may be credited with a share of the counted work") {
    const std::string part = changed(base_text(), "tiles:\n", "counted: 3 / 7\ntiles:\n");
    const auto plan = load(part);
    REQUIRE_MESSAGE(plan.has_value(), errors(part));
    CHECK(plan->counted_share == 3.0 / 7.0);
    CHECK(load(base_text())->counted_share == 1.0);
    for (const char* wrong : {"0", "-1", "8 / 7"}) {
        const std::string text =
            changed(base_text(), "tiles:\n", std::string("counted: ") + wrong + "\ntiles:\n");
        CHECK(contains(errors(text), "'counted' is a share, more than 0 and at most 1"));
    }
}

TEST_CASE("registers and threads are limited a thread, a CTA and an SM") {
    CHECK(load(changed(base_text(), "registers: 64", "registers: 256")).has_value());
    CHECK(contains(errors(changed(base_text(), "registers: 64", "registers: 264")),
                   "role 'load' asks for 264 registers a thread, the GPU has 255"));
    const std::string many = changed(base_text(), "  load:\n    warps: 1\n    registers: 64",
                                     "  load:\n    warps: 16\n    registers: 128");
    CHECK(contains(errors(changed(many, "load: 1", "load: 16")),
                   "registers: 67584 registers needed, 65536 available, 2048 over"));
    const std::string wide = changed(base_text(), "  load:\n    warps: 1\n    registers: 64",
                                     "  load:\n    warps: 32\n    registers: 32");
    CHECK(contains(errors(changed(wide, "load: 1", "load: 32")),
                   "threads: 1056 threads needed, 1024 available, 32 over"));
}
