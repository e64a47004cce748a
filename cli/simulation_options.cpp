#include "cli/simulation_options.hpp"

#include "cli/parse.hpp"

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr std::int64_t max_granularity = 1024;

Result<Mechanism> mechanism_named(const std::string& name) {
    std::vector<std::string> names;
    for (const Mechanism mechanism : all_mechanisms()) {
        if (mechanism_name(mechanism) == name) {
            return mechanism;
        }
        names.emplace_back(mechanism_name(mechanism));
    }
    const std::string nearest = nearest_name(name, names);
    return fail(FailureKind::usage, fmt::format("--ideal: there is no mechanism \"{}\"", name),
                nearest.empty()
                    ? fmt::format("there are {}; `warpline mechanisms` says what each is",
                                  fmt::join(names, ", "))
                    : fmt::format("did you mean {}?", nearest));
}

}  // namespace

void SimulationOptions::declare(const Command& command) {
    command.add_option("--clock", clock, "boost or 1755MHz [sustained clock of the GPU]")
        .type_name("CLOCK");
    command
        .add_option(
            "--ideal", ideal,
            "switch a mechanism off, to see what it costs; `warpline mechanisms` lists them")
        .type_name("MECHANISM")
        .repeatable();
    command
        .add_option("--granularity", granularity,
                    "warp instructions an event; 1 is the reference [1]")
        .type_name("N");
    command.add_flag("--graph", graph_launch, "launched from a CUDA graph");
    command.add_flag("--power", power, "hold the clock at what the board's power limit allows");
}

Result<PredictOptions> SimulationOptions::read() const {
    PredictOptions options;
    options.graph_launch = graph_launch;
    options.power_limit = power;
    if (clock == "boost") {
        options.boost_clock = true;
    } else if (!clock.empty()) {
        const auto hertz = parse_clock_option(clock);
        if (!hertz) {
            return tl::unexpected(hertz.error());
        }
        options.clock = *hertz;
    }
    if (!granularity.empty()) {
        const auto count = parse_count(granularity, "--granularity", 1, max_granularity);
        if (!count) {
            return tl::unexpected(count.error());
        }
        options.granularity = static_cast<int>(*count);
    }
    for (const std::string& name : ideal) {
        const auto mechanism = mechanism_named(name);
        if (!mechanism) {
            return tl::unexpected(mechanism.error());
        }
        options.ideal.insert(*mechanism);
    }
    return options;
}

}  // namespace warpline::cli
