// warpline trace KERNEL -o FILE: one tile's chart for Perfetto.
#include "cli/compare_timeline.hpp"
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
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr double most_bytes = 1e9;  ///< viewers in a browser take no more

struct TraceArguments {
    std::string kernel;
    ProblemOptions problem;
    SimulationOptions simulation;
    std::string output;
    std::string window;
    std::string cta;
    std::string time = "cycles";
    std::string measured_file;
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

/// What is traced, and what was measured of it.
struct Traced {
    GpuSpec spec;
    AttentionProblem problem;
    KernelPlan plan;
    StoragePlan storage;
    std::optional<BlockLists> blocks;
    std::optional<MeasuredLanes> measured;
};

Result<Traced> load_asked(const Request& request, const TraceArguments& arguments) {
    Result<LoadedKernel> kernel =
        load_kernel(request.data_dir, arguments.kernel, arguments.problem);
    if (!kernel) {
        return tl::unexpected(kernel.error());
    }
    if (const auto one = check_one_kernel(*kernel, "a trace"); !one) {
        return tl::unexpected(one.error());
    }
    const Result<Overrides> overrides = split_overrides(arguments.problem.set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    auto storage =
        make_storage_plan(kernel->source, kernel->spec, kernel->problem, overrides->parameters);
    if (!storage) {
        return tl::unexpected(storage.error());
    }
    Operation& operation = kernel->operation;
    return Traced{std::move(kernel->spec),     kernel->problem,
                  std::move(operation.plan),   std::move(*storage),
                  std::move(operation.blocks), std::nullopt};
}

/// The kernel, GPU and problem that the timeline's table names.
Result<Traced> load_measured(const Request& request, const TraceArguments& arguments) {
    const Result<Timeline> timeline = read_timeline(arguments.measured_file);
    if (!timeline) {
        return tl::unexpected(timeline.error());
    }
    Result<TimelineKernel> kernel = timeline_kernel(request, *timeline, arguments.problem.set);
    if (!kernel) {
        return tl::unexpected(kernel.error());
    }
    auto storage =
        make_storage_plan(kernel->source, kernel->spec, timeline->problem, kernel->parameters);
    if (!storage) {
        return tl::unexpected(storage.error());
    }
    return Traced{std::move(kernel->spec), timeline->problem, std::move(kernel->plan),
                  std::move(*storage),     std::nullopt,      measured_lanes(*timeline)};
}

Result<Traced> load_traced(const Request& request, const TraceArguments& arguments) {
    if (arguments.kernel.empty() == arguments.measured_file.empty()) {
        return fail(FailureKind::usage, "trace wants a KERNEL, or --measured FILE and no KERNEL",
                    "a timeline's table names its kernel, GPU and problem");
    }
    return arguments.measured_file.empty() ? load_asked(request, arguments)
                                           : load_measured(request, arguments);
}

Result<Recording> recorded(const Traced& traced, const PredictOptions& options, bool all) {
    EngineOptions engine;
    engine.granularity = options.granularity;
    engine.ideal = options.ideal;
    // What was measured has all its steps: beside it none is left out.
    return record_tile(traced.spec, traced.plan, traced.problem, engine,
                       all || traced.measured.has_value() ? Iterations::all : Iterations::folded,
                       traced.blocks);
}

Result<std::string> write_trace(const Request& request, const TraceArguments& arguments) {
    const Result<PredictOptions> options = arguments.simulation.read();
    if (!options) {
        return tl::unexpected(options.error());
    }
    const Result<Window> window = parse_window(arguments.window);
    if (!window) {
        return tl::unexpected(window.error());
    }
    const Result<Traced> traced = load_traced(request, arguments);
    if (!traced) {
        return tl::unexpected(traced.error());
    }
    const Result<int> cta = parse_cta(arguments.cta, traced->plan.cluster);
    if (!cta) {
        return tl::unexpected(cta.error());
    }
    const Result<ClockChoice> clock = choose_clock(traced->spec, *options);
    if (!clock) {
        return tl::unexpected(clock.error());
    }
    const Result<Recording> recording = recorded(*traced, *options, arguments.all_iterations);
    if (!recording) {
        return tl::unexpected(recording.error());
    }
    const SliceChart whole = slice_chart(traced->plan, *recording);
    const StorageChart memory = storage_chart(traced->plan, traced->storage, *recording, whole);
    const SliceChart chart = part_of(whole, *cta, window->from, window->to);
    TraceOptions trace;
    trace.base = arguments.time == "cycles" ? TimeBase::cycles : TimeBase::microseconds;
    trace.clock = clock->hz;
    trace.title = fmt::format("{} on {}: the longest tile of {}", traced->plan.kernel,
                              traced->spec.id, describe(traced->problem));
    trace.version = version_text();
    trace.memory = &memory;
    trace.measured = traced->measured ? &*traced->measured : nullptr;
    trace.from = window->from;
    trace.to = window->to;
    const std::size_t estimate = trace_size_estimate(chart, trace);
    if (static_cast<double>(estimate) > most_bytes) {
        return fail(
            FailureKind::infeasible,
            fmt::format("the trace would take about {}", byte_text(static_cast<double>(estimate))),
            "keep a part of it: --cycles FROM:TO, --cta 0");
    }
    std::string text = trace_json(traced->plan, recording->schedule, chart, trace);
    const std::size_t size = text.size();
    return deliver({{arguments.output, std::move(text)}},
                   summary(arguments, chart, estimate, size));
}

}  // namespace

void add_trace(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("trace", "Timeline of one tile, for Perfetto or chrome://tracing");
    const auto arguments = std::make_shared<TraceArguments>();
    command.add_option("kernel", arguments->kernel, "an id of `warpline kernels` or a .yaml file")
        .type_name("KERNEL");
    command
        .add_option("--measured", arguments->measured_file,
                    "an in-kernel timeline, CSV, instead of KERNEL: both in one trace")
        .type_name("FILE");
    command.add_option("-o,--output", arguments->output, "where to write the trace")
        .required()
        .type_name("FILE");
    arguments->problem.declare(command);
    arguments->simulation.declare(command);
    command.add_option("--cycles", arguments->window, "only what reaches into this time")
        .type_name("FROM:TO");
    command.add_option("--cta", arguments->cta, "only this CTA of the cluster").type_name("N");
    command
        .add_option("--time", arguments->time,
                    "cycles or us: what a microsecond of the axis means [cycles]")
        .one_of({"cycles", "us"})
        .type_name("BASE");
    command.add_flag("--all-iterations", arguments->all_iterations,
                     "every step of the loop, also where it repeats");
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return write_trace(request, *arguments); };
    });
}

}  // namespace warpline::cli
