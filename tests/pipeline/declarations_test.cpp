#include "pipeline_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

std::string with(std::string_view from, std::string_view to) {
    return errors(changed(base_text(), from, to));
}

}  // namespace

TEST_CASE("the base pipeline loads with what it declares") {
    const auto plan = load(base_text());
    REQUIRE_MESSAGE(plan.has_value(), errors(base_text()));
    CHECK(plan->title == "base");
    CHECK(plan->kernel == "f");
    CHECK(plan->warnings.empty());
    CHECK(plan->tiles.rows == 128);
    CHECK(plan->tiles.loop == TileLoop::over_kv);
    CHECK(plan->tiles.scheduler == TileScheduler::single_tile);
    REQUIRE(plan->rings.size() == 1);
    CHECK(plan->rings[0].stages == 3);
    REQUIRE(plan->barriers.size() == 2);
    CHECK(plan->barriers[0].kind == BarrierKind::bytes);
    CHECK(plan->barriers[0].stages == 3);
    CHECK(plan->barriers[0].initially_complete == 0);
    CHECK(plan->barriers[1].initially_complete == 1);
    CHECK(plan->barriers[1].ring == 0);
    REQUIRE(plan->roles.size() == 2);
    CHECK(plan->roles[1].first_warp == 1);
    CHECK(plan->roles[0].handles == 1);
    CHECK(plan->machine.smem_bytes_per_clk == 128.0);
    CHECK(plan->instructions.empty());
}

TEST_CASE("schedulers: a cluster a tile, a fixed share, or the next tile when free") {
    const auto scheduler = [](const std::string& keys) {
        const std::string text = changed(base_text(), "  loop: kv\n", "  loop: kv\n" + keys);
        const auto plan = load(text);
        REQUIRE_MESSAGE(plan.has_value(), errors(text));
        return plan->tiles;
    };
    CHECK(scheduler("  dynamic: 1\n").scheduler == TileScheduler::single_tile);
    CHECK(scheduler("  persistent: 1\n").scheduler == TileScheduler::static_persistent);
    CHECK(scheduler("  persistent: 1\n  dynamic: causal\n").scheduler ==
          TileScheduler::static_persistent);
    CHECK(scheduler("  persistent: 1\n  dynamic: not(causal)\n").scheduler ==
          TileScheduler::dynamic_persistent);
    CHECK(scheduler("  head_group: 4\n").head_group == 4);
    CHECK(scheduler("").head_group == 1);
    CHECK(contains(errors(changed(base_text(), "  loop: kv\n", "  loop: kv\n  head_group: 0\n")),
                   "head_group"));
}

TEST_CASE("copies of a role are roles of their own") {
    std::string text = changed(base_text(), "  load:\n    warps: 1",
                               "  load:\n    each:\n      s: two\n    warps: 1");
    text = changed(text, "  tile_m: 128", "  tile_m: 128\n  two: 2");
    text = changed(text, "load: 1", "load: 2");
    const auto plan = load(text);
    REQUIRE_MESSAGE(plan.has_value(), errors(text));
    REQUIRE(plan->roles.size() == 3);
    CHECK(plan->roles[1].name == "load[1]");
    CHECK(plan->roles[1].base_name == "load");
    CHECK(plan->roles[1].copy == 1);
    CHECK(plan->roles[2].first_warp == 2);
}

TEST_CASE("uneven stages, aliases and left-out buffers") {
    std::string text = changed(base_text(), "    stages: kv_stages", "");
    text = changed(text, "bytes: tile_kv * d_qk * element_bytes",
                   "bytes:\n      - 16384\n      - 8192\n      - 16384");
    text = changed(text, "              class: tma",
                   "              bytes: 8192\n              class: tma");
    text = changed(text, "barriers:\n", R"(  p:
    space: tmem
    columns: 64
    alias: s
    offset: 64
  spare:
    space: smem
    bytes: 1 / 0
    when: d_qk > 64
barriers:
)");
    const auto plan = load(text);
    REQUIRE_MESSAGE(plan.has_value(), errors(text));
    CHECK(plan->rings[0].stages == 3);
    CHECK(plan->budgets[0].used == 40960 + 6 * 8);
    CHECK(plan->budgets[1].used == 128);
    REQUIRE(plan->warnings.size() == 1);
    CHECK(contains(plan->warnings[0].message, "no statement names buffer 'p'"));
    CHECK(contains(errors(changed(text, "offset: 64", "offset: 65")),
                   "buffer 'p' ends at 129 columns of 's', which has 128"));
    CHECK(contains(errors(changed(text, "alias: s", "alias: ss")),
                   "no buffer 'ss' above buffer 'p'"));
    CHECK(contains(errors(changed(text, "alias: s", "alias: kv")),
                   "buffer 'p' and 'kv' lie in different spaces"));
    CHECK(contains(errors(changed(text, "    alias: s\n", "")), "has an offset but no alias"));
}

TEST_CASE("errors in declarations name line, column and the nearest name") {
    CHECK(with("space: smem", "space: smm") ==
          "f:25:12: unknown space 'smm' (did you mean 'smem'?)");
    CHECK(contains(with("kind: bytes", "kind: byte"), "did you mean 'bytes'?"));
    CHECK(contains(with("ring: kv", "ring: vk"), "no ring 'vk' (did you mean 'kv'?)"));
    CHECK(contains(with("ring: kv", "ring: s"), "buffer 's' has no stages, so it is no ring"));
    CHECK(contains(with("      load: 1", "      lod: 1"), "did you mean 'load'?"));
    CHECK(contains(with("      load: 1", "      load: 0.5"),
                   "f:36:13: arrivals must be a whole number, is 0.5"));
    CHECK(contains(with("      load: 1", "      load: 0"), "nobody arrives on barrier 'kv_full'"));
    CHECK(contains(with("warps: 1", "warp: 1"), "did you mean 'warps'?"));
    CHECK(contains(with("warps: 1", "warps: 0"), "warps must be from 1 to 64, is 0"));
    CHECK(contains(with("registers: 64\nprogram", "registers: 64\n    first_warp: 0\nprogram"),
                   "share a warp"));
    CHECK(contains(with("registers: 64", "registers: 64\n    on: ledaer"), "'on' is 'ledaer'"));
    CHECK(contains(with("columns: tile_kv", "bytes: tile_kv"),
                   "the size of buffer 's' is given in 'columns', not 'bytes'"));
    CHECK(contains(with("stages: kv_stages", "stages: 0"), "stages must be from 1 to 1024, is 0"));
    CHECK(contains(with("loop: kv", "loop: k"), "loop is 'k'"));
    CHECK(contains(with("rows: tile_m", "rows: blocks"), "'blocks' changes from tile to tile"));
    CHECK(
        contains(with("  load:\n    - loop", "  laod:\n    - loop"), "role 'load' has no program"));
    CHECK(contains(with("tiles:\n", "cluster: 0\ntiles:\n"), "cluster must be from 1 to 16, is 0"));
    CHECK(contains(with("    released: true", "    scope: wrap"), "unknown scope 'wrap'"));
}
