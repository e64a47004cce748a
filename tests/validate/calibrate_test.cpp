#include "warpline/validate/calibrate.hpp"

#include "hardware/spec_folder.hpp"
#include "source_dir.hpp"
#include "warpline/reports/calibration_report.hpp"

#include <fstream>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

MeasuredRow row_of(const std::string& kernel, std::int64_t length, MaskKind mask) {
    MeasuredRow row;
    row.where.file = "made.csv";
    row.gpu = "b200";
    row.kernel = kernel;
    row.clock = ClockHz(1'700'000'000);
    row.problem.batch = 2;
    row.problem.heads_q = row.problem.heads_kv = 16;
    row.problem.head_dim_qk = row.problem.head_dim_v = 128;
    row.problem.seqlen_q = row.problem.seqlen_kv = length;
    row.problem.mask.kind = mask;
    return row;
}

/// Times that the model itself gives with some constants changed.
MeasuredTable made_rows(const std::vector<ConstantOverride>& changes, bool clocks = true) {
    MeasuredTable table;
    for (const std::int64_t length : {256, 512, 1024, 2048}) {
        for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
            table.rows.push_back(row_of("fa4_fwd", length, mask));
            table.rows.back().time_ms = 1.0;
        }
    }
    CompareOptions options;
    options.constants = changes;
    const auto truth = compare(source_dir(), table, options);
    REQUIRE(truth);
    REQUIRE(truth->rows.size() == table.rows.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        table.rows[i].time_ms = truth->rows[i].predicted_ms;
        if (!clocks) {
            table.rows[i].clock.reset();
        }
    }
    return table;
}

CalibrateOptions fitting(std::vector<std::string> names) {
    CalibrateOptions options;
    options.constants = std::move(names);
    return options;
}

