#include "warpline/validate/draft_spec.hpp"

#include "hardware/spec_folder.hpp"
#include "source_dir.hpp"
#include "warpline/device/cluster_slots.hpp"
#include "warpline/hardware/assumed_constant.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace warpline;
using warpline::test::SpecFolder;

namespace {

const std::filesystem::path data_dir = source_dir();

std::vector<MicroRow> h200_rows() {
    auto rows = read_micro_rows(data_dir / "validate" / "measured" / "micro" / "h200.csv");
    REQUIRE(rows.has_value());
    return *rows;
}

MicroRow row(const std::string& constant, double value) {
    return {constant, value, "clk", 0.5, "NVIDIA B200", 1965, "13.0", ""};
}

GpuSpec load_draft(const std::vector<MicroRow>& rows) {
    const auto text = draft_spec(rows, "table.csv", data_dir);
    INFO((text ? *text : text.error().text()));
    REQUIRE(text.has_value());
    const SpecFolder folder;
    folder.write("draft.yaml", *text);
    auto spec = load_gpu_spec(folder.root(), "draft");
    INFO((spec ? std::string() : spec.error().text()));
    REQUIRE(spec.has_value());
    return *spec;
}

}  // namespace

TEST_CASE("a draft from the shipped table of an H200 is a sound specification of it") {
    const GpuSpec draft = load_draft(h200_rows());
    CHECK(draft.arch == "sm_90");
    CHECK(draft.sm_count == 132);
    CHECK(draft.clocks.boost == ClockHz(1'980'000'000));
    CHECK(draft.limits.smem_per_cta == 227 * 1024);
    CHECK(draft.mma.at(MmaPath::wgmma).flops_per_clk == doctest::Approx(4096).epsilon(0.001));
    CHECK(draft.mma.at(MmaPath::wgmma).base_latency == doctest::Approx(61).epsilon(0.02));
    CHECK(draft.memory.l2_bytes_per_clk_per_sm == doctest::Approx(35.5).epsilon(0.03));
    CHECK(draft.warnings.empty());
    const Constant& ex2 = draft.constants.at("mufu.ex2.rate");
    CHECK(ex2.source.find("NVIDIA H200") != std::string::npos);
    CHECK(ex2.note == "ex2_f32_rate");
    CHECK(is_unknown(draft.constants.at("peak.bf16")));
    CHECK_FALSE(is_unknown(draft.constants.at("sm_count")));
}

TEST_CASE("every constant that an H200 can give is a measured one in its specification") {
    const auto drafted = draft_constants(h200_rows(), data_dir);
    REQUIRE(drafted.has_value());
    CHECK(drafted->size() >= 70);
    const GpuSpec h200 = load_gpu_spec(data_dir, "h200").value();
    // What the driver says of these is not what the model means by them.
    const std::set<std::string> not_taken = {"memory.l2_size", "memory.hbm_peak"};
    for (const DraftedConstant& constant : *drafted) {
        if (not_taken.count(constant.key) != 0) {
            continue;
        }
        CAPTURE(constant.key);
        const Constant& shipped = h200.constants.at(constant.key);
        CHECK(shipped.source.find("measured") != std::string::npos);
        CHECK(shipped.confidence != Confidence::c);
        CHECK_FALSE(is_unknown(shipped));
        const double low = shipped.low.value_or(shipped.value);
        const double high = shipped.high.value_or(shipped.value);
        CHECK(constant.value > 0.93 * low);
        CHECK(constant.value < 1.07 * high);
    }
}

TEST_CASE("an H200 holds as many clusters at once as its driver says") {
    const GpuSpec h200 = load_gpu_spec(data_dir, "h200").value();
    const std::vector<MicroRow> rows = h200_rows();
    for (const int cluster : {2, 4, 8, 16}) {
        CAPTURE(cluster);
        const MicroRow* const most =
            find_micro_row(rows, fmt::format("clusters_at_once_of_{}", cluster));
        REQUIRE(most != nullptr);
        const auto slots = cluster_slots(h200, cluster, 1);
        REQUIRE(slots.has_value());
        CHECK(double(slots->positions) == most->value);
    }
}

TEST_CASE("a queue that no warp was seen to fill is not drafted") {
    // Half of the warps and more issued the whole batch of 32 without a wait.
    const auto drafted = draft_constants(h200_rows(), data_dir);
    REQUIRE(drafted.has_value());
    CHECK(std::none_of(drafted->begin(), drafted->end(),
                       [](const DraftedConstant& one) { return one.key == "tensor.queue_depth"; }));
}

TEST_CASE("a table by the published tcgen05 formulas gives their constants back") {
    std::vector<MicroRow> rows = {
        row("compute_capability", 100),
        row("sms", 148),
        row("max_sm_clock", 1965),
        row("l2_size", 126.5),
        row("l2_read_8x16384B_148sm", 70),
        row("hbm_read_8x16384B_148sm_total", 7.26),
        row("tcgen05_m64n256k16_bf16_ss_cta1_interval", 128),
        row("tcgen05_m128n256k16_bf16_ss_cta1_interval", 128),
        row("tcgen05_m128n64k16_bf16_ts_cta2_interval", 18),
        row("tcgen05_m128n128k16_bf16_ts_cta1_latency", 168),
        row("tcgen05_m256n128k16_bf16_ts_cta2_latency", 202),
        row("tcgen05_m128n128k16_bf16_ts_cta2_latency", 178),
        row("tcgen05_ld_32x32b_x32_bandwidth_w1", 100),
        row("tcgen05_ld_32x32b_x32_bandwidth_w4", 512),
        row("tcgen05_ld_32x32b_x32_latency_w1", 152),
        row("fma_f32x2_rate", 64),
        row("max3_f32_rate", 64),
    };
    const GpuSpec draft = load_draft(rows);
    const GpuSpec b200 = load_gpu_spec(data_dir, "b200").value();
    const MmaModel& mine = draft.mma.at(MmaPath::tcgen05);
    const MmaModel& shipped = b200.mma.at(MmaPath::tcgen05);
    CHECK(mine.flops_per_clk == doctest::Approx(8192));
    CHECK(mine.min_interval == doctest::Approx(shipped.min_interval));
    CHECK(mine.half_rate_m64 == doctest::Approx(shipped.half_rate_m64));
    CHECK(mine.base_latency == doctest::Approx(shipped.base_latency));
    CHECK(mine.pair_latency_m256 == doctest::Approx(shipped.pair_latency_m256));
    CHECK(mine.pair_latency_m128 == doctest::Approx(shipped.pair_latency_m128));
    CHECK(draft.tmem.load_bytes_per_clk == doctest::Approx(128));
    CHECK(draft.tmem.load_latency == ticks_from_cycles(120));
    CHECK(is_unknown(draft.constants.at("clock.sustained")));
    CHECK(is_unknown(draft.constants.at("memory.hbm_peak")));
    // What was not measured is the architecture's.
    CHECK(draft.sync.mbarrier_wait == b200.sync.mbarrier_wait);
}

TEST_CASE("instructions that are measured in groups get what the others leave of them") {
    std::vector<MicroRow> rows = h200_rows();
    const std::map<std::string, double> added = {
        {"fsetp8_sel_group_rate", 64.0 / 9.0},
        {"fsetp8_sel_group_latency", 36.9},
        {"r2p_6sel_shf_group_rate", 8.0},
        {"r2p_6sel_shf_group_latency", 38.0},
        {"setp_branch_taken_add_latency", 25.0},
        {"setp_predicated_add_latency", 10.0},
        {"mov_b32_rate_w16", 126.0},
        {"lea_hi_b32_rate", 63.7},
        {"lea_hi_b32_latency", 4.25},
        {"elect_predicated_add_interval_w16", 4.0},
        {"stg128_issue_w16", 4.0},
        {"cp_async16_issue_w16", 8.0},
        {"sts32_fence_block", 21.0},
        {"wgmma_m64n256_ss_wg1_issued_ahead", 5.0},
    };
    for (const auto& [name, value] : added) {
        // A table may have the row already.
        rows.erase(std::remove_if(rows.begin(), rows.end(),
                                  [&](const MicroRow& one) { return one.constant == name; }),
                   rows.end());
        rows.push_back(row(name, value));
    }
    const GpuSpec draft = load_draft(rows);
    const std::map<std::string, double> wanted = {
        {"fsetp.rate", 64.0},      {"fsetp.latency", 4.1},   {"r2p.rate", 64.0},
        {"branch.latency", 15.0},  {"mov.rate", 126.0},      {"lea.rate", 63.7},
        {"lea.latency", 4.25},     {"elect.rate", 32.0},     {"stg.128.rate", 8.0},
        {"cp.async.16.rate", 4.0}, {"sts.32.latency", 21.0}, {"tensor.queue_depth", 5.0},
    };
    for (const auto& [key, value] : wanted) {
        CAPTURE(key);
        CHECK(draft.constants.at(key).value == doctest::Approx(value).epsilon(0.001));
    }
    // Less seven shifts of 4.31 clk.
    CHECK(draft.constants.at("r2p.latency").value == doctest::Approx(7.8).epsilon(0.01));
}

TEST_CASE("what a draft lacks is said") {
    const auto no_capability = draft_spec({row("sms", 148)}, "t.csv", data_dir);
    REQUIRE_FALSE(no_capability.has_value());
    CHECK(no_capability.error().text().find("compute_capability") != std::string::npos);
    const auto no_file = draft_spec({row("compute_capability", 75)}, "t.csv", data_dir);
    REQUIRE_FALSE(no_file.has_value());
    CHECK(no_file.error().text().find("sm_75") != std::string::npos);
    CHECK(no_file.error().text().find("sm_90") != std::string::npos);
    const auto few =
        draft_spec({row("compute_capability", 90), row("sms", 132)}, "t.csv", data_dir);
    REQUIRE_FALSE(few.has_value());
    CHECK(few.error().text().find("clock.boost") != std::string::npos);
    CHECK(few.error().text().find("memory.hbm_rate") != std::string::npos);
}
