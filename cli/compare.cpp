// warpline compare FILE...: predicted against measured, row by row. compare --timeline FILE: what
// the roles of a real kernel did when, against what the simulated ones do.
#include "warpline/validate/compare.hpp"

#include "cli/comparison_output.hpp"
#include "cli/output_files.hpp"
#include "cli/parse.hpp"
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "warpline/device/record_schedule.hpp"
#include "warpline/reports/comparison_report.hpp"
#include "warpline/reports/timeline_report.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

namespace warpline::cli {
namespace {

struct CompareArguments {
    std::vector<std::string> files;
    std::vector<std::string> set;
    std::string clock;
    std::string csv_file;
    std::string timeline_file;
    bool csv = false;
    ComparisonOutput output;
};

Result<MeasuredTable> read_tables(const std::vector<std::string>& files) {
    MeasuredTable all;
    for (const std::string& file : files) {
        Result<MeasuredTable> table = read_measured(file);
        if (!table) {
            return tl::unexpected(table.error());
        }
        std::move(table->rows.begin(), table->rows.end(), std::back_inserter(all.rows));
        std::move(table->unusable.begin(), table->unusable.end(), std::back_inserter(all.unusable));
    }
    return all;
}

Result<CompareOptions> options_of(const CompareArguments& arguments) {
    CompareOptions options;
    if (arguments.clock == "boost") {
        options.predict.boost_clock = true;
    } else if (!arguments.clock.empty()) {
        const auto clock = parse_clock_option(arguments.clock);
        if (!clock) {
            return tl::unexpected(clock.error());
        }
        options.predict.clock = *clock;
    }
    Result<Overrides> overrides = split_overrides(arguments.set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    options.constants = std::move(overrides->hardware);
    options.parameters = std::move(overrides->parameters);
    return options;
}

/// Text, or CSV in its place or in a file, as --csv says.
Result<std::string> deliver(const CompareArguments& arguments, std::string text, std::string csv) {
    if (arguments.csv && arguments.csv_file.empty()) {
        return csv;
    }
    if (arguments.csv) {
        const auto written = write_files({{arguments.csv_file, std::move(csv)}});
        if (!written) {
            return tl::unexpected(written.error());
        }
    }
    return text;
}

Result<Schedule> simulated_tile(const Request& request, const Timeline& timeline, KernelPlan& plan,
                                const std::vector<std::string>& set) {
    Result<Overrides> overrides = split_overrides(set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    const auto spec = load_gpu_spec(request.data_dir, timeline.gpu, overrides->hardware);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    // The command line has the last word over what the kernel was compiled with.
    std::vector<ParameterOverride> parameters = overrides->parameters;
    for (const ParameterOverride& compiled : timeline.parameters) {
        const bool again = std::any_of(
            parameters.begin(), parameters.end(),
            [&](const ParameterOverride& given) { return given.name == compiled.name; });
        if (!again) {
            parameters.push_back(compiled);
        }
    }
    auto loaded = load_plan(request.data_dir, timeline.kernel, *spec, timeline.problem, parameters);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    plan = std::move(*loaded);
    return record_longest_tile(*spec, plan, timeline.problem);
}

Result<std::string> timeline_answer(const Request& request, const CompareArguments& arguments) {
    Result<Timeline> timeline = read_timeline(arguments.timeline_file);
    if (!timeline) {
        return tl::unexpected(timeline.error());
    }
    KernelPlan plan;
    const Result<Schedule> schedule = simulated_tile(request, *timeline, plan, arguments.set);
    if (!schedule) {
        return tl::unexpected(schedule.error());
    }
    TimelineComparison comparison;
    comparison.measured_times = step_times(timeline->spans);
    const std::vector<Span> simulated = spans_of(plan, *schedule);
    comparison.simulated_times = step_times(simulated);
    comparison.units = busy_units(*schedule);
    comparison.simulated_steps = most_executions(simulated);
    comparison.measured = std::move(*timeline);
    return deliver(arguments, timeline_text(comparison, request.style), timeline_csv(comparison));
}

Result<std::string> compare_text(const Request& request, const CompareArguments& arguments) {
    if (!arguments.timeline_file.empty()) {
        return timeline_answer(request, arguments);
    }
    if (arguments.files.empty()) {
        return fail(FailureKind::usage, "compare wants tables of measured kernels, or --timeline");
    }
    const Result<CompareOptions> options = options_of(arguments);
    if (!options) {
        return tl::unexpected(options.error());
    }
    const Result<MeasuredTable> table = read_tables(arguments.files);
    if (!table) {
        return tl::unexpected(table.error());
    }
    const Result<Comparison> comparison = compare(request.data_dir, *table, *options);
    if (!comparison) {
        return tl::unexpected(comparison.error());
    }
    if (const auto written = arguments.output.write(*comparison, request.command); !written) {
        return tl::unexpected(written.error());
    }
    return deliver(arguments, comparison_text(*comparison, request.style),
                   comparison_csv(*comparison));
}

}  // namespace

void add_compare(CLI::App& app, Request& request) {
    CLI::App* const command =
        app.add_subcommand("compare", "Predicted against measured, row by row");
    const auto arguments = std::make_shared<CompareArguments>();
    CLI::Option* const files =
        command->add_option("files", arguments->files, "tables of measured kernels, CSV")
            ->type_name("FILE");
    command
        ->add_option("--timeline", arguments->timeline_file,
                     "an in-kernel timeline, CSV: against the simulated steps")
        ->type_name("FILE")
        ->excludes(files);
    CLI::Option* const csv =
        command->add_option("--csv", arguments->csv_file, "CSV to FILE, or instead of the text")
            ->type_name("[FILE]")
            ->expected(0, 1);
    arguments->output.declare(*command);
    command->add_option("--clock", arguments->clock, "clock of rows that state none")
        ->type_name("CLOCK");
    command->add_option("--set", arguments->set, "a parameter, or a constant as hw.KEY=VALUE")
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->callback([&request, arguments, csv] {
        arguments->csv = csv->count() > 0;
        request.action = [&request, arguments] { return compare_text(request, *arguments); };
    });
}

}  // namespace warpline::cli
