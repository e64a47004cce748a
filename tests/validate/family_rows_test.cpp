#include "source_dir.hpp"
#include "warpline/validate/compare.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

MeasuredRow row_of(const std::string& kernel, const std::string& built = {}) {
    MeasuredRow row;
    row.where = {"t.csv", 2, 0};
    row.gpu = "b200";
    row.kernel = kernel;
    row.built = built;
    row.problem.batch = 1;
    row.problem.seqlen_q = row.problem.seqlen_kv = 1024;
    row.time_ms = 1.0;
    return row;
}

Result<Comparison> compared(const MeasuredRow& row) {
    MeasuredTable table;
    table.rows = {row};
    return compare(source_dir(), table);
}

}  // namespace

TEST_CASE("a family picks its kernel, and the build's date its variant") {
    const auto today = compared(row_of("fa4"));
    const auto early = compared(row_of("fa4", "2026-02-01"));
    const auto by_id = compared(row_of("fa4_fwd"));
    REQUIRE(today);
    REQUIRE(early);
    REQUIRE(by_id);
    CHECK(today->rows[0].kernel == "fa4_fwd");
    CHECK(today->rows[0].variants.empty());
    CHECK(today->rows[0].predicted_ms == by_id->rows[0].predicted_ms);
    CHECK_FALSE(early->rows[0].variants.empty());
    CHECK(std::abs(early->rows[0].predicted_ms / today->rows[0].predicted_ms - 1.0) > 0.01);
}

TEST_CASE("a row that names a kernel is answered by the one that runs in its place") {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
        const bool forward = direction == Direction::forward;
        MeasuredRow named = row_of(forward ? "fa4_fwd" : "fa4_bwd");
        named.problem.direction = direction;
        named.problem.head_dim_qk = named.problem.head_dim_v = 256;
        MeasuredRow family = named;
        family.kernel = "fa4";
        const auto by_name = compared(named);
        const auto by_family = compared(family);
        REQUIRE(by_name);
        REQUIRE(by_family);
        CHECK(by_name->rows[0].kernel == (forward ? "fa4_fwd_hd256" : "fa4_bwd_hd256"));
        CHECK(by_name->rows[0].predicted_ms == by_family->rows[0].predicted_ms);
        named.problem.head_dim_qk = named.problem.head_dim_v = 250;
        CHECK_FALSE(compared(named));
    }
}

TEST_CASE("an impossible power budget is said of each row that it concerns") {
    MeasuredTable table;
    table.rows = {row_of("fa4")};
    CompareOptions options;
    options.constants = {{"power.static", "2000 W"}};
    const auto refused = compare(source_dir(), table, options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("'power.static', 2000 W, leaves nothing") !=
          std::string::npos);
    options.power_limit = false;
    CHECK(compare(source_dir(), table, options));
}

TEST_CASE("rows of cuDNN, Triton and AVO pick the files that stand for them") {
    struct Choice {
        std::string family, gpu;
        Direction direction;
        std::string kernel;
    };
    const std::vector<Choice> choices = {
        {"cudnn", "b200", Direction::forward, "cudnn_fwd"},
        {"cudnn", "gb300", Direction::backward, "cudnn_bwd"},
        {"cudnn", "h200", Direction::forward, "cudnn_sm90_fwd"},
        {"cudnn", "h100_sxm", Direction::backward, "cudnn_sm90_bwd"},
        {"triton", "b200", Direction::forward, "triton_fwd"},
        {"triton", "h200", Direction::forward, "triton_sm90_fwd"},
        {"avo", "b200", Direction::forward, "avo_fwd"},
        {"fa1_fwd", "a100_sxm", Direction::forward, "fa1_fwd"},
    };
    for (const Choice& choice : choices) {
        CAPTURE(choice.kernel);
        MeasuredRow row = row_of(choice.family);
        row.gpu = choice.gpu;
        row.problem.direction = choice.direction;
        const auto picked = compared(row);
        REQUIRE(picked);
        CHECK(picked->rows[0].kernel == choice.kernel);
    }
    MeasuredRow eight_bit = row_of("cudnn");
    eight_bit.problem.dtype = DType::fp8;
    CHECK(compared(eight_bit).error().text().find("nothing public") != std::string::npos);
}

TEST_CASE("a row of a deterministic kernel is compared, by a kernel that has an order") {
    MeasuredRow row = row_of("fa4");
    row.problem.direction = Direction::backward;
    row.problem.deterministic = true;
    row.problem.mask.kind = MaskKind::causal;
    const auto ordered = compared(row);
    REQUIRE(ordered);
    CHECK(ordered->rows[0].kernel == "fa4_bwd");
    row.problem.deterministic = false;
    CHECK(compared(row)->rows[0].predicted_ms != ordered->rows[0].predicted_ms);
    row.kernel = "cudnn";
    row.problem.deterministic = true;
    CHECK(compared(row).error().text().find("nothing public") != std::string::npos);
}

