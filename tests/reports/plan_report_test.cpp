#include "warpline/reports/plan_report.hpp"

#include "json_schema.hpp"
#include "parse_json.hpp"
#include "source_dir.hpp"

#include <fstream>

#include <doctest/doctest.h>

using namespace warpline;
using nlohmann::json;

namespace {

PlannedDesign design(double keys, double seconds, bool as_it_is) {
    PlannedDesign out;
    if (!as_it_is) {
        out.set = {{"tile_kv", keys == 96 ? "96" : "64"}, {"pair", "0"}};
    }
    out.values = {keys, 0};
    out.as_it_is = as_it_is;
    out.budgets = {{"SMEM", 145584, 232448, "B", "q 81920 + kv 61440"},
                   {"TMEM columns", 512, 512, "columns", "s 192 + o 320"}};
    out.seconds = seconds;
    out.tflops = 1000.0;
    out.utilization = 0.5;
    out.bound_by = "tensor core";
    out.register_splits = {{192, 80}, {184, 96}};
    return out;
}

DesignPlan example() {
    DesignPlan plan;
    plan.kernel = "fa4_fwd";
    plan.gpu = "b200";
    plan.names = {"tile_kv", "pair"};
    plan.register_names = {"softmax_registers", "correction_registers"};
    plan.tried = 5;
    plan.ranked = {design(96, 1e-3, false), design(128, 2e-3, true), design(64, 3e-3, false)};
    plan.refused = {{"TMEM columns", 2, "TMEM columns: 576 columns needed, with tile_kv=128"}};
    return plan;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "a plan's table has what differs, every budget and its limit, and as many designs as asked") {
    const std::string text = plan_text(example(), 2);
    CHECK(contains(text, "5 designs, 3 fit; the 2 fastest"));
    CHECK(contains(text, "all with pair = 0"));
    CHECK(contains(text, "232,448"));
    CHECK(contains(text, "145,584"));
    CHECK(contains(text, "*2"));
    CHECK_FALSE(contains(text, "3.000 ms"));
    CHECK(contains(text, "2: 184 to 192 / 80 to 96"));
    CHECK(contains(text, "2  TMEM columns"));
    CHECK(contains(text, "nearest: TMEM columns: 576 columns needed, with tile_kv=128"));
    CHECK(contains(text, "--set tile_kv=96 --set pair=0"));
    const std::string line = plan_headline(example());
    CHECK(line.back() == '\n');
    CHECK(contains(line, "tile_kv=96 pair=0"));
    CHECK(contains(line, "TMEM columns 512 of 512"));
}

TEST_CASE("the JSON of a plan follows its published schema") {
    std::ifstream file(source_dir() + "/reports/schema/plan-1.json");
    const json schema = test::parse_json(file);
    const json value = test::parse_json(plan_json(example(), 2));
    for (const std::string& violation : test::schema_violations(schema, value)) {
        FAIL_CHECK(violation);
    }
    CHECK(value["designs"].size() == 2);
    CHECK(value["fit"] == 3);
    CHECK(value["designs"][0]["values"]["tile_kv"] == 96.0);
    CHECK(value["designs"][0]["set"][0] == "tile_kv=96");
    CHECK(value["designs"][1]["as_it_is"] == true);
    CHECK(value["designs"][0]["register_splits"][1]["correction_registers"] == 96.0);
    CHECK(value["refused"][0]["reason"] == "TMEM columns");
    CHECK(value["refused"][0]["nearest"] == "TMEM columns: 576 columns needed, with tile_kv=128");
}
