#include "warpline/validate/importers/imported_rows.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

MeasuredTable table_of(std::string_view text, const ImportOptions& options = {},
                       const std::string& file = "t.txt") {
    const auto table = parse_table(text, file, options);
    REQUIRE(table);
    return *table;
}

const ImportOptions on_b200 = {{{"gpu", "b200"}, {"heads_q", "16"}, {"heads_kv", "16"}}, ""};

}  // namespace

TEST_CASE("flash-attention's table gives a row for each backend that ran") {
    const std::string text =
        "Benchmarking FA4 fwd, hdim=128, seqlen_q=8192, seqlen_kv=8192, causal=False, nheads=32, "
        "nheads_kv=8\n"
        "\n=====\n  FWD (ms / TFLOPS / MFU% / TBs / BW%)\n=====\n"
        "     hdim causal batch seqlen      FA2     cuDNN       FA4\n-----\n"
        "      128  False     4   8192        \xE2\x80\x94  1.5/1466/65.2%/0.18/2.2%  1.45/1517\n"
        "  192-128   True     2  16384        2.5/900       \xE2\x80\x94       \xE2\x80\x94\n"
        "      128  False     4   8192  oops\n"
        "\n  BWD (ms / TFLOPS)\n"
        "     hdim causal batch seqlen_q seqlen_kv      FA4\n"
        "      128   True     4     1024      8192  fast/1\n";
    const MeasuredTable table = table_of(text, on_b200);
    REQUIRE(table.rows.size() == 3);
    CHECK(describe(table.rows[0].problem) == "fwd bf16 b4 h32/8 s8192 d128 full");
    CHECK(table.rows[0].kernel == "cudnn");
    CHECK(table.rows[0].time_ms == 1.5);
    CHECK(table.rows[1].kernel == "fa4");
    CHECK(table.rows[1].time_ms == 1.45);
    CHECK(table.rows[1].where.line == 8);
    CHECK(describe(table.rows[2].problem) == "fwd bf16 b2 h16 s16384 d192/128 causal");
    REQUIRE(table.unusable.size() == 2);
    CHECK(table.unusable[0].where.line == 10);
    CHECK(table.unusable[0].reason == "5 words under a header of 7");
    CHECK(table.unusable[1].reason == "time_ms is 'fast', not a positive number");
}

TEST_CASE("flash-attention's older lists are read under their headings") {
    const MeasuredTable table = table_of(
        "### headdim = 128, causal = True, seqlen = 4096, batch_size = 8 ###\r\n"
        "Fav2 fwd: 1.234ms, 400.1 TFLOPS\r\n"
        "Fav3 bwd: 2.5ms, 500.0 TFLOPS\r\n"
        "### causal=False, headdim=64, batch_size=32, seqlen=512 ###\r\n"
        "Flash2 fwd: 301.00 TFLOPs/s, bwd: 250.50 TFLOPs/s, fwd + bwd: 262.00 TFLOPs/s\r\n"
        "Pytorch fwd: 70.00 TFLOPs/s, bwd: 80.00 TFLOPs/s, fwd + bwd: 77.00 TFLOPs/s\r\n",
        on_b200);
    REQUIRE(table.rows.size() == 4);
    CHECK(table.rows[0].kernel == "fa2");
    CHECK(table.rows[0].time_ms == 1.234);
    CHECK(describe(table.rows[0].problem) == "fwd bf16 b8 h16 s4096 d128 causal");
    CHECK(table.rows[1].problem.direction == Direction::backward);
    CHECK(table.rows[2].tflops == 301.0);
    CHECK(table.rows[3].tflops == 250.5);
    CHECK(describe(table.rows[3].problem) == "bwd bf16 b32 h16 s512 d64 full");
    REQUIRE(table.unusable.size() == 2);
    CHECK(table.unusable[0].reason == "backend 'Pytorch' is no kernel family");
}

TEST_CASE("what a table cannot know is asked for") {
    const MeasuredTable table = table_of(
        "### headdim = 128, causal = True, seqlen = 4096, batch_size = 8 ###\n"
        "Fav2 fwd: 1.234ms, 400.1 TFLOPS\n");
    REQUIRE(table.unusable.size() == 1);
    CHECK(table.unusable[0].reason.find("--fill heads_q=VALUE") != std::string::npos);
}

