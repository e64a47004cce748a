#include "warpline/reports/comparison_report.hpp"

#include "json_schema.hpp"
#include "parse_json.hpp"
#include "source_dir.hpp"
#include "warpline/reports/comparison_json.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

Comparison example() {
    ComparedRow timed;
    timed.row.where = {"rows.csv", 2, 1};
    timed.row.source = "=evil()";
    timed.row.gpu = "b200";
    timed.row.kernel = "fa4";
    timed.row.problem.seqlen_q = timed.row.problem.seqlen_kv = 8192;
    timed.kernel = "fa4_fwd";
    timed.clock.hz = ClockHz(1'755'000'000);
    timed.clock_source = ClockSource::assumed;
    timed.measured_ms = 2.0;
    timed.predicted_ms = 2.25;
    timed.error = 0.125;
    timed.bound_by = "tensor core";
    ComparedRow counted = timed;
    counted.by_time = false;
    counted.clock_source = ClockSource::measured;
    counted.measured_cycles = 1e6;
    counted.predicted_cycles = 9.5e5;
    counted.error = -0.05;
    Comparison comparison;
    comparison.rows = {timed, counted};
    UnusableRow unusable;
    unusable.where = {"rows.csv", 4, 1};
    unusable.row = "b200 cudnn";
    unusable.reason = "no pipeline, for family cudnn";
    comparison.unusable.push_back(unusable);
    ErrorSummary group;
    group.gpu = "b200";
    group.kernel = "fa4_fwd";
    group.head_dim_qk = 192;
    group.head_dim_v = 128;
    group.rows = 2;
    group.mean_absolute = 0.0875;
    group.max_absolute = 0.125;
    group.bias = 0.0375;
    comparison.groups = {group};
    comparison.overall = group;
    return comparison;
}

/// Fields of a CSV line; quotes are honoured.
std::size_t field_count(const std::string& line) {
    bool quoted = false;
    std::size_t fields = 1;
    for (const char c : line) {
        quoted = quoted != (c == '"');
        fields += c == ',' && !quoted ? 1U : 0U;
    }
    return fields;
}

}  // namespace

TEST_CASE("the rows of a file are told apart by their GPU") {
    Comparison comparison = example();
    for (const char* gpu : {"b200", "h200"}) {
        FileSummary file;
        file.file = "rows.csv";
        file.gpu = gpu;
        file.kernel = "fa4";
        file.baselines = BaselineSummary{4, 0.1, 0.2, 0.3, 0.4};
        comparison.files.push_back(file);
    }
    const std::string text = comparison_text(comparison);
    const std::size_t files = text.find("Errors by file"), simpler = text.find("simpler models");
    REQUIRE(simpler != std::string::npos);
    for (const char* line : {"rows  b200  fa4 ", "rows  h200  fa4 "}) {
        CHECK(text.find(line, files) < simpler);
        CHECK(text.find(line, simpler) != std::string::npos);
    }
}

TEST_CASE("a clock that was not measured is said to be the one that was taken") {
    Comparison comparison = example();
    const auto said = [&](const std::string& origin) {
        const std::string text = comparison_text(comparison);
        return text.find("* the clock was not measured: " + origin + "\n") != std::string::npos;
    };
    CHECK(said("the one asked for"));
    comparison.rows[0].clock.low = ClockHz(1'000'000'000);
    CHECK(said("the GPU's default"));
    comparison.rows.push_back(comparison.rows[0]);
    comparison.rows[0].clock.low.reset();
    comparison.rows[0].within_limit = true;
    CHECK(said("what the power limit leaves, or the GPU's default"));
    comparison.rows.pop_back();
    CHECK(said("what the power limit leaves"));
}

TEST_CASE("a comparison shows every row, its groups and what was left out") {
    const std::string text = comparison_text(example());
    for (const char* part :
         {"+12.5 %", "-5.0 %", "2.25", "950,000", "192:128", "8.8 %", "1 rows not used",
          "rows.csv: no pipeline, for family cudnn (b200 cudnn, line 4)",
          "* the clock was not measured"}) {
        INFO(part);
        CHECK(text.find(part) != std::string::npos);
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CHECK(display_width(line) <= 100);
    }
}

TEST_CASE("every line of the CSV has the fields of its header") {
    const std::string text = comparison_csv(example());
    std::istringstream lines(text);
    std::string header;
    REQUIRE(std::getline(lines, header));
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line); ++rows) {
        INFO(line);
        CHECK(field_count(line) == field_count(header));
    }
    CHECK(rows == 3);
    CHECK(text.find(",'=evil(),") != std::string::npos);
    CHECK(text.find("\"no pipeline, for family cudnn\"") != std::string::npos);
}

TEST_CASE("the JSON of a comparison follows its published schema, every row in place") {
    Comparison comparison = example();
    comparison.rows[0].row.columns = {
        {"gpu", "b200"}, {"time_ms", "2.0"}, {"seqlen_q", "8192"}, {"version", ""}, {"note", "12"}};
    comparison.rows[1].row.where.line = 9;
    comparison.rows[1].clock_at_bound = true;
    comparison.rows[1].counters.push_back({"tensor_cycles", 2.0, 1.0});
    comparison.unusable[0].columns = {{"gpu", "b200"}, {"time_ms", "fast"}};
    FileSummary file;
    file.file = "rows.csv";
    file.baselines = BaselineSummary{2, 0.1, 0.2, 0.3, 0.05};
    comparison.files = {file, FileSummary{}};
    const nlohmann::json json = test::parse_json(comparison_json(comparison));
    std::ifstream schema(source_dir() + "/reports/schema/comparison-1.json");
    for (const std::string& violation : test::schema_violations(test::parse_json(schema), json)) {
        FAIL_CHECK(violation);
    }
    const auto& rows = json["rows"];
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["time_ms"] == 2.0);
    CHECK(rows[0]["seqlen_q"] == 8192);
    CHECK(rows[0]["version"].is_null());
    CHECK(rows[0]["note"] == "12");
    CHECK(rows[0]["predicted_time_ms"] == 2.25);
    CHECK(rows[0]["relative_error"] == 0.125);
    CHECK(rows[0]["status"] == "ok");
    CHECK(rows[1]["line"] == 4);
    CHECK(rows[1]["time_ms"] == "fast");
    CHECK(rows[1]["relative_error"].is_null());
    CHECK(rows[1]["status"] == "unused: no pipeline, for family cudnn");
    CHECK(rows[2]["status"] == "clock fit at its bound");
    CHECK(rows[2]["predicted_tensor_cycles"] == 1.0);
    CHECK_FALSE(json["summary"]["files"][0]["held_out"]["model_is_best"]);
    CHECK(json["summary"]["unused"] == 1);
}
