#include "warpline/hardware/load_gpu_spec.hpp"

#include "source_dir.hpp"
#include "spec_folder.hpp"
#include "warpline/hardware/assumed_constant.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using warpline::test::SpecFolder;

namespace {

const std::filesystem::path data_dir = source_dir();

GpuSpec b200(const std::vector<ConstantOverride>& overrides = {}) {
    auto spec = load_gpu_spec(data_dir, "b200", overrides);
    REQUIRE(spec.has_value());
    return *spec;
}

}  // namespace

TEST_CASE("a constant reaches its typed place, with its evidence beside it") {
    const GpuSpec spec = b200();
    CHECK(spec.id == "b200");
    CHECK(spec.arch == "sm_100");
    CHECK(spec.sm_count == 148);
    CHECK(spec.smem_bytes_per_clk == 128);
    CHECK(spec.smem_quantum == ticks_from_cycles(16));
    CHECK_FALSE(spec.tma.fill_shares_port);
    CHECK(spec.tensor_scope == UnitScope::sm);
    CHECK(spec.arbitration == Arbitration::round_robin);
    CHECK(spec.limits.smem_per_cta == 232448);
    CHECK(spec.memory.l2_bytes == 132644864);
    CHECK(spec.memory.hbm_bytes_per_second == doctest::Approx(7.26e12));
    CHECK(spec.clocks.sustained == ClockHz(1'710'000'000));
    CHECK(spec.clocks.sustained_low == ClockHz(1'390'000'000));
    CHECK(spec.clocks.sustained_high == ClockHz(1'965'000'000));
    CHECK(spec.launch.kernel_seconds == doctest::Approx(2.2e-6));
    CHECK(spec.has("tcgen05"));
    CHECK_FALSE(spec.has("fast_ex2"));

    const Constant& ex2 = spec.constants.at("mufu.ex2.rate");
    CHECK(ex2.text == "16 /clk");
    CHECK(ex2.value == 16);
    CHECK(ex2.unit == "/clk");
    CHECK(ex2.confidence == Confidence::a);
    CHECK_FALSE(ex2.source.empty());
    CHECK_FALSE(ex2.meaning.empty());
    CHECK(ex2.where.line > 0);
    CHECK(ex2.where.file.find("sm_100.yaml") != std::string::npos);
    CHECK(*spec.constants.at("tmem.load_width").high == 128);
    CHECK(spec.constants.at("sync.mbarrier_wait").where.file.find("sm_100") != std::string::npos);
}

TEST_CASE("an instruction keeps its slice for 32 lanes over its share of the rate") {
    const GpuSpec spec = b200();
    const auto cycles = [&](const char* name) {
        return cycles_from_ticks(spec.instructions.at(name).interval);
    };
    CHECK(cycles("ffma") == 1);
    CHECK(cycles("ffma2") == 2);
    CHECK(cycles("mufu.ex2") == 8);
    CHECK(cycles("f2fp") == 4);
    CHECK(cycles("lds.128") == 4);
    CHECK(spec.instructions.at("lds.128").smem_bytes == 512);
    CHECK(spec.instructions.at("mufu.ex2").latency == ticks_from_cycles(17));
    CHECK(spec.instructions.at("mufu.ex2").unit == Unit::xu);
    CHECK(spec.instructions.at("f2fp").unit == Unit::alu);
    CHECK(spec.instructions.at("ffma").issue_slots == 1);
}

TEST_CASE("a child changes what it states and keeps the rest") {
    const GpuSpec b300 = load_gpu_spec(data_dir, "b300").value();
    CHECK(b300.arch == "sm_103");
    CHECK(b300.has("fast_ex2"));
    CHECK(cycles_from_ticks(b300.instructions.at("mufu.ex2").interval) == 4);
    CHECK(b300.instructions.at("mufu.ex2").latency == ticks_from_cycles(17));
    CHECK(b300.instructions.at("mufu.ex2").unit == Unit::xu);
    CHECK(cycles_from_ticks(b300.instructions.at("mufu.rcp").interval) == 8);
    CHECK(b300.gpc_sms.size() == 10);
    CHECK(load_gpu_spec(data_dir, "gb300").value().gpc_sms.empty());

    const SpecFolder folder;
    folder.write_child("mine",
                       "constants:\n  sm_count: {value: 100 SMs, source: me, confidence: D}\n");
    const GpuSpec mine = load_gpu_spec(folder.root(), "mine").value();
    CHECK(mine.sm_count == 100);
    CHECK(mine.title == "test");
    CHECK(mine.id == "mine");
    CHECK(mine.smem_bytes_per_clk == 128);
    REQUIRE(mine.warnings.size() == 1);  // 100 SMs no longer give the datasheet's figure
    CHECK(mine.warnings[0].text().find("datasheet") != std::string::npos);

    // By path, and with a parent beside it.
    folder.write("own.yaml", "schema: warpline-hardware/1\ntitle: t\ninherits: mine.yaml\n");
    CHECK(load_gpu_spec(folder.root(), (folder.root() / "hw_specs/own.yaml").string())->sm_count ==
          100);
}

TEST_CASE("an override replaces one constant and says so") {
    const GpuSpec spec = b200({{"mufu.ex2", "32/clk"},
                               {"smem.fill_shares_port", "false"},
                               {"mufu.ex2.latency", "20 clk"}});
    CHECK(cycles_from_ticks(spec.instructions.at("mufu.ex2").interval) == 4);
    CHECK(spec.instructions.at("mufu.ex2").latency == ticks_from_cycles(20));
    CHECK_FALSE(spec.tma.fill_shares_port);
    CHECK(spec.constants.at("mufu.ex2.rate").where.file == "--set");
    CHECK(spec.constants.at("mufu.ex2.rate").text == "32/clk");
    CHECK_FALSE(spec.constants.at("mufu.ex2.rate").low.has_value());

    const auto wrong = load_gpu_spec(
        data_dir, "b200", {{"mufu.ex", "32/clk"}, {"smem.width", "128"}, {"sm_count", "0 SM"}});
    REQUIRE_FALSE(wrong.has_value());
    CHECK(wrong.error().kind == FailureKind::usage);
    CHECK(wrong.error().diagnostics.size() == 3);
    CHECK(wrong.error().text().find("unknown constant 'mufu.ex'") != std::string::npos);
    CHECK(wrong.error().text().find("smem.width: '128' lacks a unit") != std::string::npos);
    CHECK_FALSE(load_gpu_spec(data_dir, "h100_sxm", {{"tmem.columns", "512 columns"}}).has_value());
}

TEST_CASE("the hash follows values, not wording") {
    const std::string plain = b200().hash;
    CHECK(plain.size() == 16);
    CHECK(plain == b200().hash);
    CHECK(plain == b200({{"mufu.ex2", "16/clk"}}).hash);
    CHECK(plain == b200({{"clock.boost", "1.965 GHz"}}).hash);
    CHECK(plain != b200({{"mufu.ex2", "17/clk"}}).hash);
    CHECK(plain != b200({{"smem.fill_shares_port", "true"}}).hash);
}

TEST_CASE("an unknown GPU is a usage error that names the nearest") {
    const auto unknown = load_gpu_spec(data_dir, "b2000");
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().kind == FailureKind::usage);
    CHECK(unknown.error().text().find("did you mean 'b200'?") != std::string::npos);
    CHECK_FALSE(load_gpu_spec(data_dir, "sm_100").has_value());
    CHECK_FALSE(load_gpu_spec(data_dir, "").has_value());
    CHECK_FALSE(load_gpu_spec(data_dir, "../hw_specs/b200").has_value());
    CHECK_FALSE(load_gpu_spec("/no/such/folder", "b200").has_value());
    CHECK(load_gpu_spec(data_dir, "/no/such.yaml").error().kind == FailureKind::input);
    CHECK(list_gpu_specs("/no/such/folder").empty());
}

TEST_CASE("an unknown constant is marked, and the model uses what is assumed") {
    const SpecFolder folder;
    folder.write_child("part",
                       "constants:\n"
                       "  sm_count: {value: unknown, assumed: 140 SM, interval: 130 .. 148 SM, "
                       "source: s, confidence: D, others: 144 in a wiki}\n");
    const auto spec = load_gpu_spec(folder.root(), "part");
    REQUIRE(spec.has_value());
    CHECK(spec->sm_count == 140);
    const Constant& count = spec->constants.at("sm_count");
    CHECK(is_unknown(count));
    CHECK(count.text == "unknown: 140 SM assumed");
    CHECK(count.note == "other sources: 144 in a wiki");
    CHECK(*count.low == 130);
    CHECK_FALSE(is_unknown(spec->constants.at("smem.width")));
    // What the user sets is known.
    const auto set = load_gpu_spec(folder.root(), "part", {{"sm_count", "144 SM"}});
    REQUIRE(set.has_value());
    CHECK(set->sm_count == 144);
    CHECK_FALSE(is_unknown(set->constants.at("sm_count")));
}

TEST_CASE("unknown without an assumption, and an assumption beside a value, are refused") {
    const SpecFolder folder;
    folder.write_child("bare",
                       "constants:\n"
                       "  sm_count: {value: unknown, source: s, confidence: D}\n"
                       "  smem.width: {value: 128 B/clk, assumed: 64 B/clk, source: s, "
                       "confidence: D}\n");
    const auto spec = load_gpu_spec(folder.root(), "bare");
    REQUIRE_FALSE(spec.has_value());
    const std::string text = spec.error().text();
    CHECK(text.find("'sm_count' is unknown, and nothing is assumed") != std::string::npos);
    CHECK(text.find("'smem.width' has a value: nothing is assumed") != std::string::npos);
}
