#include "warpline/validate/golden.hpp"

#include "source_dir.hpp"
#include "warpline/validate/csv.hpp"

#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::filesystem::path root = source_dir();

MeasuredTable shipped_rows() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(root / "validate" / "measured")) {
        if (entry.path().extension() == ".csv") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    MeasuredTable all;
    for (const auto& file : files) {
        const auto table = read_measured(file);
        REQUIRE(table);
        all.rows.insert(all.rows.end(), table->rows.begin(), table->rows.end());
    }
    return all;
}

Comparison of(double time_ms, int line) {
    Comparison comparison;
    ComparedRow row;
    row.row.where = {"a/rows.csv", line, 0};
    row.kernel = "k";
    row.clock.hz = ClockHz(1'000'000'000);
    row.predicted_ms = time_ms;
    row.predicted_cycles = 1e6 * time_ms;
    comparison.rows.push_back(row);
    return comparison;
}

}  // namespace

TEST_CASE("predictions of the shipped rows are those of the golden table") {
    const auto golden = read_table_text(root / "tests" / "validate" / "golden.csv");
    REQUIRE(golden);
    const auto comparison = compare(root, golden_rows(shipped_rows()));
    REQUIRE(comparison);
    const auto departures = golden_departures(*golden, *comparison);
    REQUIRE(departures);
    for (const std::string& departure : *departures) {
        FAIL_CHECK(departure);
    }
    if (!departures->empty()) {
        MESSAGE(
            "When this is meant: ./warpline compare validate/measured/*.csv --golden "
            "tests/validate/golden.csv, and say why in the commit.");
    }
    const auto missing = missing_from_golden(*golden, *comparison);
    REQUIRE(missing);
    for (const std::string& row : *missing) {
        MESSAGE("not in the golden table yet: ", row);
    }
}

TEST_CASE("a golden table knows what moved, what left and what is new") {
    const std::string golden = golden_table(of(2.0, 7));
    CHECK(golden_departures(golden, of(2.0, 7))->empty());
    CHECK(golden_departures(golden, of(2.009, 7))->empty());
    CHECK(golden_departures(golden, of(2.011, 7))->size() == 1);
    CHECK(golden_departures(golden, of(1.989, 7))->size() == 1);
    CHECK(golden_departures(golden, of(2.0, 8))->front().find("not predicted any more") !=
          std::string::npos);
    CHECK(missing_from_golden(golden, of(2.0, 8))->size() == 1);
    CHECK(missing_from_golden(golden, of(2.0, 7))->empty());
    CHECK_FALSE(golden_departures(golden + "nonsense\n", of(2.0, 7)));
}

TEST_CASE("golden rows are the ends of each group") {
    MeasuredTable table;
    for (const std::int64_t length : {4096, 1024, 2048}) {
        MeasuredRow row;
        row.gpu = "b200";
        row.kernel = "fa4";
        row.time_ms = 1.0;
        row.problem.seqlen_q = row.problem.seqlen_kv = length;
        table.rows.push_back(row);
    }
    const MeasuredTable ends = golden_rows(table);
    REQUIRE(ends.rows.size() == 2);
    CHECK(ends.rows[0].problem.seqlen_kv == 1024);
    CHECK(ends.rows[1].problem.seqlen_kv == 4096);
}
