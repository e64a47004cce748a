#include "warpline/reports/prediction_json.hpp"

#include "example_prediction.hpp"
#include "json_schema.hpp"
#include "parse_json.hpp"
#include "source_dir.hpp"

#include <fstream>
#include <limits>
#include <set>

#include <doctest/doctest.h>

using namespace warpline;
using nlohmann::json;

namespace {

json schema(const std::string& name = "prediction-1") {
    std::ifstream file(source_dir() + "/reports/schema/" + name + ".json");
    return test::parse_json(file);
}

}  // namespace

TEST_CASE("the JSON of a prediction follows its published schema") {
    const json value = test::parse_json(prediction_json(test::example_prediction()));
    for (const std::string& violation : test::schema_violations(schema(), value)) {
        FAIL_CHECK(violation);
    }
    std::set<std::string> keys;
    for (const auto& [key, unused] : value.items()) {
        keys.insert(key);
    }
    CHECK(keys == std::set<std::string>{"schema",
                                        "kernel",
                                        "gpu",
                                        "problem",
                                        "clock_mhz",
                                        "time_ms",
                                        "tflops",
                                        "utilization",
                                        "makespan_cycles",
                                        "mean_active_cycles",
                                        "bound_by",
                                        "bounds",
                                        "units",
                                        "roles",
                                        "critical_cycle",
                                        "budgets",
                                        "power",
                                        "nearest_measured",
                                        "assumptions",
                                        "provenance"});
    CHECK(value["schema"] == prediction_schema);
    CHECK(value["time_ms"] == doctest::Approx(1.0));
    CHECK(value["units"][0]["unit"] == "tensor");
    CHECK(value["units"][2]["only_this_limits_tflops"].is_null());  // infinite
    CHECK(value["critical_cycle"]["steps"].size() == 3);
    CHECK(value["critical_cycle"]["unit"].is_null());
    CHECK(value["roles"][0]["stalls"][0]["text"] == "barrier s_full");
    CHECK(value["provenance"]["parameters"]["kv_stages"] == 3.0);
}

TEST_CASE("an empty prediction and one bound by a unit follow the schema too") {
    Prediction prediction;
    prediction.recurrence.unit_bound = true;
    prediction.problem.varlen = {{1, 2}, {3, 0}};
    const json value = test::parse_json(prediction_json(prediction));
    for (const std::string& violation : test::schema_violations(schema(), value)) {
        FAIL_CHECK(violation);
    }
    CHECK(value["critical_cycle"]["unit"] == "tensor");
    CHECK(value["problem"]["varlen"][1]["q"] == 3);
}

TEST_CASE("numbers that are not finite never reach the text, and the schema notices") {
    Prediction prediction = test::example_prediction();
    prediction.tflops = std::numeric_limits<double>::quiet_NaN();
    prediction.utilization = std::numeric_limits<double>::infinity();
    const json value = test::parse_json(prediction_json(prediction));
    CHECK(value["tflops"].is_null());
    CHECK(value["utilization"].is_null());
    CHECK(test::schema_violations(schema(), value).size() == 2);
}

TEST_CASE("bytes that are not UTF-8 are replaced") {
    Prediction prediction = test::example_prediction();
    prediction.kernel = "a\xff";
    CHECK(test::parse_json(prediction_json(prediction))["kernel"] == "a\xef\xbf\xbd");
}

TEST_CASE("the validator notices what a schema forbids") {
    const json small = {{"type", "object"},
                        {"required", {"a"}},
                        {"additionalProperties", false},
                        {"properties", {{"a", {{"type", "integer"}, {"minimum", 0}}}}}};
    CHECK(test::schema_violations(small, {{"a", 1}}).empty());
    CHECK(test::schema_violations(small, {{"a", -1}}).size() == 1);
    CHECK(test::schema_violations(small, {{"a", 1.5}}).size() == 1);
    CHECK(test::schema_violations(small, {{"b", 1}}).size() == 2);
    CHECK(test::schema_violations({{"oneOf", json::array()}}, 1).size() == 1);
}

TEST_CASE(
    "the JSON of kernels that run one after the other follows its schema, each kernel its own") {
    const json value = test::parse_json(prediction_json(test::example_operation()));
    for (const std::string& violation :
         test::schema_violations(schema("operation-prediction-1"), value)) {
        FAIL_CHECK(violation);
    }
    CHECK(value["schema"] == operation_prediction_schema);
    CHECK(value["kernel"] == "both");
    REQUIRE(value["kernels"].size() == 2);
    double shares = 0.0;
    for (const json& kernel : value["kernels"]) {
        for (const std::string& violation :
             test::schema_violations(schema(), kernel["prediction"])) {
            FAIL_CHECK(violation);
        }
        shares += kernel["share"].get<double>();
        CHECK(kernel["executed_tflops"] > kernel["prediction"]["tflops"]);
    }
    REQUIRE(value["launches"].size() == 1);
    CHECK(value["launches"][0]["runs"] == "before");
    CHECK(shares + value["launches"][0]["share"].get<double>() == doctest::Approx(1.0));
    CHECK(value["executed_tflops"].get<double>() / value["tflops"].get<double>() ==
          doctest::Approx(value["executed_flops"].get<double>() /
                          value["counted_flops"].get<double>()));
    // A reader of the one format is not handed the other.
    CHECK_FALSE(test::schema_violations(schema(), value).empty());
}
