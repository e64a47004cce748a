#include "warpline/validate/compare.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

MeasuredRow row_at(int line, double time_ms, std::int64_t head_dim = 128) {
    MeasuredRow row;
    row.where.line = line;
    row.gpu = "b200";
    row.kernel = "fa4";
    row.problem.seqlen_q = row.problem.seqlen_kv = 1024;
    row.problem.head_dim_qk = row.problem.head_dim_v = head_dim;
    row.time_ms = time_ms;
    return row;
}

/// Predicts 2 ms and 1000 active cycles for everything.
Result<RowPrediction> two_milliseconds(const MeasuredRow& row) {
    RowPrediction answer;
    answer.kernel = "fa4_fwd";
    answer.prediction.seconds = 2e-3;
    answer.prediction.tflops = counted_flops(row.problem) / 2e-3 / 1e12;
    answer.prediction.waves.mean_active_cycles = 1000;
    for (const auto& [unit, work] :
         {std::pair{Unit::tensor, 300.0}, {Unit::fma, 400.0}, {Unit::xu, 800.0}}) {
        UnitReport report;
        report.unit = unit;
        report.work_per_sm = work;
        answer.prediction.units.push_back(report);
    }
    InstructionKind ex2;
    ex2.unit = Unit::xu;
    ex2.interval = ticks_from_cycles(8);
    answer.prediction.plan.instructions = {ex2};
    return answer;
}

}  // namespace

TEST_CASE("errors are of durations, whatever was measured") {
    MeasuredTable table;
    table.rows = {row_at(2, 2.5), row_at(3, 1.6), row_at(4, 2.0, 64)};
    table.rows[1].time_ms.reset();
    table.rows[1].tflops = counted_flops(table.rows[1].problem) / 1.6e-3 / 1e12;
    table.rows[2].time_ms.reset();
    table.rows[2].mean_active_cycles = 800;
    table.rows[2].clock = ClockHz(1'000'000'000);
    const auto result = compare_rows(table, two_milliseconds);
    REQUIRE(result);
    REQUIRE(result->rows.size() == 3);
    CHECK(result->rows[0].error == doctest::Approx(-0.2));
    CHECK(result->rows[1].error == doctest::Approx(0.25));
    CHECK(result->rows[1].measured_ms == doctest::Approx(1.6));
    CHECK(result->rows[2].error == doctest::Approx(0.25));
    CHECK_FALSE(result->rows[2].by_time);
    CHECK(result->rows[2].clock_source == ClockSource::measured);
    CHECK(result->rows[0].clock_source == ClockSource::assumed);
    REQUIRE(result->groups.size() == 2);
    CHECK(result->groups[0].rows == 2);
    CHECK(result->groups[0].head_dim_qk == 128);
    CHECK(result->groups[0].mean_absolute == doctest::Approx(0.225));
    CHECK(result->groups[0].max_absolute == doctest::Approx(0.25));
    CHECK(result->groups[0].bias == doctest::Approx(0.025));
    CHECK(result->groups[1].bias == doctest::Approx(0.25));
    CHECK(result->overall.rows == 3);
    CHECK(result->overall.bias == doctest::Approx(0.1));
}

TEST_CASE("a time wins over a rate") {
    MeasuredTable table;
    table.rows = {row_at(2, 1.0)};
    table.rows[0].tflops = 1.0;
    CHECK(compare_rows(table, two_milliseconds)->rows[0].error == doctest::Approx(1.0));
}

TEST_CASE("work counters are compared per SM") {
    MeasuredTable table;
    table.rows = {row_at(2, 1.0)};
    table.rows[0].tensor_cycles = 310;
    table.rows[0].fma_cycles = 190;
    table.rows[0].xu_warp_instructions = 99;
    const auto result = compare_rows(table, two_milliseconds);
    REQUIRE(result);
    const auto& counters = result->rows[0].counters;
    REQUIRE(counters.size() == 3);
    CHECK(counters[0].predicted == 300);
    CHECK(counters[1].predicted == 2 * 400 / 4.0);
    CHECK(counters[2].name == "xu_warp_instructions");
    CHECK(counters[2].measured == 99);
    CHECK(counters[2].predicted == 100);
}

TEST_CASE("rows that cannot be predicted are listed in order, and none left is an error") {
    MeasuredTable table;
    table.rows = {row_at(2, 1.0), row_at(4, 1.0)};
    table.unusable = {{{"t.csv", 3, 0}, "fa4 on b200", "batch is empty", {}}};
    const auto some = compare_rows(table, [](const MeasuredRow& row) -> Result<RowPrediction> {
        if (row.where.line == 2) {
            return fail(FailureKind::infeasible, "over budget");
        }
        return two_milliseconds(row);
    });
    REQUIRE(some);
    CHECK(some->rows.size() == 1);
    REQUIRE(some->unusable.size() == 2);
    CHECK(some->unusable[0].reason == "over budget");
    CHECK(some->unusable[1].reason == "batch is empty");
    const auto none = compare_rows(table, [](const MeasuredRow&) -> Result<RowPrediction> {
        return fail(FailureKind::infeasible, "over budget");
    });
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == FailureKind::input);
    CHECK(none.error().diagnostics.size() == 3);  // equal reasons are told once
}