TEST_CASE("Triton's report keeps its shape in the file's name and its unit in the column") {
    const MeasuredTable table = table_of(
        "N_CTX,Triton [FP16] (TFLOPS),Flash-2 (ms),cuDNN\n1024.000000,300.5,2.0,1\n2048,x,,\n",
        {{{"gpu", "h200"}}, ""}, "out/fused-attention-batch4-head32-d64-fwd-causal=True.csv");
    REQUIRE(table.rows.size() == 2);
    CHECK(describe(table.rows[0].problem) == "fwd bf16 b4 h32 s1024 d64 causal");
    CHECK(table.rows[0].kernel == "triton");
    CHECK(table.rows[0].tflops == 300.5);
    CHECK(table.rows[1].kernel == "fa2");
    CHECK(table.rows[1].time_ms == 2.0);
    REQUIRE(table.unusable.size() == 2);
    CHECK(table.unusable[0].reason.find("names no unit") != std::string::npos);
    CHECK(table.unusable[1].where.line == 3);
    CHECK(table.unusable[1].reason == "'x' is not a number");
}

namespace {

const ImportOptions one_problem = {{{"kernel", "fa4"},
                                    {"direction", "fwd"},
                                    {"head_dim_qk", "128"},
                                    {"head_dim_v", "128"},
                                    {"batch", "4"},
                                    {"heads_q", "16"},
                                    {"heads_kv", "16"},
                                    {"seqlen_q", "8192"},
                                    {"seqlen_kv", "8192"},
                                    {"mask", "full"}},
                                   "fmha"};

const std::string ncu_header =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Device\",\"Metric Name\",\"Metric Unit\",\"Metric "
    "Value\"\n";

std::string ncu_line(int id, const std::string& kernel, const std::string& metric,
                     const std::string& unit, const std::string& value) {
    return "\"" + std::to_string(id) + "\",\"77\",\"" + kernel + "\",\"0\",\"" + metric + "\",\"" +
           unit + "\",\"" + value + "\"\n";
}

}  // namespace

