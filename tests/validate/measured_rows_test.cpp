#include "warpline/validate/measured_rows.hpp"

#include "source_dir.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::string header =
    "gpu,kernel,direction,head_dim_qk,head_dim_v,batch,heads_q,heads_kv,seqlen_q,seqlen_kv,mask,"
    "window,dtype,deterministic,sm_clock_mhz,time_ms,tflops,mean_active_cycles\n";

MeasuredTable table_of(const std::string& rows) {
    return parse_measured(header + rows, "t.csv").value();
}

std::string reason_of(const std::string& row) {
    const MeasuredTable table = table_of(row + "\n");
    CHECK(table.rows.empty());
    REQUIRE(table.unusable.size() == 1);
    CHECK(table.unusable.front().where.line == 2);
    return table.unusable.front().reason;
}

}  // namespace

TEST_CASE("a full row is read into a problem") {
    const MeasuredTable table =
        table_of("b200,fa4,fwd,192,128,4,16,4,1024,2048,causal,512,fp16,no,1755.5,0.25,900,\n");
    REQUIRE(table.rows.size() == 1);
    const MeasuredRow& row = table.rows.front();
    CHECK(row.gpu == "b200");
    CHECK(row.kernel == "fa4");
    REQUIRE(row.clock);
    CHECK(*row.clock == ClockHz(1'755'500'000));
    CHECK(describe(row.problem) == "fwd fp16 b4 h16/4 s1024x2048 d192/128 window512");
    CHECK(row.time_ms == 0.25);
    CHECK(row.tflops == 900.0);
    CHECK_FALSE(row.mean_active_cycles);
}

TEST_CASE("each bad row is listed with its reason, and the others are kept") {
    const std::string good = "b200,fa4,fwd,128,128,4,16,16,1024,1024,full,,,,,1,,\n";
    const MeasuredTable table = table_of(good + "b200,fa4\n" + good);
    CHECK(table.rows.size() == 2);
    REQUIRE(table.unusable.size() == 1);
    CHECK(table.unusable.front().where.line == 3);
    CHECK(table.unusable.front().reason == "2 fields under a header of 18");
    CHECK(reason_of("b200,fa4,fwd,128,128,4,16,16,1024,1024,full,,,,,,,") ==
          "none of time_ms, tflops and mean_active_cycles is known");
    CHECK(reason_of("b200,fa4,fwd,128,128,4,16,16,1024,1024,full,,,,,nan,,") ==
          "time_ms is 'nan', not a positive number");
    CHECK(reason_of("b200,fa4,fwd,128,128,4,16,16,1024,1024,full,,,,,-1,,") ==
          "time_ms is '-1', not a positive number");
    CHECK(reason_of("b200,fa4,fwd,128,128,4,16,16,0,1024,full,,,,,1,,").find("seqlen_q is 0") == 0);
    CHECK(reason_of("b200,fa4,fwd,128,128,4,16,5,64,64,full,,,,,1,,").find("heads_kv (5)") == 0);
    CHECK(reason_of("b200,fa4,fwd,128,128,4x,16,16,64,64,full,,,,,1,,") ==
          "batch is '4x', not a whole number");
    CHECK(reason_of("b200,fa4,fwd,128,,4,16,16,64,64,full,,,,,1,,") == "head_dim_v is empty");
    CHECK(reason_of("b200,fa4,fwd,128,128,4,16,16,64,64,full,,mxfp4,,,1,,") ==
          "dtype 'mxfp4' is not modelled");
    CHECK(reason_of("b200,fa4,fwd,128,128,4,16,16,64,64,full,7,,,,1,,") ==
          "a window without a causal mask is not modelled");
    CHECK(reason_of("b200,,fwd,128,128,4,16,16,64,64,full,,,,,1,,") == "kernel is empty");
    CHECK(reason_of("b200,fa4,fwd,128,128,4,16,16,64,64,full,,,,0.001,1,,").find("sm_clock") == 0);
}

TEST_CASE("a damaged table keeps its good rows, whatever surrounds them") {
    const std::string good = "b200,fa4,fwd,128,128,4,16,16,1024,1024,full,,,,,0.25,,";
    const std::string text = "\xEF\xBB\xBF" + header + good + "\r\n" + good + "\"\n" +
                             "b200,fa4,fwd,128,128,4,16,16,1024,1024,full,,,,,350 us,,\n\n\"" +
                             good + "\n" +
                             " b200 ,fa4,fwd, 128 ,128,4,16,16,1024,1024,full,,,,,0.25,,\n";
    const MeasuredTable table = parse_measured(text, "t.csv").value();
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0].where.line == 2);
    CHECK(table.rows[1].where.line == 7);
    CHECK(table.rows[1].gpu == "b200");
    CHECK(table.rows[0].columns.front() == std::pair<std::string, std::string>("gpu", "b200"));
    REQUIRE(table.unusable.size() == 3);
    CHECK(table.unusable[0].where.line == 3);
    CHECK(table.unusable[1].where.line == 4);
    CHECK(table.unusable[1].reason ==
          "time_ms is '350 us', not a positive number: the column names the unit, not the field");
    CHECK(table.unusable[2].where.line == 6);
    const auto semicolons = parse_measured("gpu;kernel\nb200;fa4\n", "t.csv");
    REQUIRE_FALSE(semicolons);
    CHECK(semicolons.error().text().find("separated by commas") != std::string::npos);
}

TEST_CASE("every error of the header is reported at once") {
    const auto table = parse_measured("gpu,gpu,kernal\n", "t.csv");
    REQUIRE_FALSE(table);
    CHECK(table.error().kind == FailureKind::input);
    const auto& list = table.error().diagnostics;
    REQUIRE(list.size() == 2 + 10);
    CHECK(list[0].message == "column 'gpu' appears twice");
    CHECK(list[1].message == "unknown column 'kernal'");
    CHECK(list[1].hint == "did you mean 'kernel'?");
    CHECK(list[2].message == "column 'kernel' is missing");
    CHECK_FALSE(parse_measured("", "t.csv"));
    CHECK_FALSE(read_measured("/nonexistent/t.csv"));
}

TEST_CASE("a device is no table, however long it would go on") {
    const auto endless = read_measured("/dev/zero");
    REQUIRE_FALSE(endless);
    CHECK(endless.error().text().find("not a regular file") != std::string::npos);
}

TEST_CASE("every shipped table is read without an unusable row") {
    const std::filesystem::path folder =
        std::filesystem::path(source_dir()) / "validate" / "measured";
    int tables = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".csv") {
            continue;
        }
        const auto table = read_measured(entry.path());
        const std::string name = entry.path().filename().string();
        CAPTURE(name);
        REQUIRE(table);
        CHECK(table->unusable.empty());
        CHECK_FALSE(table->rows.empty());
        for (const MeasuredRow& row : table->rows) {
            CHECK_FALSE(row.source.empty());
        }
        ++tables;
    }
    CHECK(tables == 7);
}
