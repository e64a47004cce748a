#include "warpline/reports/spec_report.hpp"

#include "warpline/hardware/assumed_constant.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

GpuSpec example_spec() {
    GpuSpec spec;
    spec.id = "toy";
    spec.title = "A toy GPU";
    spec.arch = "sm_1";
    spec.sm_count = 2;
    Constant rate;
    rate.key = "mufu.ex2.rate";
    rate.text = "16 /clk";
    rate.value = 16;
    rate.unit = "/clk";
    rate.low = 15.5;
    rate.high = 16;
    rate.confidence = Confidence::b;
    rate.source = "a \x1b[2Jmicrobenchmark";
    rate.meaning = "interval of MUFU.EX2 on the XU";
    rate.where = {"hw_specs/toy.yaml", 12, 3};
    Constant latency = rate;
    latency.key = "mufu.ex2.latency";
    Constant other = rate;
    other.key = "mufu.ex2x";
    for (const Constant& constant : {rate, latency, other}) {
        spec.constants[constant.key] = constant;
    }
    return spec;
}

}  // namespace

TEST_CASE("a key names one constant, or all below it") {
    const GpuSpec spec = example_spec();
    CHECK(constants_named(spec, "mufu.ex2.rate").size() == 1);
    CHECK(constants_named(spec, "mufu.ex2").size() == 2);
    CHECK(constants_named(spec, "mufu").size() == 3);
    CHECK(constants_named(spec, "muf").empty());
    CHECK(constants_named(spec, "").empty());
}

TEST_CASE("explain gives the value with all of its evidence") {
    const GpuSpec spec = example_spec();
    const std::string text =
        explain_text(spec, spec.constants.at("mufu.ex2.rate"), {{"fa4_fwd", "softmax", "exp2"}});
    for (const char* part :
         {"mufu.ex2.rate on toy", "16/clk", "15.5 .. 16 /clk", "B: one measurement",
          "a \\x1b[2Jmicrobenchmark", "hw_specs/toy.yaml:12", "interval of MUFU.EX2 on the XU",
          "fa4_fwd: softmax, exp2"}) {
        INFO(part);
        CHECK(text.find(part) != std::string::npos);
    }
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("every constant of a GPU is in its table") {
    const std::string text = spec_text(example_spec());
    for (const char* part : {"mufu.ex2.rate", "mufu.ex2.latency", "mufu.ex2x", "15.5 .. 16"}) {
        CHECK(text.find(part) != std::string::npos);
    }
}

TEST_CASE("a constant that nobody knows is shown as such") {
    GpuSpec spec = example_spec();
    Constant& rate = spec.constants.at("mufu.ex2.rate");
    rate.text = unknown_text(rate.text);
    CHECK(is_unknown(rate));
    const std::string text = explain_text(spec, rate, {});
    CHECK(text.find("unknown: 16 /clk assumed") != std::string::npos);
    CHECK(spec_text(spec).find("unknown: 16 /clk assumed") != std::string::npos);
}
