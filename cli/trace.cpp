// warpline trace KERNEL -o FILE: one tile's chart for Perfetto.
#include "cli/output_files.hpp"
#include "cli/parse.hpp"
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "cli/simulation_options.hpp"
#include "cli/version.hpp"
#include "warpline/device/clock.hpp"
#include "warpline/device/record_schedule.hpp"
#include "warpline/reports/text.hpp"
#include "warpline/reports/trace_json.hpp"

#include <limits>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr double most_bytes = 1e9;  ///< viewers in a browser take no more

struct TraceArguments {
    std::string kernel;
    ProblemOptions problem;
    SimulationOptions simulation;
    std::string output;
    std::string cycles;
    std::string cta;
    std::string time = "cycles";
    bool all_iterations = false;
};

struct Window {
    Tick from = std::numeric_limits<Tick>::min();
    Tick to = std::numeric_limits<Tick>::max();
};

/// "1000:9000", either end may be left out.
Result<Window> parse_window(const std::string& text) {
    Window window;
    if (text.empty()) {
        return window;
    }
    constexpr std::int64_t most = std::numeric_limits<Tick>::max() / ticks_per_cycle;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || text.size() == 1) {
        return fail(FailureKind::usage,
                    fmt::format("--cycles: \"{}\" is not FROM:TO", printable(text)),
                    "for example 0:20000, or 50000: for the rest");
    }
    const auto read = [&](const std::string& part, Tick& end) -> Result<void> {
        if (part.empty()) {
            return {};
        }
        const auto cycles = parse_count(part, "--cycles", 0, most);
        if (!cycles) {
            return tl::unexpected(cycles.error());
        }
        end = ticks_from_cycles(*cycles);
        return {};
    };
    if (const auto from = read(text.substr(0, colon), window.from); !from) {
        return tl::unexpected(from.error());
    }
    if (const auto to = read(text.substr(colon + 1), window.to); !to) {
        return tl::unexpected(to.error());
    }
    if (window.from >= window.to) {
        return fail(FailureKind::usage, "--cycles: nothing lies between FROM and TO");
    }
    return window;
}

Result<int> parse_cta(const std::string& text, int cluster) {
    if (text.empty()) {
        return -1;
    }
    const auto cta = parse_count(text, "--cta", 0, cluster - 1);
    if (!cta) {
        return tl::unexpected(cta.error());
    }
    return static_cast<int>(*cta);
}

std::string summary(const TraceArguments& arguments, const SliceChart& chart, std::size_t estimate,
                    std::size_t written) {
    std::string text = fmt::format(
        "{}: {} slices in {} lanes, {} arrows, {} ({} estimated)\n", printable(arguments.output),
        chart.slices.size(), chart.lanes.size(), chart.flows.size(),
        byte_text(static_cast<double>(written)), byte_text(static_cast<double>(estimate)));
    text += arguments.time == "cycles"
                ? "time: a microsecond on the axis is an SM cycle; exact cycles in the arguments\n"
                : "time: microseconds; viewers round to 1 ns, exact cycles are in the arguments\n";
    for (const SkippedTime& fold : chart.folds) {
        text += fmt::format(
            "folded: {} cycles of the repeating loop left out at cycle {}; "
            "--all-iterations keeps them\n",
            grouped(cycles_from_ticks(fold.time)), grouped(cycles_from_ticks(fold.at)));
    }
    return text + "open it at https://ui.perfetto.dev or chrome://tracing\n";
}

Result<std::string> write_trace(const Request& request, const TraceArguments& arguments) {
    const Result<PredictOptions> options = arguments.simulation.read();
    if (!options) {
        return tl::unexpected(options.error());
    }
    const Result<Window> window = parse_window(arguments.cycles);
    if (!window) {
        return tl::unexpected(window.error());
    }
    const Result<LoadedKernel> kernel =
        load_kernel(request.data_dir, arguments.kernel, arguments.problem);
    if (!kernel) {
        return tl::unexpected(kernel.error());
    }
    const Result<int> cta = parse_cta(arguments.cta, kernel->plan.cluster);
    if (!cta) {
        return tl::unexpected(cta.error());
    }
    const Result<ClockChoice> clock = choose_clock(kernel->spec, *options);
    if (!clock) {
        return tl::unexpected(clock.error());
    }
    EngineOptions engine;
    engine.granularity = options->granularity;
    engine.ideal = options->ideal;
    const Result<Recording> recording =
        record_tile(kernel->spec, kernel->plan, kernel->problem, engine,
                    arguments.all_iterations ? Iterations::all : Iterations::folded);
    if (!recording) {
        return tl::unexpected(recording.error());
    }
    const SliceChart chart =
        part_of(slice_chart(kernel->plan, *recording), *cta, window->from, window->to);
    const std::size_t estimate = trace_size_estimate(chart);
    if (static_cast<double>(estimate) > most_bytes) {
        return fail(
            FailureKind::infeasible,
            fmt::format("the trace would take about {}", byte_text(static_cast<double>(estimate))),
            "keep a part of it: --cycles FROM:TO, --cta 0");
    }
    TraceOptions trace;
    trace.base = arguments.time == "cycles" ? TimeBase::cycles : TimeBase::microseconds;
    trace.clock = clock->hz;
    trace.title = fmt::format("{} on {}: the longest tile of {}", kernel->plan.kernel,
                              kernel->spec.id, describe(kernel->problem));
    trace.version = version_text();
    std::string text = trace_json(kernel->plan, recording->schedule, chart, trace);
    const std::size_t size = text.size();
    if (const auto written = write_files({{arguments.output, std::move(text)}}); !written) {
        return tl::unexpected(written.error());
    }
    return summary(arguments, chart, estimate, size);
}

}  // namespace

void add_trace(CLI::App& app, Request& request) {
    CLI::App* const command =
        app.add_subcommand("trace", "SliceChart of one tile, for Perfetto or chrome://tracing");
    const auto arguments = std::make_shared<TraceArguments>();
    command->add_option("kernel", arguments->kernel, "an id of `warpline kernels` or a .yaml file")
        ->required()
        ->type_name("KERNEL");
    command->add_option("-o,--output", arguments->output, "where to write the trace")
        ->required()
        ->type_name("FILE");
    arguments->problem.declare(*command);
    arguments->simulation.declare(*command);
    command->add_option("--cycles", arguments->cycles, "only what reaches into this time")
        ->type_name("FROM:TO");
    command->add_option("--cta", arguments->cta, "only this CTA of the cluster")->type_name("N");
    command
        ->add_option("--time", arguments->time,
                     "cycles or us: what a microsecond of the axis means [cycles]")
        ->check(CLI::IsMember({"cycles", "us"}))
        ->type_name("BASE");
    command->add_flag("--all-iterations", arguments->all_iterations,
                      "every step of the loop, also where it repeats");
    command->callback([&request, arguments] {
        request.action = [&request, arguments] { return write_trace(request, *arguments); };
    });
}

}  // namespace warpline::cli