TEST_CASE("a kernel that no file models leaves its row out, with the reason") {
    for (const char* kernel : {"gluon", "nonsense"}) {
        const auto none = compared(row_of(kernel));
        REQUIRE_FALSE(none);
        CHECK(none.error().text().find("kernel not modelled") != std::string::npos);
    }
    MeasuredRow wide = row_of("fa4");
    wide.problem.head_dim_qk = wide.problem.head_dim_v = 512;
    CHECK(compared(wide).error().text().find("fa4 has no kernel for this") != std::string::npos);
    const auto dated = compared(row_of("fa4", "last spring"));
    REQUIRE_FALSE(dated);
    CHECK(dated.error().text().find("is not a date") != std::string::npos);
}

TEST_CASE("a sampled clock counts by the share of it that SMs run at") {
    MeasuredRow row = row_of("fa2");
    row.gpu = "h200";
    row.clock = ClockHz(1'900'000'000);
    row.clock_evidence = "fixed";
    const auto fixed = compared(row);
    row.clock_evidence = "sampled now and then";
    const auto sampled = compared(row);
    REQUIRE(fixed);
    REQUIRE(sampled);
    const auto megahertz = [](const Result<Comparison>& comparison) {
        return boost::rational_cast<double>(comparison->rows[0].clock.hz) / 1e6;
    };
    CHECK(megahertz(fixed) == 1900.0);
    CHECK(megahertz(sampled) == doctest::Approx(1900.0 * 0.91));
    CHECK(sampled->rows[0].predicted_ms > 1.05 * fixed->rows[0].predicted_ms);
    CHECK(sampled->rows[0].clock.origin.find("of what was sampled") != std::string::npos);
    row.gpu = "a100_sxm";  // where the share is not known
    CHECK(megahertz(compared(row)) == 1900.0);
}

TEST_CASE("a clock that was set is held at what the power limit leaves of it") {
    MeasuredRow row = row_of("fa3");
    row.gpu = "h100_sxm";
    row.problem.batch = 2;
    row.problem.heads_q = row.problem.heads_kv = 16;
    row.problem.seqlen_q = row.problem.seqlen_kv = 8192;
    row.clock = ClockHz(1'830'000'000);
    row.clock_evidence = "stated by the paper";
    const auto held = compared(row);
    row.clock_evidence = "SM cycles over the GPU's timer";
    const auto measured = compared(row);
    REQUIRE(held);
    REQUIRE(measured);
    CHECK(measured->rows[0].clock.hz == *row.clock);
    CHECK(measured->rows[0].clock.origin == "measured with the row");
    CHECK(held->rows[0].clock.hz < ClockHz(1'700'000'000));
    CHECK(held->rows[0].predicted_ms > 1.07 * measured->rows[0].predicted_ms);
    CHECK(held->rows[0].clock.origin.find("set with the row") != std::string::npos);
}

TEST_CASE("a framework's copies before a kernel are part of what it measures") {
    MeasuredRow row = row_of("fa2");
    row.gpu = "h200";
    row.problem.direction = Direction::backward;
    row.problem.batch = 32;
    row.problem.heads_q = row.problem.heads_kv = 16;
    const auto own = compared(row);
    row.version = "torch 2.11.0+cu130";
    const auto framework = compared(row);
    REQUIRE(own);
    REQUIRE(framework);
    // Two tensors of 2^26 elements, 88 thread instructions each, at 132 * 4 warp instructions a
    // clock.
    const double clock = boost::rational_cast<double>(own->rows[0].clock.hz);
    const double issuing = 2.0 * 0x1p26 * 88.0 / 32.0 / (132.0 * 4.0 * clock) * 1e3;
    const double added = framework->rows[0].predicted_ms - own->rows[0].predicted_ms;
    CHECK(added > issuing);
    // The framework's build of the kernel has some instructions more, too.
    CHECK(added < 1.2 * issuing);
}

TEST_CASE("a row of counters alone was taken at a profiler's clock") {
    MeasuredRow row = row_of("fa4");  // long enough for tiles to begin together again and again
    row.problem.batch = 32;
    row.problem.heads_q = row.problem.heads_kv = 16;
    const auto timed = compared(row);
    row.time_ms.reset();
    row.mean_active_cycles = 1e5;
    const auto counted = compared(row);
    REQUIRE(timed);
    REQUIRE(counted);
    CHECK(timed->rows[0].clock.hz != ClockHz(1'000'000'000));
    CHECK(counted->rows[0].clock.hz == ClockHz(1'000'000'000));
    CHECK(counted->rows[0].clock.origin == "b200 clock under a profiler");
    CHECK(counted->rows[0].predicted_cycles < timed->rows[0].predicted_cycles);
    row.clock = ClockHz(1'500'000'000);
    CHECK(compared(row)->rows[0].clock.hz == ClockHz(1'500'000'000));
}