void check_refused(const MeasuredTable& table, const CalibrateOptions& options, FailureKind kind,
                   const std::string& part) {
    const auto result = calibrate(source_dir(), table, options);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == kind);
    INFO(result.error().text());
    CHECK(result.error().text().find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("constants that were changed are found again, and the overlay says what was found") {
    const MeasuredTable table =
        made_rows({{"tmem.load_latency", "150 clk"}, {"sync.cta_start", "900 clk"}});
    const auto result =
        calibrate(source_dir(), table, fitting({"tmem.load_latency", "sync.cta_start"}));
    REQUIRE(result);
    REQUIRE(result->succeeded());
    REQUIRE(result->constants.size() == 2);
    const CalibratedConstant& load = result->constants[0];
    CHECK(load.fitted == doctest::Approx(150.0).epsilon(0.03));
    CHECK(load.low <= 150.0);
    CHECK(load.high >= 150.0);
    CHECK(result->constants[1].fitted == doctest::Approx(900.0).epsilon(0.05));
    CHECK(result->fitted.before.mean_absolute > 0.005);
    CHECK(result->fitted.after.mean_absolute < 0.1 * result->fitted.before.mean_absolute);
    // Lengths that took no part agree as well: the model made them.
    CHECK(result->held_out.after.rows == 4);
    CHECK(result->held_out.after.mean_absolute < 0.25 * result->held_out.before.mean_absolute);
    CHECK(result->files == std::vector<std::string>{"made.csv"});

    const test::SpecFolder folder;
    folder.write("found.yaml", calibration_overlay(*result));
    const auto spec = load_gpu_spec(folder.root(), "found");
    if (!spec) {
        FAIL(spec.error().text());
    }
    const Constant& loaded = spec->constants.at("tmem.load_latency");
    CHECK(loaded.value == load.fitted);
    CHECK(*loaded.low <= load.fitted);
    CHECK(loaded.confidence == Confidence::f);
    CHECK(loaded.source.find("4 calibration rows of made.csv") != std::string::npos);
    CHECK(spec->constants.at("sync.cta_start").value == result->constants[1].fitted);
    CHECK(spec->sm_count == load_gpu_spec(folder.root(), "b200")->sm_count);
}

TEST_CASE("an overlay can state fields of instructions") {
    Calibration calibration;
    calibration.gpu = "b200";
    calibration.title = "B200: \"measured\"";
    calibration.settled = true;
    const auto b200 = load_gpu_spec(source_dir(), "b200");
    REQUIRE(b200);
    CalibratedConstant fitted;
    fitted.stated = b200->constants.at("f2fp.rate");
    fitted.fitted = 24.5;
    fitted.text = "24.5 /clk";
    fitted.low = 20.0;
    fitted.high = 29.0;
    calibration.constants = {fitted};
    const test::SpecFolder folder;
    folder.write("found.yaml", calibration_overlay(calibration));
    const auto spec = load_gpu_spec(folder.root(), "found");
    if (!spec) {
        FAIL(spec.error().text());
    }
    CHECK(spec->constants.at("f2fp.rate").value == 24.5);
    CHECK(*spec->constants.at("f2fp.rate").high == 29.0);
    CHECK(spec->constants.at("f2fp.latency").value == b200->constants.at("f2fp.latency").value);
}

TEST_CASE("clocks that rows do not state are fitted with the constants") {
    const MeasuredTable table = made_rows({{"sync.cta_start", "900 clk"}}, false);
    const auto result = calibrate(source_dir(), table, fitting({"sync.cta_start"}));
    REQUIRE(result);
    CHECK(result->succeeded());
    CHECK(result->constants[0].fitted == doctest::Approx(900.0).epsilon(0.1));
    REQUIRE(result->clocks.size() == 2);
    for (const CalibratedClock& clock : result->clocks) {
        CHECK(clock.after.wanted_mhz == doctest::Approx(1700.0).epsilon(0.005));
        CHECK(clock.file == "made.csv");
    }
}

TEST_CASE("a constant that only its bound stops is a failure, told in the table") {
    // Truth lies beyond the range, which ends at 200 clk.
    const MeasuredTable table = made_rows({{"tmem.load_latency", "260 clk"}});
    const auto result = calibrate(source_dir(), table, fitting({"tmem.load_latency"}));
    REQUIRE(result);
    CHECK_FALSE(result->succeeded());
    CHECK(result->constants[0].rests_on == RangeEnd::high);
    CHECK(result->constants[0].fitted == 200.0);
    const std::string text = calibration_text(*result);
    CHECK(text.find("rests on the high end") != std::string::npos);
    CHECK(text.find("The calibration failed") != std::string::npos);
}

TEST_CASE("what cannot be fitted is refused by name") {
    const MeasuredTable table = made_rows({});
    check_refused(table, fitting({}), FailureKind::usage, "no constant");
    check_refused(table, fitting({"tmem.load_latencies"}), FailureKind::usage,
                  "did you mean tmem.load_latency?");
    check_refused(table, fitting({"smem.width"}), FailureKind::usage,
                  "smem.width states no interval");
    check_refused(table, fitting({"tensor.queue_depth"}), FailureKind::usage,
                  "tensor.queue_depth is not a continuous quantity");
    check_refused(table, fitting({"clock.sustained"}), FailureKind::usage,
                  "clock.sustained is not");
    check_refused(table, fitting({"f2fp", "f2fp.rate"}), FailureKind::usage, "named twice");
    // Instructions of another kernel, and of another generation.
    check_refused(table, fitting({"tmem.load_latency", "mma.mma_sync.base_latency"}),
                  FailureKind::infeasible, "no row sees mma.mma_sync.base_latency");
}

TEST_CASE("rows decide what can be fitted") {
    MeasuredTable table = made_rows({});
    table.rows.push_back(row_of("fa2_fwd", 2048, MaskKind::full));
    table.rows.back().gpu = "h100_sxm";
    table.rows.back().time_ms = 1.0;
    check_refused(table, fitting({"tmem.load_latency"}), FailureKind::usage, "b200, h100_sxm");
    CalibrateOptions other = fitting({"sync.cta_start"});
    other.gpu = "h100_sxm";
    check_refused(table, other, FailureKind::input, "too few");
    other.side = Split::test;
    check_refused(table, other, FailureKind::input, "no test row");
}
