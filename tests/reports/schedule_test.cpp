#include "example_prediction.hpp"
#include "warpline/reports/gantt.hpp"
#include "warpline/reports/schedule_csv.hpp"
#include "warpline/reports/text.hpp"

#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

std::string line_starting(const std::string& text, const std::string& start) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(start, 0) == 0) {
            return line;
        }
    }
    return {};
}

}  // namespace

TEST_CASE("the schedule as CSV has every event with exact times") {
    const Prediction prediction = test::example_prediction();
    CHECK(schedule_csv(prediction.plan, prediction.schedule) ==
          "role,copy,sm,resident,warp,kind,op,unit,tile,iteration,requested,start,end,completed,"
          "cause\n"
          "softmax,0,0,0,0,wait,wait s_full,adu,0,7,200,200,225,225,nothing before it\n"
          "softmax,0,0,0,0,issue,row max,alu,0,7,225,225,300,300,nothing before it\n"
          "mma,,0,0,0,async,QK,tensor,0,7,210,220,300,300.0625,barrier s_full\n");
}

TEST_CASE("labels from a pipeline cannot become formulas") {
    Prediction prediction = test::example_prediction();
    prediction.plan.roles[1].program[0].label = "=cmd|x";
    CHECK(schedule_csv(prediction.plan, prediction.schedule).find(",'=cmd|x,") !=
          std::string::npos);
}

TEST_CASE("the Gantt chart shows one steady period in place") {
    const Prediction prediction = test::example_prediction();
    const std::string text = gantt_text(prediction.plan, prediction.schedule, {}, 118);
    // 118 columns leave 100 cells: one a cycle.
    CHECK(line_starting(text, "Steady state, 1 step, 100.0 cycles from cycle 200.0") != "");
    CHECK(line_starting(text, "softmax[0]") ==
          "softmax[0]        " + std::string(25, '.') + std::string(75, 'A'));
    CHECK(line_starting(text, "alu p0") ==
          "alu p0            " + std::string(25, ' ') + std::string(75, 'A'));
    CHECK(line_starting(text, "tensor") ==
          "tensor            " + std::string(20, ' ') + std::string(80, 'B'));
    CHECK(text.find("A=row max") != std::string::npos);
    CHECK(text.find("B=QK") != std::string::npos);
}

TEST_CASE("a chart without a steady state shows the whole run, and without events nothing") {
    Prediction prediction = test::example_prediction();
    prediction.schedule.steady.found = false;
    const std::string text = gantt_text(prediction.plan, prediction.schedule);
    CHECK(text.rfind("Whole run", 0) == 0);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CHECK(display_width(line) <= 80);
    }
    prediction.schedule.events.clear();
    CHECK(gantt_text(prediction.plan, prediction.schedule).empty());
}

TEST_CASE("in colour the chart keeps its letters, and its width") {
    const Prediction prediction = test::example_prediction();
    const Style color{true};
    const std::string plain = gantt_text(prediction.plan, prediction.schedule);
    const std::string colored = gantt_text(prediction.plan, prediction.schedule, color);
    CHECK(plain.find('\x1b') == std::string::npos);
    CHECK(colored.find(color.on_color(0, std::string(46, 'A'))) != std::string::npos);
    std::istringstream plain_lines(plain), colored_lines(colored);
    for (std::string line, other; std::getline(plain_lines, line);) {
        REQUIRE(std::getline(colored_lines, other));
        CHECK(display_width(other) == display_width(line));
    }
}

TEST_CASE("a cell shows what took most of it; zero-length events show nothing") {
    Prediction prediction = test::example_prediction();
    auto& events = prediction.schedule.events;
    events[1].end = events[1].start;  // no time at all
    const std::string text =
        gantt_text(prediction.plan, prediction.schedule, {}, 68);  // 2 cycles a cell
    const std::string row = line_starting(text, "softmax[0]");
    CHECK(std::count(row.begin(), row.end(), '.') == 13);  // cycles 0 to 25: cell 12 is half full
    CHECK(row.find('A') == std::string::npos);
}
