#include "example_prediction.hpp"
#include "parse_json.hpp"
#include "source_dir.hpp"
#include "warpline/device/record_schedule.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/reports/script_json.hpp"
#include "warpline/reports/subject_page.hpp"
#include "warpline/reports/sweep_page.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace warpline;
using nlohmann::json;

namespace {

ReportSubject example_subject() {
    ReportSubject subject;
    subject.name = "b200";
    subject.prediction = test::example_prediction();
    subject.recording.schedule = subject.prediction.schedule;
    subject.peak_flops = 1e15;
    subject.hbm_bytes_per_second = 4e12;
    return subject;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

constexpr ReportAssets some_assets{"body {}", "figures();", "draw();", "", "charts();</script>"};

}  // namespace

TEST_CASE("HTML text cannot leave its place") {
    CHECK(html_text("a <b> & \"c\" 'd'") == "a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
    CHECK(html_text("\x1b[2J\n") == "\\x1b[2J\\x0a");
    CHECK(html_text("\xff") == "\\xff");
    CHECK(script_json(R"({"a":"</script><!--"})") == R"({"a":"\u003c/script>\u003c!--"})");
}

TEST_CASE("a table as HTML and as CSV") {
    const ReportTable table{
        "id", "A <title>", {"name", "value"}, {{text_cell("=1+1"), number_cell(1234.5)}}};
    const std::string html = table_html(table);
    CHECK(html.find("A &lt;title&gt;") != std::string::npos);
    CHECK(html.find("<td class=\"number\">1,234</td>") != std::string::npos);
    CHECK(table_csv(table) == "name,value\n'=1+1,1234.5\n");
}

TEST_CASE("what a budget is made of is read back from how it adds up") {
    const auto parts = budget_parts({"SMEM", 0, 0, "B", "q 65536 + kv 98304 + barriers 320"});
    REQUIRE(parts.size() == 3);
    CHECK(parts[1].name == "kv");
    CHECK(parts[1].size == 98304.0);
    CHECK(budget_parts({"", 0, 0, "", "2 CTAs of 3 each and 1 for the system: q 2"}).size() == 1);
    CHECK(budget_parts({"", 0, 0, "", "s 100, allocated as 128"}).front().size == 100.0);
    CHECK(budget_parts({"", 0, 0, "", "softmax 128 x 192 + mma 32 x 48"}).front().size == 24576.0);
    CHECK(budget_parts({"", 0, 0, "", "of one CTA"}).empty());
    CHECK(budget_parts({"", 0, 0, "", ""}).empty());
    CHECK(budget_parts({"", 0, 0, "", "x"}).empty());
}

TEST_CASE("the budgets of a shipped kernel are read back in full") {
    const auto spec = load_gpu_spec(source_dir(), "b200");
    REQUIRE(spec);
    const auto plan = load_plan(source_dir(), "fa4_fwd", *spec, AttentionProblem{});
    REQUIRE(plan);
    for (const Budget& budget : plan->budgets) {
        double sum = 0.0;
        for (const BudgetPart& part : budget_parts(budget)) {
            sum += part.size;
        }
        INFO(budget.name << ": " << budget.detail);
        if (budget.name == "SMEM" || budget.name == "registers") {
            CHECK(sum == static_cast<double>(budget.used));
        }
    }
}

TEST_CASE("the data of a prediction is JSON with everything the figures read") {
    const std::string text = subject_json(example_subject());
    CHECK(text.find('<') == std::string::npos);
    const json data = test::parse_json(text);
    CHECK(data["answers"]["simulated"] == 100.0);
    CHECK(data["units"].size() == 3);
    CHECK(data["classic"]["peak_tflops"] == 1000.0);
    CHECK(data["classic"]["executed_tflops"] == 640.0);
    double peak = 0.0;
    for (const json& share : data["peak"]) {
        peak += share["share"].get<double>();
    }
    CHECK(peak == doctest::Approx(1.0));
    const json& gantt = data["gantt"];
    CHECK(gantt["lanes"].size() == 2);
    REQUIRE(gantt["slices"].size() == 3);
    for (const json& slice : gantt["slices"]) {
        REQUIRE(slice.size() == 11);
        CHECK(slice[0] < gantt["lanes"].size());
        CHECK(slice[1] < gantt["labels"].size());
        CHECK(slice[3] < slice[4]);
        CHECK(slice[8] < static_cast<int>(gantt["causes"].size()));
    }
    CHECK(gantt["windows"].size() == 3);
}

TEST_CASE("a page holds all its parts, escaped, and reaches for nothing outside") {
    ReportSubject subject = example_subject();
    subject.prediction.kernel = "<img src=x onerror=alert(1)>";
    subject.name = "<script>alert(2)</script>";
    subject.prediction.plan.roles[1].program[0].label = "</script><script>alert(1)</script>";
    subject.prediction.assumptions = {"\x1b]0;title\x07"};
    const ReportPage page = subject_page({subject, example_subject()}, "warpline 'report' <&>");
    const std::string html = report_html(page, some_assets);
    CHECK(html.find("<img") == std::string::npos);
    CHECK(html.find("<script>alert") == std::string::npos);
    CHECK(html.find('\x1b') == std::string::npos);
    CHECK(count(html, "<script") == count(html, "</script>"));
    CHECK(count(html, "<script") == 4);
    CHECK(count(html, "<section>") == page.sections.size());
    CHECK(count(html, "data-figure=") == 9);  // two timelines
    CHECK(html.find("default-src 'none'") != std::string::npos);
    CHECK(html.find("src=\"") == std::string::npos);
    CHECK(html.find("href=") == std::string::npos);
    for (const ReportTable& table : page.tables) {
        for (const auto& row : table.rows) {
            CHECK(row.size() == table.columns.size());
        }
    }
}

TEST_CASE("names, sources and reasons of a measured table stay text in a comparison's page") {
    const std::string evil = "<script>alert(1)</script>\x1b[2J";
    ComparedRow row;
    row.kernel = row.row.source = row.bound_by = evil;
    row.row.gpu = "b200";
    row.measured_ms = row.predicted_ms = 1.0;
    ErrorSummary group;
    group.gpu = "b200";
    group.kernel = evil;
    group.head_dim_qk = row.row.problem.head_dim_qk;
    group.head_dim_v = row.row.problem.head_dim_v;
    group.mask = row.row.problem.mask.kind;
    group.direction = row.row.problem.direction;
    group.rows = 1;
    Comparison comparison;
    comparison.rows.push_back(row);
    comparison.groups.push_back(group);
    UnusableRow& unused = comparison.unusable.emplace_back();
    unused.where.file = "=file";
    unused.where.line = 7;
    unused.row = unused.reason = evil;
    const ReportPage page = comparison_page(comparison, "9.9.9", evil);
    CHECK(test::parse_json(page.data)["comparison"]["rows"].size() == 1);
    const std::string html = report_html(page, some_assets);
    CHECK(html.find("<script>alert") == std::string::npos);
    CHECK(html.find('\x1b') == std::string::npos);
    CHECK(count(html, "<script") == 4);
    CHECK(count(html, "&lt;script&gt;alert") >= 6);
    REQUIRE(page.tables.size() == 3);
    CHECK(table_csv(page.tables[2]).find("\n'=file,7,") != std::string::npos);
}

TEST_CASE("a sweep's page has its points, the best of them, and what failed") {
    const std::string head =
        "index,gpu,kv_stages,status,ms,tflops,utilization_pct,cycles,bound_by,reason,run\n";
    const auto table = parse_sweep(head +
                                       "0,b200,2,ok,2,500,40,1,latency,,f\n"
                                       "1,b200,3,ok,1,1000,60,1,tensor core,,f\n"
                                       "2,<b>,2,infeasible,,,,,,too much <i>SMEM</i>,f\n",
                                   "rows.csv");
    REQUIRE(table);
    CHECK(table->axes == std::vector<std::string>{"gpu", "kv_stages"});
    REQUIRE(table->points.size() == 3);
    CHECK(table->points[1].tflops == 1000.0);
    CHECK_FALSE(table->points[2].answered);
    const ReportPage page = sweep_page(*table, "9.9.9", "warpline report --sweep rows.csv");
    const json sweep = test::parse_json(page.data)["sweep"];
    CHECK(sweep["axis"] == "kv_stages");
    REQUIRE(sweep["series"].size() == 1);
    CHECK(sweep["series"][0]["name"] == "gpu=b200");
    CHECK(sweep["series"][0]["points"][1]["x"] == 3);
    CHECK(page.cards.front().headline == "1000.0 TFLOP/s");
    CHECK(page.tables[0].rows.size() == 2);
    CHECK(page.tables[1].rows.size() == 3);
    const std::string html = report_html(page, some_assets);
    CHECK(html.find("<i>SMEM") == std::string::npos);
    CHECK(html.find("&lt;i&gt;SMEM") != std::string::npos);
    for (const std::string& wrong : {std::string("a,b\n1,2\n"), head + "0,b200,2,ok,fast,1,,,,,f\n",
                                     head + "0,b200\n", std::string()}) {
        const auto refused = parse_sweep(wrong, "rows.csv");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().text().find("rows.csv") != std::string::npos);
    }
}

TEST_CASE("without the chart library a page has its tables and says what it lacks") {
    const ReportPage page = subject_page({example_subject()}, "");
    ReportAssets assets = some_assets;
    assets.charts = {};
    const std::string html = report_html(page, assets);
    CHECK(html.find("tables only") != std::string::npos);
    CHECK(html.find("<script") == std::string::npos);
    CHECK(html.find("data-figure") == std::string::npos);
    CHECK(count(html, "<table") == page.tables.size());
}

TEST_CASE("a report of a million tokens stays small") {
    const auto spec = load_gpu_spec(source_dir(), "b200");
    REQUIRE(spec);
    AttentionProblem problem;
    problem.seqlen_q = problem.seqlen_kv = 1 << 20;
    const auto plan = load_plan(source_dir(), "fa4_fwd", *spec, problem);
    REQUIRE(plan);
    ReportSubject subject = example_subject();
    subject.prediction.plan = *plan;
    auto recording = record_tile(*spec, *plan, problem, {}, Iterations::folded);
    REQUIRE(recording);
    subject.recording = std::move(*recording);
    const ScheduleEvent& some = subject.recording.schedule.events.front();
    CycleStep step;
    step.role = subject.recording.schedule.roles[static_cast<std::size_t>(some.usage)].role;
    step.op = some.op;
    subject.prediction.recurrence.critical_cycle = {step};
    const ReportPage page = subject_page({subject}, "");
    CHECK(report_html(page, report_assets()).size() < 5'000'000);
    const json gantt = test::parse_json(subject_json(subject))["gantt"];
    CHECK(gantt["folds"].size() == 1);
    CHECK(gantt["folds"][0]["time"] > 1e6);
    std::size_t critical = 0;
    for (const json& slice : gantt["slices"]) {
        critical += slice[9] == 1 ? 1U : 0U;
    }
    CHECK(critical > 0);
}