TEST_CASE("a profile's metrics are those of the map, in the unit they carry") {
    const std::string text =
        "==PROF== Connected to process 77\n" + ncu_header +
        ncu_line(0, "fmha_fwd", "device__attribute_display_name", "", "NVIDIA B200") +
        ncu_line(0, "fmha_fwd", "gpu__time_duration.sum", "us", "1,450.5") +
        ncu_line(0, "fmha_fwd", "sm__cycles_active.avg", "cycle", "2,654,156.25") +
        ncu_line(0, "fmha_fwd", "sm__cycles_active.max", "cycle", "9,999,999") +
        ncu_line(0, "fmha_fwd", "sm__cycles_elapsed.avg.per_second", "Ghz", "1.83") +
        ncu_line(0, "fmha_fwd", "sm__inst_executed_pipe_xu.avg", "inst", "743938") +
        ncu_line(1, "elementwise", "gpu__time_duration.sum", "us", "3") +
        ncu_line(2, "fmha_max", "sm__cycles_active.max", "cycle", "5") +
        ncu_line(3, "fmha_other", "device__attribute_display_name", "", "NVIDIA B2000") +
        ncu_line(4, "fmha_unit", "gpu__time_duration.sum", "cycle", "3");
    const MeasuredTable table = table_of(text, one_problem, "p.csv");
    REQUIRE(table.rows.size() == 1);
    const MeasuredRow& row = table.rows[0];
    CHECK(row.gpu == "b200");
    CHECK(*row.time_ms == doctest::Approx(1.4505));
    CHECK(*row.mean_active_cycles == 2654156.25);
    CHECK(*row.clock == ClockHz(1'830'000'000));
    CHECK(*row.xu_warp_instructions == 743938.0);
    CHECK(row.where.line == 3);
    REQUIRE(table.unusable.size() == 4);
    CHECK(table.unusable[0].reason.find("elementwise") != std::string::npos);
    CHECK(table.unusable[1].reason.find("no mean") != std::string::npos);
    CHECK(table.unusable[2].reason == "device 'NVIDIA B2000' is none that this version knows");
    CHECK(table.unusable[3].reason.find("unit 'cycle'") != std::string::npos);
}

TEST_CASE("pipe counters of a profile become the cycles of one pipe") {
    // An SM active for 1000 cycles whose four tensor pipes were busy for 600 of them, and both
    // halves of each of its FMA pipes for 250.
    const auto row_of = [](const std::string& metrics) {
        const MeasuredTable table = table_of(
            ncu_header + ncu_line(0, "fmha", "device__attribute_display_name", "", "NVIDIA H200") +
                ncu_line(0, "fmha", "sm__cycles_active.avg", "cycle", "1000") + metrics,
            one_problem, "p.csv");
        REQUIRE(table.rows.size() == 1);
        return table.rows[0];
    };
    const auto pipe = [](const std::string& metric, const std::string& unit,
                         const std::string& value) {
        return ncu_line(0, "fmha", metric, unit, value);
    };
    const MeasuredRow sums = row_of(pipe("sm__pipe_tensor_cycles_active.avg", "cycle", "2400") +
                                    pipe("sm__pipe_fma_cycles_active.avg", "cycle", "2000") +
                                    pipe("sm__inst_executed_pipe_xu.avg", "inst", "64"));
    CHECK(*sums.tensor_cycles == 600.0);
    CHECK(*sums.fma_cycles == 500.0);
    CHECK(*sums.xu_warp_instructions == 64.0);  // per SM in the table, too
    const MeasuredRow means = row_of(pipe("smsp__pipe_tensor_cycles_active.avg", "cycle", "600") +
                                     pipe("smsp__pipe_fma_cycles_active.avg", "cycle", "500"));
    CHECK(*means.tensor_cycles == 600.0);
    CHECK(*means.fma_cycles == 500.0);
    // Shares of the peak need no such knowledge and win, whatever comes first.
    const std::string of_peak = ".pct_of_peak_sustained_active";
    const MeasuredRow shares =
        row_of(pipe("sm__pipe_tensor_cycles_active.avg" + of_peak, "%", "60") +
               pipe("sm__pipe_tensor_cycles_active.avg", "cycle", "1") +
               pipe("sm__pipe_fma_cycles_active.avg" + of_peak, "%", "25"));
    CHECK(*shares.tensor_cycles == doctest::Approx(600.0));
    CHECK(*shares.fma_cycles == doctest::Approx(500.0));
    // A peak or a maximum over SMs is no mean.
    const MeasuredRow others =
        row_of(pipe("sm__pipe_tensor_cycles_active.max", "cycle", "2400") +
               pipe("sm__pipe_tensor_cycles_active.sum", "cycle", "2400") +
               pipe("sm__pipe_tensor_cycles_active.avg.peak_sustained", "", "4"));
    CHECK_FALSE(others.tensor_cycles);
}

TEST_CASE("a profile with a launch a line has its units in the second line") {
    const MeasuredTable table = table_of(
        "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"sm__cycles_active.avg\"\n"
        "\"\",\"\",\"ns\",\"cycle\"\n"
        "\"0\",\"fmha\",\"1500000\",\"2,000\"\n\"1\",\"fmha\"\n",
        {[] {
             auto fill = one_problem.fill;
             fill["gpu"] = "h200";
             return fill;
         }(),
         ""},
        "p.csv");
    REQUIRE(table.rows.size() == 1);
    CHECK(*table.rows[0].time_ms == doctest::Approx(1.5));
    CHECK(*table.rows[0].mean_active_cycles == 2000.0);
    REQUIRE(table.unusable.size() == 1);
    CHECK(table.unusable[0].where.line == 4);
}

TEST_CASE("a kernel summary gives the median, in the unit of its column") {
    const MeasuredTable table = table_of(
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),Name\n"
        "90.0,1000,10,1500000.0,1450000.0,1400000,2000000,\"fmha<128, true>\"\n"
        "5.0,1000,10,1.0,1.0,1,1,memset\n"
        "5.0,1000,10,x,x,x,x,fmha2\n",
        {[] {
             auto fill = one_problem.fill;
             fill["gpu"] = "h200";
             return fill;
         }(),
         "fmha"});
    REQUIRE(table.rows.size() == 1);
    CHECK(*table.rows[0].time_ms == doctest::Approx(1.45));
    CHECK(*table.rows[0].time_min_ms == doctest::Approx(1.4));
    REQUIRE(table.unusable.size() == 2);
    CHECK(table.unusable[0].reason == "not the kernel asked for: memset");
    CHECK(table.unusable[1].reason == "Med (ns) is 'x', not a number");
}

TEST_CASE("tables of measured rows are read as before") {
    CHECK(table_format("source,gpu,head_dim_qk\n") == TableFormat::measured_rows);
    CHECK(table_format("nonsense") == TableFormat::measured_rows);
    CHECK_FALSE(parse_table("nonsense\n", "t.csv"));
}
