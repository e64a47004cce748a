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
    return compare(WARPLINE_SOURCE_DIR, table);
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
