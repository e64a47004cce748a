#include "warpline/reports/comparison_report.hpp"

#include <algorithm>
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
    timed.clock_source = ClockSource::measured;
    timed.measured_ms = 2.0;
    timed.predicted_ms = 2.25;
    timed.error = 0.125;
    timed.bound_by = "tensor core";
    ComparedRow counted = timed;
    counted.by_time = false;
    counted.clock_source = ClockSource::assumed;
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

TEST_CASE("a comparison shows every row, its groups and what was left out") {
    const std::string text = comparison_text(example());
    for (const char* part :
         {"+12.5 %", "-5.0 %", "2.25", "950,000", "192:128", "8.8 %", "1 rows not used",
          "rows.csv:4 b200 cudnn: no pipeline", "* the clock was not measured"}) {
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
