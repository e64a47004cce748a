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

TEST_CASE("a kernel that no file models leaves its row out, with the reason") {
    for (const char* kernel : {"cudnn", "nonsense"}) {
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
