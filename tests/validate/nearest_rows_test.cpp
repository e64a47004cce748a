#include "warpline/validate/nearest_rows.hpp"

#include "source_dir.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

MeasuredRow row(const std::string& gpu, std::int64_t length, MaskKind mask = MaskKind::full) {
    MeasuredRow row;
    row.gpu = gpu;
    row.kernel = "fa4";
    row.problem.seqlen_q = row.problem.seqlen_kv = length;
    row.problem.mask.kind = mask;
    row.time_ms = 1.0;
    return row;
}

std::vector<std::int64_t> lengths(const std::vector<MeasuredRow>& rows) {
    std::vector<std::int64_t> out;
    for (const MeasuredRow& row : rows) {
        out.push_back(row.problem.seqlen_q);
    }
    return out;
}

const auto never = [](const std::string&) { return false; };
const auto always = [](const std::string&) { return true; };

}  // namespace

TEST_CASE("the nearest rows come first, each question once") {
    const AttentionProblem asked = row("b200", 4096).problem;
    const std::vector<MeasuredRow> rows = {row("b200", 65536), row("b200", 8192),
                                           row("b200", 4096, MaskKind::causal), row("b200", 1024),
                                           row("b200", 8192)};
    CHECK(lengths(nearest_rows(rows, "fa4_fwd", "b200", asked, 3, never)) ==
          std::vector<std::int64_t>{8192, 4096, 1024});
    CHECK(distance(asked, rows[1].problem) == doctest::Approx(2.0));
    CHECK(distance(asked, asked) == 0.0);
}

TEST_CASE("other kernels, directions and dtypes say nothing; related GPUs stand in") {
    const AttentionProblem asked = row("b300", 4096).problem;
    std::vector<MeasuredRow> rows(4, row("b200", 4096));
    rows[0].kernel = "fa3";
    rows[1].problem.direction = Direction::backward;
    rows[2].problem.dtype = DType::fp8;
    CHECK(nearest_rows(rows, "fa4_fwd", "b300", asked, 3, never).empty());
    CHECK(nearest_rows(rows, "fa4_fwd", "b300", asked, 3, always).size() == 1);
    AttentionProblem ordered = asked;
    ordered.deterministic = true;
    CHECK(nearest_rows(rows, "fa4_fwd", "b300", ordered, 3, always).empty());
    rows.push_back(row("b300", 128));
    CHECK(lengths(nearest_rows(rows, "fa4_fwd", "b300", asked, 3, always)) ==
          std::vector<std::int64_t>{128});
}

TEST_CASE("the shipped tables can be read") {
    CHECK(shipped_rows(source_dir()).size() > 50);
    CHECK(shipped_rows("/nonexistent").empty());
}
