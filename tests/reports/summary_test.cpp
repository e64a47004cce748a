#include "warpline/reports/summary.hpp"

#include "example_prediction.hpp"

#include <sstream>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the headline has time, rate, utilization and clock") {
    CHECK(headline(test::example_prediction()) ==
          "1 ms   600.0 TFLOP/s counted   64.0 % of peak executed @ 1000 MHz");
}

TEST_CASE("the summary answers every question it promises") {
    const std::string text = summary_text(test::example_prediction());
    for (const char* part : {"toy on b200",
                             "bound by tensor core",
                             "980,000 cycles",
                             "clock 1000 MHz (900 to 1100): a test",
                             "counted work",
                             "roofline     80.0",
                             "recurrence   90.0  +10.0",
                             "simulated   100.0  +10.0",
                             "tensor core idle: barrier s_full 15 %",
                             "1600 TFLOP/s",
                             "90.0 cycles around",
                             "softmax[0] row max",
                             "barrier s_full 30 %, xu busy 10 %",
                             "2,048 tiles on 148 slots",
                             "1.5 GB from HBM",
                             "232,448 bytes",
                             "rescaling happens in 1 of 16 steps",
                             "warpline 9.9.9",
                             "fedcba9876543210",
                             "0123456789abcdef"}) {
        INFO(part);
        CHECK(contains(text, part));
    }
    CHECK_FALSE(contains(text, "LSU"));  // a unit without work is no row
    CHECK_FALSE(contains(text, "\x1b"));
    CHECK(contains(summary_text(test::example_prediction(), Style{true}), "\x1b[1m"));
}

TEST_CASE("of a problem without blocks the summary says that its loop never runs") {
    Prediction prediction = test::example_prediction();
    prediction.waves.loop_runs = false;
    const std::string text = summary_text(prediction);
    CHECK(contains(text, "This problem has no blocks"));
    CHECK(contains(text, "on a long tile, which this problem has not"));
    CHECK_FALSE(contains(text, "tensor core idle"));
}

TEST_CASE("what the convention counts and nobody executes is called so") {
    Prediction prediction = test::example_prediction();
    prediction.counted_flops = 2.0 * prediction.executed_flops;
    CHECK(contains(summary_text(prediction), "counted by the convention, not executed"));
    CHECK(contains(summary_text(test::example_prediction()), "executed but not counted"));
}

TEST_CASE("no line of the summary is wider than 100 columns, whatever the texts") {
    Prediction prediction = test::example_prediction();
    const std::string long_text = "a very long text of many words, and then some more of them, " +
                                  std::string(90, 'x') + " and still not at its end";
    prediction.bound_by = prediction.clock.origin = long_text;
    prediction.assumptions = {long_text};
    prediction.plan.roles[0].name = prediction.plan.barriers[0].name = long_text;
    prediction.plan.budgets[0].detail = long_text;
    prediction.recurrence.critical_cycle[0].label = long_text;
    prediction.recurrence.critical_cycle[0].reason = long_text;
    std::istringstream lines(summary_text(prediction));
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(display_width(line) <= 100);
    }
}

TEST_CASE("names from files cannot steer the terminal") {
    Prediction prediction = test::example_prediction();
    const std::string evil = "\x1b]0;owned\x07";
    prediction.kernel = prediction.gpu = prediction.bound_by = prediction.clock.origin = evil;
    prediction.assumptions = {evil};
    prediction.plan.roles[0].name = prediction.plan.barriers[0].name = evil;
    prediction.plan.budgets[0].name = prediction.plan.budgets[0].detail = evil;
    prediction.recurrence.critical_cycle[0].label = evil;
    prediction.version = prediction.spec_hash = prediction.plan.hash = evil;
    const std::string text = summary_text(prediction);
    CHECK_FALSE(contains(text, "\x1b"));
    CHECK_FALSE(contains(text, "\x07"));
    CHECK(contains(text, "\\x1b]0;owned\\x07"));
}

TEST_CASE("of several kernels the summary shows what each takes, counts and executes") {
    const Prediction operation = test::example_operation();
    CHECK(headline(operation) ==
          "3.5 ms   342.9 TFLOP/s counted, 365.7 executed   36.6 % of peak executed @ 1000 MHz");
    const std::string text = summary_text(operation);
    for (const char* part :
         {"both on b200", "bound by latency in second", "Kernels, one after the other",
          "prepare  500 us  14.3 %\n",
          "first      1 ms  28.6 %    600.0     640.0   64.0 %  tensor core\n",
          "second     2 ms  57.1 %    300.0     320.0   32.0 %  latency\n",
          "1.067 times the counted work is executed. `warpline predict first`",
          "first\nCycles per step of 256 x 128", "second\nCycles per step of 256 x 128",
          "rescaling happens in 1 of 16 steps"}) {
        INFO(part);
        CHECK(contains(text, part));
    }
    for (const char* part : {"Waves", "Critical cycle", "Roles, over", "Budgets", "0 x 0"}) {
        INFO(part);
        CHECK_FALSE(contains(text, part));
    }
    CHECK_FALSE(contains(summary_text(test::example_prediction()), "one after the other"));
}
