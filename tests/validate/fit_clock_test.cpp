#include "warpline/validate/fit_clock.hpp"

#include "warpline/validate/compare.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

constexpr ClockRange range = {1000.0, 2000.0};

/// A kernel of `cycles` behind 0.01 ms of launch, predicted at the row's clock or 1 GHz.
Result<RowPrediction> clocked(const MeasuredRow& row) {
    const double cycles = 1e3 * static_cast<double>(row.problem.seqlen_kv);
    RowPrediction answer;
    answer.kernel = "fa4_fwd";
    answer.prediction.clock.hz = row.clock.value_or(ClockHz(1'000'000'000));
    answer.prediction.makespan_cycles = cycles;
    answer.prediction.waves.mean_active_cycles = cycles;
    answer.prediction.seconds =
        1e-5 + cycles / boost::rational_cast<double>(answer.prediction.clock.hz);
    answer.clock_range = range;
    answer.peak_flops_per_cycle = 1e6;
    return answer;
}

MeasuredRow row_at(int line, std::int64_t length, double megahertz, double factor = 1.0) {
    MeasuredRow row;
    row.where = {"t.csv", line, 0};
    row.gpu = "b200";
    row.kernel = "fa4";
    row.problem.seqlen_q = row.problem.seqlen_kv = length;
    row.time_ms = factor * (0.01 + static_cast<double>(length) / megahertz);
    return row;
}

}  // namespace

TEST_CASE("a fitted clock is the least-squares one, inside its range") {
    const std::vector<ClockedTime> times = {{1.01, 0.01, 1.5e6}, {2.01, 0.01, 3e6}};
    const auto fit = fit_clock(times, range);
    REQUIRE(fit);
    CHECK(fit->wanted_mhz == doctest::Approx(1500.0));
    CHECK(fit->clock == ClockHz(1'500'000'000));
    CHECK_FALSE(fit->at_bound);
    const auto squares = [](const std::vector<ClockedTime>& all, double megahertz) {
        double sum = 0.0;
        for (const ClockedTime& time : all) {
            sum += std::pow(time.at(megahertz) / time.measured_ms - 1.0, 2);
        }
        return sum;
    };
    const std::vector<ClockedTime> noisy = {{1.0, 0.02, 1.4e6}, {2.1, 0.02, 3e6}, {0.5, 0.4, 2e5}};
    const double best = fit_clock(noisy, range)->wanted_mhz;
    CHECK(squares(noisy, best) < squares(noisy, best * 1.001));
    CHECK(squares(noisy, best) < squares(noisy, best / 1.001));
    const auto fast = fit_clock({{0.5, 0.0, 1.5e6}}, range);
    CHECK(fast->at_bound);
    CHECK(fast->wanted_mhz == doctest::Approx(3000.0));
    CHECK(fast->clock == ClockHz(2'000'000'000));
    CHECK_FALSE(fit_clock({{1.0, 1.0, 0.0}}, range));  // nothing depends on the clock
    CHECK_FALSE(fit_clock({}, range));
}

TEST_CASE("rows of one file share a fitted clock, and rows with a clock keep theirs") {
    MeasuredTable table;
    table.rows = {row_at(2, 1024, 1500), row_at(3, 4096, 1500), row_at(4, 2048, 1200),
                  row_at(5, 2048, 1250)};
    table.rows[2].clock = ClockHz(1'250'000'000);
    table.rows[3].problem.mask.kind = MaskKind::causal;
    RowOptions options;
    options.fit_clock = true;
    const auto result = compare_rows(table, clocked, options);
    REQUIRE(result);
    const auto& rows = result->rows;
    CHECK(rows[0].clock_source == ClockSource::fitted);
    CHECK(rows[0].error == doctest::Approx(0.0));
    CHECK(rows[1].error == doctest::Approx(0.0));
    CHECK(boost::rational_cast<double>(rows[0].clock.hz) == doctest::Approx(1.5e9));
    CHECK(rows[2].clock_source == ClockSource::measured);
    CHECK(rows[2].error == doctest::Approx((0.01 + 2048 / 1250.0) / (0.01 + 2048 / 1200.0) - 1.0));
    CHECK(boost::rational_cast<double>(rows[3].clock.hz) == doctest::Approx(1.25e9));
    CHECK(*rows[0].held_out_error == doctest::Approx(0.0));
    CHECK_FALSE(rows[3].held_out_error);  // the only length of its group
    REQUIRE(result->files.size() == 3);   // full, causal, all masks
    CHECK(result->files[0].errors.rows == 3);
    CHECK(result->files[0].clock->wanted_mhz == doctest::Approx(1500.0));
    CHECK_FALSE(result->files[2].mask);
    CHECK(result->files[2].errors.rows == 4);
}

TEST_CASE("clocks that the power limit leaves keep their distances in a fit") {
    // Short rows keep 2 GHz of 2 GHz, long ones 1.6: measured are 0.9 of either.
    const auto held = [](const MeasuredRow& row) {
        MeasuredRow known = row;
        const bool is_free = !row.clock;
        if (is_free) {
            known.clock = ClockHz(row.problem.seqlen_kv > 3000 ? 1'600'000'000 : 2'000'000'000);
        }
        auto answer = clocked(known);
        if (is_free) {
            answer->prediction.power.emplace();
        }
        return answer;
    };
    MeasuredTable table;
    table.rows = {row_at(2, 1024, 1800), row_at(3, 2048, 1800), row_at(4, 4096, 1440),
                  row_at(5, 8192, 1440)};
    table.rows[3].clock_evidence = "stated in a caption that gives no number";
    RowOptions options;
    options.fit_clock = true;
    const auto result = compare_rows(table, held, options);
    REQUIRE(result);
    for (const ComparedRow& row : result->rows) {
        CAPTURE(row.row.where.line);
        CHECK(row.error == doctest::Approx(0.0));
        CHECK(*row.held_out_error == doctest::Approx(0.0));
        CHECK(row.clock_source == ClockSource::fitted);
        CHECK_FALSE(row.row.clock);
    }
    const auto megahertz = [&](std::size_t i) {
        return boost::rational_cast<double>(result->rows[i].clock.hz) / 1e6;
    };
    CHECK(megahertz(0) == doctest::Approx(1800.0));
    CHECK(megahertz(2) == doctest::Approx(1440.0));
    CHECK(result->files[0].clock->wanted_mhz == doctest::Approx(1620.0));  // their mean
    CHECK_FALSE(result->files[0].clock->at_bound);

    // No row may leave the range, whatever the mean says: 2.1 GHz of 2.
    for (MeasuredRow& row : table.rows) {
        *row.time_ms *= 1800.0 / 2100.0;
    }
    const auto fast = compare_rows(table, held, options);
    REQUIRE(fast);
    CHECK(fast->files[0].clock->at_bound);
    CHECK(fast->rows[0].clock_at_bound);
    CHECK(boost::rational_cast<double>(fast->rows[0].clock.hz) == doctest::Approx(2e9));
}

TEST_CASE("a clock that wants to leave its range is marked, not hidden") {
    MeasuredTable table;
    table.rows = {row_at(2, 1024, 2500), row_at(3, 4096, 2500)};
    RowOptions options;
    options.fit_clock = true;
    const auto result = compare_rows(table, clocked, options);
    REQUIRE(result);
    CHECK(result->rows[0].clock_at_bound);
    CHECK(result->rows[0].error > 0.2);
    CHECK(result->files[0].clock->at_bound);
    CHECK(result->files[0].clock->wanted_mhz == doctest::Approx(2500.0));
}

TEST_CASE("the best of several runs is compared, the others are listed") {
    MeasuredTable table;
    table.rows = {row_at(2, 1024, 1500, 1.1), row_at(3, 1024, 1500), row_at(4, 4096, 1500)};
    RowOptions options;
    options.best_run = true;
    const auto result = compare_rows(table, clocked, options);
    REQUIRE(result);
    CHECK(result->rows.size() == 2);
    CHECK(result->rows[0].row.where.line == 3);
    REQUIRE(result->unusable.size() == 1);
    CHECK(result->unusable[0].where.line == 2);
    options.split = Split::calibration;
    CHECK_FALSE(compare_rows(table, clocked, options));  // 1024 and 4096 are test rows
}

TEST_CASE("selection compares what the model picks with the best measured") {
    MeasuredTable table;
    table.rows = {row_at(2, 1024, 1000), row_at(3, 1024, 1000, 0.8), row_at(4, 2048, 1000)};
    table.rows[1].kernel = "fa3";
    const auto predictor = [](const MeasuredRow& row) {
        auto answer = clocked(row);
        answer->prediction.seconds *= row.kernel == "fa3" ? 2.0 : 1.0;
        return answer;
    };
    const auto result = compare_rows(table, predictor);
    REQUIRE(result);
    CHECK(result->selection.problems == 1);
    CHECK(result->selection.mean == doctest::Approx(0.8));
    CHECK(result->selection.worst == doctest::Approx(0.8));
}
