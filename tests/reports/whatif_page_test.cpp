#include "warpline/reports/whatif_page.hpp"

#include "example_prediction.hpp"
#include "parse_json.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;
using nlohmann::json;

namespace {

WhatIfRow row(double before, double after, std::int64_t head_dim = 128) {
    WhatIfRow row;
    row.before = row.after = test::example_prediction();
    row.kernel = "fa4_fwd";
    row.problem.head_dim_qk = row.problem.head_dim_v = head_dim;
    row.before->seconds = before;
    row.after->seconds = after;
    row.before->tflops = 1.0 / before;
    row.after->tflops = 1.0 / after;
    row.after->gpu = "b300";
    return row;
}

WhatIf example() {
    WhatIf whatif;
    whatif.before = "b200";
    whatif.after = "b300";
    whatif.rows = {row(2e-3, 1e-3), row(3e-3, 3e-3, 64)};
    WhatIfRow& none = whatif.rows.emplace_back();
    none.kernel = "fa4_fwd";
    none.reason = "no such head dim";
    Attribution large, small;
    large.difference = {"mufu.ex2.rate", "16 /clk", "32 /clk", {}};
    large.speedups = {1.5, 1.0, std::nullopt};
    small.difference = {"nothing", "", "1", {}};
    small.speedups = {1.0, 1.0001, std::nullopt};
    whatif.attributions = {large, small};
    whatif.together = {2.0, 1.0, std::nullopt};
    return whatif;
}

std::string html_of(const ReportPage& page) {
    return report_html(page, {"", "figures();", "draw();", "", "charts();"});
}

}  // namespace

TEST_CASE("a what-if's page has both sides of each shape and what each difference brings") {
    const ReportPage page = whatif_page(example(), "9.9.9", "warpline whatif");
    const json data = test::parse_json(page.data)["whatif"];
    REQUIRE(data["rows"].size() == 2);
    CHECK(data["rows"][0]["before"] == doctest::Approx(500.0));
    CHECK(data["rows"][0]["after"] == doctest::Approx(1000.0));
    // One that is seen, all together, and the GPU itself.
    REQUIRE(data["effects"].size() == 3);
    CHECK(data["effects"][0]["change"] == "16 /clk to 32 /clk");
    CHECK(data["effects"][0]["speedup"] == doctest::Approx(std::sqrt(1.5)));
    CHECK(data["effects"][1]["speedup"] == doctest::Approx(std::sqrt(2.0)));
    CHECK(data["effects"][2]["name"] == "b300");
    REQUIRE(page.cards.size() == 3);
    CHECK(page.cards[0].headline == "1.414 times as fast");
    CHECK(page.cards[1].headline == "2.000 times as fast");
    CHECK(page.cards[2].headline == "1.000 times as fast");
    REQUIRE(page.tables.size() == 3);
    CHECK(page.tables[0].rows.size() == 3);
    CHECK(page.tables[0].rows[2].back().text == "no such head dim");
    CHECK(page.tables[2].rows.size() == 2);
    for (const ReportTable& table : page.tables) {
        for (const auto& cells : table.rows) {
            CHECK(cells.size() == table.columns.size());
        }
    }
    const std::string html = html_of(page);
    CHECK(html.find("data-figure=\"whatif\"") != std::string::npos);
    CHECK(html.find("flash-attention&#39;s convention") != std::string::npos);
    CHECK(html.find("b300: ") != std::string::npos);  // its clock
}

TEST_CASE("a change of design has no differences to attribute, and nothing may have an answer") {
    WhatIf whatif = example();
    whatif.attributions.clear();
    whatif.together.clear();
    CHECK_FALSE(effects_part(whatif));
    CHECK(whatif_page(whatif, "", "").tables.size() == 2);
    whatif.rows = {whatif.rows.back()};
    const ReportPage page = whatif_page(whatif, "", "");
    CHECK(page.cards.front().headline == "no answer");
    CHECK(test::parse_json(page.data)["whatif"]["rows"].empty());
}

TEST_CASE("names of a what-if stay text") {
    const std::string evil = "<script>alert(1)</script>\x1b[2J=1+1";
    WhatIf whatif = example();
    whatif.before = whatif.after = evil;
    for (WhatIfRow& each : whatif.rows) {
        each.kernel = each.reason = evil;
    }
    whatif.rows[0].kernel = "=" + evil;
    whatif.rows[0].before->bound_by = evil;
    whatif.attributions[0].difference.key = whatif.attributions[0].reason = evil;
    const ReportPage page = whatif_page(whatif, evil, evil);
    CHECK(page.data.find('<') == std::string::npos);
    const std::string html = html_of(page);
    CHECK(html.find("<script>alert") == std::string::npos);
    CHECK(html.find('\x1b') == std::string::npos);
    CHECK(table_csv(page.tables[0]).find("\n'=<script>") != std::string::npos);
}
